import { appendEvent } from "../../events/outbox.ts";
import type { InvoiceId, RefundId } from "../../kernel/ids.ts";
import { type Cents, cents, sum } from "../../kernel/money.ts";
import { reversed, settledNotePostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { CREDIT_NOTE_APPLIED } from "../../modules/credit-notes/declarations.ts";
import { splitCredit, statusFor } from "../../modules/credit-notes/rules.ts";
import {
  insertSettlement,
  lockNotesOf,
  saveRemaining,
  undoSettlements,
  unsettledRefunds,
} from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/*
 * A credit note of an invoice and a refund of its payment concern the same money
 * (decisions.md#refund-and-credit-note-are-the-same-money): what was refunded is not the customer's credit as well. The
 * refund settles the rest of the note, whichever came first.
 */

/**
 * Settles open credit notes of an invoice against the refunds of its payments. The caller has locked the customer's
 * balance and the invoice.
 */
export async function settleNotesOfInvoice(tx: Tx, ctx: Ctx, invoice: InvoiceId): Promise<void> {
  for (const note of await lockNotesOf(tx, invoice, [])) await settleNote(tx, ctx, note, invoice);
}

/**
 * Settles what remains of a credit note against the refunds of the invoice that it corrects. The caller holds the locks
 * of `settleNotesOfInvoice`.
 */
export async function settleNote(tx: Tx, ctx: Ctx, note: CreditNote, invoice: InvoiceId): Promise<CreditNote> {
  let after = note;
  const refunds = note.remaining > 0 ? await unsettledRefunds(tx, invoice) : [];
  for (const refund of refunds) {
    const { applied, remaining } = splitCredit(after.remaining, refund.amount);
    if (applied === 0) break;
    insertSettlement(tx, note.id, refund.id, applied, ctx.now);
    after = withRemaining(after, remaining, ctx);
    postEntry(tx, {
      ...entryOf(ctx, note, refund.id),
      kind: "credit_note_refund",
      postings: settledNotePostings(applied, note.customerId),
    });
  }
  if (after === note) return note;
  saveRemaining(tx, after);
  appendEvent(tx, ctx.now, CREDIT_NOTE_APPLIED, note.id, creditNoteView(after));
  return after;
}

/** Undoes what a failed refund had settled: the amount is the customer's credit again. */
export async function unsettleNotes(tx: Tx, ctx: Ctx, refund: RefundId): Promise<void> {
  const undone = await undoSettlements(tx, refund, ctx.now);
  if (undone.length === 0) return;
  const amounts = new Map<string, Cents>(undone.map(({ note, amount }) => [note, amount]));
  for (const note of await lockNotesOf(tx, null, [...amounts.keys()])) {
    const amount = amounts.get(note.id) ?? cents(0);
    saveRemaining(tx, withRemaining(note, sum([note.remaining, amount]), ctx));
    const postings = reversed(settledNotePostings(amount, note.customerId));
    postEntry(tx, { ...entryOf(ctx, note, refund), kind: "credit_note_refund_reversal", postings });
  }
}

const withRemaining = (note: CreditNote, remaining: Cents, { now }: Ctx): CreditNote => ({
  ...note,
  remaining,
  status: statusFor({ amount: note.amount, remaining }),
  updatedAt: now,
});

const entryOf = (ctx: Ctx, { id, number, currency }: CreditNote, refund: RefundId) => ({
  subject: `${refund}:${id}`,
  occurredAt: ctx.now,
  description: `Refund of credit note ${number}`,
  currency,
});
