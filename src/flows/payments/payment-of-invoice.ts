import { subscriptionOfInvoice } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { firstPaidOf } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * The fields of an invoice's new payment that concern the invoice's customer subscription (interface 2.7): its id,
 * whether the payment is a later collection, and the reference of the first payment. Empty for an invoice without a
 * subscription.
 */
export async function paymentOfInvoice(
  tx: Tx,
  invoice: string,
): Promise<Partial<Pick<Transaction, "subscriptionId" | "renewal" | "parentReference">>> {
  const of = await subscriptionOfInvoice(tx, invoice);
  if (!of) return {};
  const first = await firstPaidOf(tx, of.id);
  return { subscriptionId: of.id, renewal: first !== null, parentReference: first };
}
