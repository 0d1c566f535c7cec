import { dueWork } from "../../platform/due-work.ts";

/**
 * Daily, while the setting is on: finds the invoices that are due and whose customers have a default card. The subject
 * is the organisation's id.
 */
export const CHARGE_DUE_INVOICES = dueWork("card_charge.due_invoices");
/** Charges the default card for an invoice that is due. The subject is the invoice's id. */
export const CHARGE_DUE_INVOICE = dueWork("card_charge.invoice");
