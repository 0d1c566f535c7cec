import { appendEvent } from "../../events/outbox.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { formatMoney } from "../../kernel/money.ts";
import { creditRefundPostings } from "../../modules/books/rules.ts";
import { lockCustomerBalance, postEntry } from "../../modules/books/store.ts";
import { CREDIT_REFUNDED } from "../../modules/credit-refunds/declarations.ts";
import { takeFrom, totalOf } from "../../modules/credit-refunds/rules.ts";
import type { CreditRefundCreateBody } from "../../modules/credit-refunds/schema.ts";
import { insertCreditRefund, lockCredit } from "../../modules/credit-refunds/store.ts";
import type { CreditRefund } from "../../modules/credit-refunds/types.ts";
import { creditRefundView } from "../../modules/credit-refunds/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { requireNoPayoutHold } from "../gateways/bank-details.ts";

/**
 * Records a manual payout of credit to a customer (interface 18.1): of overpaid amounts, or of payments of invoices
 * that were cancelled; all of it unless an amount is given, oldest payment first. Locks the customer's balance, then
 * the payments. Throws 404; 400 when the credit is less than the amount, or zero; 409 `invalid_state` while payouts are
 * on hold after a change of bank details.
 */
export async function payOutCredit(
  tx: Tx,
  ctx: Ctx,
  customerKey: string,
  order: CreditRefundCreateBody,
): Promise<CreditRefund> {
  const customer = await findCustomer(tx, customerKey);
  if (!customer) throw notFound("customer");
  await requireNoPayoutHold(tx, ctx);
  const currency = order.currency ?? DEFAULT_CURRENCY;
  lockCustomerBalance(tx, customer.id, currency);
  const credit = await lockCredit(tx, customer.id, currency);
  const total = totalOf(credit);
  const amount = order.amount ?? total;
  if (amount > total)
    throw invalidField(
      ["amount"],
      `At most ${formatMoney(total, currency)} can be paid out: what was overpaid, or paid on cancelled invoices. ` +
        "Credit notes are applied to invoices.",
    );
  if (total === 0)
    throw invalid(
      "There is nothing to pay out: the customer overpaid nothing, and paid nothing on cancelled invoices.",
    );
  const refund: CreditRefund = {
    id: newId("crf"),
    customerId: customer.id,
    currency,
    amount,
    method: order.method ?? "manual",
    reason: order.reason,
    parts: takeFrom(credit, amount),
    createdAt: ctx.now,
  };
  insertCreditRefund(tx, refund);
  postEntry(tx, {
    kind: "credit_refund",
    subject: refund.id,
    occurredAt: ctx.now,
    description: refund.reason ? `Credit paid out: ${refund.reason}` : "Credit paid out",
    currency,
    postings: creditRefundPostings(amount, customer.id),
  });
  await updateStanding(tx, ctx, customer.id, currency);
  appendEvent(tx, ctx.now, CREDIT_REFUNDED, refund.id, creditRefundView(refund));
  return refund;
}
