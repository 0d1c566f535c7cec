import type { Reversal } from "../../domain/reversal.ts";
import { cents, sum } from "../../kernel/money.ts";
import { reversed } from "../../modules/books/rules.ts";
import { entriesOf, postEntry } from "../../modules/books/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { insertReversal } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { customerOfPayment, finishPurposes } from "./lock-purposes.ts";
import type { LockedPurpose } from "./purpose.ts";

/**
 * Books that the money of a posted reversal came back, by an entry of the opposite amounts, and pays the invoice with
 * it that the reversal had opened again, and those from which it had taken credit. False, with nothing booked, when one of
 * them does not owe the amount any more:
 * then a person decides (decisions.md#won-disputes-are-booked-unless-paid). The caller has locked the purposes for the
 * move `given_back`, then the payment.
 */
export async function reinstateReversal(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  purposes: readonly LockedPurpose[],
  taken: Reversal,
): Promise<boolean> {
  const [entry] = await entriesOf(tx, "reversal", [taken.id]);
  if (!entry) return false;
  const reopened = sum(entry.postings.filter(({ account }) => account === "receivable").map(({ amount }) => amount));
  const purpose = purposes.find(({ takesBack }) => takesBack !== undefined);
  if (reopened > (purpose?.takesBack ?? 0)) return false;
  if (purposes.some(({ owesCreditOf }) => owesCreditOf?.(taken) === false)) return false;
  const back: Reversal = {
    ...taken,
    id: newId("rev"),
    amount: cents(-taken.amount),
    givesBack: taken.id,
    occurredAt: null,
    reversedAt: ctx.now,
    createdAt: ctx.now,
  };
  insertReversal(tx, back);
  postEntry(tx, {
    ...entry,
    subject: back.id,
    occurredAt: ctx.now,
    description: `Dispute won: payment ${payment.reference} paid again`,
    postings: reversed(entry.postings),
  });
  await purpose?.reinstate?.(back, reopened);
  for (const { applyCreditAgain } of purposes) await applyCreditAgain?.(taken);
  await finishPurposes(purposes);
  const customerId = customerOfPayment(purposes, payment);
  if (customerId) await updateStanding(tx, ctx, customerId, payment.currency);
  return true;
}
