import { invalid } from "../../kernel/errors.ts";
import { type Cents, formatMoney, subtract, sum } from "../../kernel/money.ts";
import { restate, vatTermsOf } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import {
  type ReturnedCredit,
  withoutGivenBack,
  withReturned,
  withReturnedDiscounts,
} from "../../modules/customer-subscriptions/rules/planner/worth.ts";
import {
  type CreditEntry,
  coversGiven,
  insertCreditEntries,
} from "../../modules/customer-subscriptions/store/credits.ts";
import { heldBillsOf } from "../../modules/customer-subscriptions/store/held-bills.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { cancelInvoice } from "../invoices/cancel-invoice.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { SUBSCRIPTION_UPDATED } from "./declarations.ts";
import { lockGivenBack, withdrawnEntry } from "./take-back-credit.ts";

/** An invoice before and after it is cancelled. */
type Cancelled = Awaited<ReturnType<typeof cancelInvoice>>;

/**
 * Like `cancelInvoice`; for a subscription's invoice it also restores the credit and the one-off discounts that the
 * invoice had used, and withdraws the credit that was given for the days that it charged (interface 16.10). Locks the
 * subscription first. Throws 400 when other bills have used that credit (interface 16.8).
 */
export async function cancelInvoiceOfSubscription(
  tx: Tx,
  ctx: Ctx,
  id: string,
  reason: string | null,
): Promise<Cancelled> {
  const of = await lockGivenBack(tx, ctx, id);
  const cancelled = await cancelInvoice(tx, ctx, id, reason);
  if (!of) return cancelled;
  const { before, used } = of;
  const isNew = cancelled.after.status !== cancelled.before.status;
  if (isNew && used > 0)
    throw invalid(
      `The invoice cannot be cancelled: ${formatMoney(used, cancelled.before.currency)} of its unused days was ` +
        "given back as credit, which other bills have used. " +
        "Cancel these first, or correct the invoice by a credit note.",
    );
  const after = await settleCredits(tx, ctx, before, cancelled);
  if (after !== before) appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  return cancelled;
}

/**
 * The subscription after its invoice was cancelled: with the credits and discounts that the invoice had used, and
 * without those that were given for days that it charged. Returned unchanged when there are none. The caller has locked
 * the subscription.
 */
export async function settleCredits(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  { before: invoice, after: { status } }: Cancelled,
): Promise<ShownSubscription> {
  if (status === invoice.status) return before;
  const { terms, credits } = before.state;
  const discounts = withReturnedDiscounts(
    before.state.discounts,
    invoice.lines.flatMap(({ reason }) => reason ?? []),
  );
  const uses = usedBy(invoice);
  const given = await coversGiven(
    tx,
    before.id,
    uses.map(({ creditId }) => creditId),
  );
  const returned = uses.map((use) => ({ ...use, given: given.get(use.creditId) ?? [] }));
  const { credits: left, withdrawn } = withoutGivenBack(
    withReturned(credits, returned, terms.price),
    await heldBillsOf(tx, before),
    terms.price,
  );
  if (returned.length + withdrawn.length === 0 && discounts.length === before.state.discounts.length) return before;
  const after = { ...before, state: { ...before.state, credits: left, discounts }, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  const entry = { subscriptionId: before.id };
  const bill = { invoiceId: invoice.id };
  const entries: CreditEntry[] = [
    ...returned.flatMap(({ creditId, amount, terms: own }) => [
      { ...entry, creditId, cause: "returned", amount, bill } as const,
      { ...entry, creditId, cause: "restated", amount: subtract(restate(amount, own, terms.price), amount) } as const,
    ]),
    ...withdrawn.map((one) => withdrawnEntry(before, one)),
  ];
  insertCreditEntries(tx, entries, ctx.now);
  return after;
}

/** How much an invoice had used of each credit, in the order of use. */
function usedBy({ currency, lines, taxInclusive }: Invoice): readonly ReturnedCredit[] {
  const uses = lines.flatMap(({ reason, taxRate }) =>
    (reason?.less ?? []).flatMap((off) =>
      off.by === "credit"
        ? [
            {
              creditId: off.id,
              description: off.description,
              amount: off.amount,
              terms: vatTermsOf({ taxRate, taxInclusive, currency }),
            },
          ]
        : [],
    ),
  );
  return [...Map.groupBy(uses, ({ creditId }) => creditId).values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, amount: totalOf([first, ...more]) }] : [],
  );
}

const totalOf = (uses: readonly { readonly amount: Cents }[]): Cents => sum(uses.map(({ amount }) => amount));
