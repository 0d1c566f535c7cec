import { invalidField } from "../../kernel/errors.ts";
import { cents, formatMoney } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import type { CreditNoteCreateBody } from "../../modules/credit-notes/schema.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { type Withdrawal, withoutGivenBack } from "../../modules/customer-subscriptions/rules/planner/worth.ts";
import { type CreditEntry, insertCreditEntries } from "../../modules/customer-subscriptions/store/credits.ts";
import { heldBillsOf, type LeftOfBill, leftOfBill } from "../../modules/customer-subscriptions/store/held-bills.ts";
import {
  findCustomerSubscription,
  lockSubscriptionOfInvoice,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { createCreditNote } from "../credit-notes/issue-credit-note.ts";
import type { Purpose } from "../payments/purpose.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { SUBSCRIPTION_UPDATED } from "./declarations.ts";

/** The locked subscription of an invoice, and what can still be refunded or credited of the invoice. */
interface GivenBack extends LeftOfBill {
  readonly before: ShownSubscription;
}

/** Locks the subscription of an invoice; null when it has none. */
export async function lockGivenBack(tx: Tx, ctx: Ctx, invoice: string): Promise<GivenBack | null> {
  const of = await lockSubscriptionOfInvoice(tx, invoice);
  const before = of && (await findCustomerSubscription(tx, of.id, calendarDay(ctx.now)));
  const left = before && (await leftOfBill(tx, before, of.invoiceId));
  return left ? { before, ...left } : null;
}

/** The entry of credit that is withdrawn. */
export const withdrawnEntry = ({ id }: Pick<ShownSubscription, "id">, one: Withdrawal): CreditEntry => ({
  subscriptionId: id,
  ...one,
  cause: "withdrawn",
  amount: cents(-one.amount),
  gross: cents(-one.gross),
});

/**
 * Withdraws credit for unused days that are no longer paid or owed, after a refund or a credit note of the invoice
 * (interface 16.8).
 */
async function takeBackCredit(tx: Tx, ctx: Ctx, { before }: GivenBack): Promise<void> {
  const { credits, terms } = before.state;
  const { credits: left, withdrawn } = withoutGivenBack(credits, await heldBillsOf(tx, before), terms.price);
  if (withdrawn.length === 0) return;
  const after = { ...before, state: { ...before.state, credits: left }, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  insertCreditEntries(
    tx,
    withdrawn.map((one) => withdrawnEntry(before, one)),
    ctx.now,
  );
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
}

/**
 * Like `createCreditNote`; for a subscription's invoice it also withdraws the credit for unused days that the note
 * gives now. Locks the subscription first. Throws 400 for more than is left after the credit that bills have used.
 */
export async function creditNoteOfSubscription(tx: Tx, ctx: Ctx, body: CreditNoteCreateBody): Promise<CreditNote> {
  const of = body.invoiceId === null ? null : await lockGivenBack(tx, ctx, body.invoiceId);
  const note = await createCreditNote(tx, ctx, body);
  if (!of) return note;
  const { left, used } = of;
  if (used > 0 && note.amount > left)
    throw invalidField(
      ["amount"],
      `At most ${formatMoney(left, note.currency)} of the invoice can be credited: ` +
        `${formatMoney(used, note.currency)} of its unused days was given back as credit, which other bills have ` +
        "used.",
    );
  await takeBackCredit(tx, ctx, of);
  return note;
}

/**
 * The purpose of a payment of a subscription's invoice when it is refunded: at most the amount that was not credited
 * for unused days is refunded, and unused credit is withdrawn for it. Locks the subscription.
 */
export const givenBackPurpose: Purpose = {
  locks: "customer subscription",
  async lock(tx, ctx, { invoiceId }, move) {
    const of = move === "refunded" && invoiceId !== null ? await lockGivenBack(tx, ctx, invoiceId) : null;
    return of && { refundable: of, refund: () => takeBackCredit(tx, ctx, of) };
  },
};
