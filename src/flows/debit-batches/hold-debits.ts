import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import { subtract, sum } from "../../kernel/money.ts";
import { lockDebitBatch, updateDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { debitsNamed, type HoldableDebit, saveHeld } from "../../modules/debit-batches/store/held.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import type { debitBatchView } from "../../modules/debit-batches/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { readBatch } from "./change-batch.ts";

type Changed = Readonly<Record<"before" | "after", ReturnType<typeof debitBatchView>>>;

/**
 * Holds debits of an open batch back: they are not submitted, and are collected on their mandates' next dates
 * (decisions.md#held-back-debits-wait-for-the-next-date). One that is held back already keeps its reason. Locks the
 * batch. Throws 404; 400 for a reference that is none of its debits; 409 `invalid_state` for a batch that is not open,
 * and for a debit whose mandate has no later date.
 */
export async function holdDebits(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { references, reason }: { readonly references: readonly string[]; readonly reason: string },
): Promise<Changed> {
  const { batch, debits } = await lockNamed(tx, id, references);
  const before = await readBatch(tx, ctx, id);
  const chosen = debits.filter(({ withdrawn }) => !withdrawn);
  const last = chosen.find(({ nextDebitDate }) => nextDebitDate === null);
  if (last)
    throw new ApiError(
      "invalid_state",
      409,
      `The mandate of ${last.reference} has no later debit day, so that nothing would collect the debit. ` +
        "Pause or cancel the mandate to leave the debit out.",
    );
  saveHeld(tx, ids(chosen), { at: ctx.now, by: ctx.actor.name, reason });
  const amount = subtract(batch.amount, amountOf(chosen));
  updateDebitBatch(tx, { ...batch, debits: batch.debits - chosen.length, amount });
  return { before, after: await readBatch(tx, ctx, id) };
}

/**
 * Puts debits that were held back into their open batch again; others do not change. Locks the batch. Throws 404; 400
 * for a reference that is none of its debits; 409 `invalid_state` for a batch that is not open.
 */
export async function releaseDebits(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { references }: { readonly references: readonly string[] },
): Promise<Changed> {
  const { batch, debits } = await lockNamed(tx, id, references);
  const before = await readBatch(tx, ctx, id);
  const chosen = debits.filter(({ heldAt }) => heldAt !== null);
  saveHeld(tx, ids(chosen), null);
  const amount = sum([batch.amount, amountOf(chosen)]);
  updateDebitBatch(tx, { ...batch, debits: batch.debits + chosen.length, amount });
  return { before, after: await readBatch(tx, ctx, id) };
}

/** Locks an open batch, and returns its debits with these references. */
async function lockNamed(
  tx: Tx,
  id: string,
  references: readonly string[],
): Promise<{ readonly batch: DebitBatch; readonly debits: readonly HoldableDebit[] }> {
  const batch = await lockDebitBatch(tx, id);
  if (!batch) throw notFound("debit batch");
  if (batch.status !== "open")
    throw new ApiError("invalid_state", 409, "Debits are held back or released only before their batch is submitted.");
  const debits = await debitsNamed(tx, batch.id, references);
  const unknown = references.findIndex((reference) => debits.every((debit) => debit.reference !== reference));
  if (unknown >= 0) throw invalidField(["references", unknown], `The batch has no debit ${references[unknown]}.`);
  return { batch, debits };
}

const ids = (debits: readonly HoldableDebit[]) => debits.map(({ transactionId }) => transactionId);
const amountOf = (debits: readonly HoldableDebit[]) => sum(debits.map(({ amount }) => amount));
