import { part } from "../platform/database.ts";
import type { InvoicesRow } from "./rows.ts";

type InvoiceStatus = InvoicesRow["status"];

/** Statuses of an invoice that is owed: issued, not paid, not cancelled. */
export const OPEN_STATUSES = ["sent", "overdue", "partially_paid"] as const satisfies readonly InvoiceStatus[];

/** Whether the invoice is owed. */
export const isOpen = ({ status }: { readonly status: InvoiceStatus }): boolean =>
  OPEN_STATUSES.some((open) => open === status);

/**
 * `OPEN_STATUSES` in SQL: `i.status ${IN_OPEN}`. The statuses are part of the text, and no parameters, since partial
 * indexes are used only by statements that name them.
 */
export const IN_OPEN = part`in ('sent', 'overdue', 'partially_paid')`;

/** `OPEN_STATUSES` as an array in SQL. */
export const OPEN_ARRAY = part`'{sent,overdue,partially_paid}'::text[]`;
