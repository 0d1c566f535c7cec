import { lockCustomerSubscriptions, subscriptionsAwaiting } from "../../modules/customer-subscriptions/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { OfflinePaymentBody } from "../../modules/invoices/schema.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { recordOfflinePayment } from "../invoices/record-offline-payment.ts";
import { billSubscriptions } from "./bill-subscription.ts";

/**
 * As `recordOfflinePayment`; a subscription that waited for this payment goes on in the same transaction (decision 279): a `manual` one is
 * renewed, a `pending` one begins. Locks such a subscription and the invoice numbers first.
 */
export async function recordPaymentOfInvoice(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: OfflinePaymentBody,
): Promise<{ before: Invoice; after: Invoice }> {
  const awaiting = await subscriptionsAwaiting(tx, [id]);
  if (awaiting.length > 0) {
    await lockCustomerSubscriptions(tx, awaiting);
    lockNumbers(tx, "invoice");
  }
  const recorded = await recordOfflinePayment(tx, ctx, id, body);
  if (recorded.after.status === "paid") await billSubscriptions(tx, ctx, awaiting);
  return recorded;
}
