import { startOfMonth } from "../../kernel/time.ts";
import { shareMonths } from "../../modules/accounting-months/store.ts";
import {
  lockCustomerSubscriptions,
  subscriptionsAwaiting,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { CreditApplicationBody, OfflinePaymentBody } from "../../modules/invoices/schema.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type RecordedPayment, recordOfflinePayment } from "../invoices/record-offline-payment.ts";
import { useCredit } from "../invoices/use-credit.ts";
import { billSubscriptions } from "./bill-subscription.ts";

/**
 * Like `recordOfflinePayment`; a subscription that waited for this payment continues in the same transaction
 * (decisions.md#recorded-payments-renew-at-once): a `manual` one is renewed, a `pending` one begins. Locks such a
 * subscription and the invoice numbers first, and before them the months when the payment was made in an earlier one,
 * so that this month is not closed before the entry is posted.
 */
export async function recordPaymentOfInvoice(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: OfflinePaymentBody,
): Promise<RecordedPayment> {
  if (body.paidAt && body.paidAt < startOfMonth(ctx.now)) shareMonths(tx);
  return paying(tx, ctx, id, () => recordOfflinePayment(tx, ctx, id, body));
}

/** Like `useCredit`; a subscription that waited for this payment continues, as with `recordPaymentOfInvoice`. */
export const applyCreditToInvoice = (
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: CreditApplicationBody,
): Promise<{ readonly before: Invoice; readonly after: Invoice }> =>
  paying(tx, ctx, id, () => useCredit(tx, ctx, id, body));

async function paying<Paid extends { readonly after: Invoice }>(
  tx: Tx,
  ctx: Ctx,
  id: string,
  pay: () => Promise<Paid>,
): Promise<Paid> {
  const awaiting = await subscriptionsAwaiting(tx, [id]);
  if (awaiting.length > 0) {
    await lockCustomerSubscriptions(tx, awaiting);
    lockNumbers(tx, "invoice");
  }
  const paid = await pay();
  if (paid.after.status === "paid") await billSubscriptions(tx, ctx, awaiting);
  return paid;
}

/**
 * Locks the subscriptions that wait for the payment of these invoices, before anything that comes later in the order of
 * locks; returns those of each invoice.
 */
export async function lockSubscriptionsAwaiting(tx: Tx, invoices: readonly string[]) {
  const awaiting = await Promise.all(invoices.map((id) => subscriptionsAwaiting(tx, [id])));
  const subscriptions = [...new Set(awaiting.flat())].sort();
  if (subscriptions.length > 0) await lockCustomerSubscriptions(tx, subscriptions);
  return awaiting;
}

/**
 * Like `recordPaymentOfInvoice`, for several invoices, in order. Always locks the invoice numbers, since the invoices
 * may belong to several customers. The caller holds `shareMonths`.
 */
export async function recordPaymentsOfInvoices(
  tx: Tx,
  ctx: Ctx,
  payments: readonly { readonly invoiceId: string; readonly body: OfflinePaymentBody }[],
): Promise<readonly RecordedPayment[]> {
  const invoices = payments.map(({ invoiceId }) => invoiceId);
  const awaiting = await lockSubscriptionsAwaiting(tx, invoices);
  lockNumbers(tx, "invoice");
  const made: RecordedPayment[] = [];
  for (const { invoiceId, body } of payments) made.push(await recordOfflinePayment(tx, ctx, invoiceId, body));
  const paid = awaiting.filter((_, place) => made[place]?.after.status === "paid").flat();
  await billSubscriptions(tx, ctx, [...new Set(paid)]);
  return made;
}
