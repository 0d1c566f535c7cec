import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { lockInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { lockLinksOfInvoice } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";

/** An invoice and the links that pay it, locked. */
export interface LockedInvoice {
  readonly invoice: Invoice;
  readonly links: readonly PaymentLink[];
}

/**
 * Locks what changes together with an invoice until the transaction ends, in the order that holds everywhere: the customer's balance,
 * the links that pay the invoice, the invoice; then transactions, and the customer last (decision 93). Null when there is no such invoice.
 */
export async function lockInvoiceForChange(tx: Tx, id: string): Promise<LockedInvoice | null> {
  lockCustomerBalanceOfInvoice(tx, id);
  const [links, invoice] = await Promise.all([lockLinksOfInvoice(tx, id), lockInvoice(tx, id)]);
  return invoice && { invoice, links };
}
