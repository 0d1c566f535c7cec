import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { lockInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { lockLinksOfInvoice } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { monthlyLimitReachedAtStart } from "../payments/monthly-limit.ts";

/** A locked invoice and its locked links. */
export interface LockedInvoice {
  readonly invoice: Invoice;
  readonly links: readonly PaymentLink[];
}

/**
 * Locks an invoice and the records that change together with it, in `LOCK_ORDER`: the customer's balance, the links
 * that pay the invoice, the invoice. Transactions and the customer are locked after it
 * (decisions.md#customer-balance-first). Null when there is no such invoice.
 */
export async function lockInvoiceForChange(tx: Tx, id: string): Promise<LockedInvoice | null> {
  lockCustomerBalanceOfInvoice(tx, id);
  const [links, invoice] = await Promise.all([lockLinksOfInvoice(tx, id), lockInvoice(tx, id)]);
  return invoice && { invoice, links };
}

/**
 * Like `lockInvoiceForChange`, to start a payment of the invoice without its payer: also returns whether the plan's
 * monthly limit is reached. Locks the payment starts too when the plan has a limit.
 */
export async function lockInvoiceForStart(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ readonly invoice: Invoice | null; readonly limitReached: boolean }> {
  lockCustomerBalanceOfInvoice(tx, id);
  const [, limitReached, invoice] = await Promise.all([
    lockLinksOfInvoice(tx, id),
    monthlyLimitReachedAtStart(tx, ctx),
    lockInvoice(tx, id),
  ]);
  return { invoice, limitReached };
}
