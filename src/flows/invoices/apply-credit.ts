import { appendEvent } from "../../events/outbox.ts";
import { cents, sum } from "../../kernel/money.ts";
import { creditApplicationPostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { CREDIT_NOTE_APPLIED } from "../../modules/credit-notes/declarations.ts";
import { splitCredit, statusFor } from "../../modules/credit-notes/rules.ts";
import {
  deleteApplications,
  insertApplication,
  lockCreditsOfInvoice,
  lockOpenCredits,
  saveRemaining,
} from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { lockInvoice, lockOldestOpenInvoices } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { settleNote } from "../payments/settle-credit-notes.ts";
import { applyPayment } from "./apply-payment.ts";

/**
 * Applies the customer's open credit notes to an invoice that has just been issued, oldest note first (interface 4.14).
 * Credit from overpayments is not applied (decisions.md#overpayments-wait-for-the-customer, `useCredit`). Locks the credit notes;
 * the caller has locked the customer's balance and the invoice.
 */
export async function applyOpenCredits(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<Invoice> {
  let open = invoice;
  for (const note of await lockOpenCredits(tx, invoice.customer.id, invoice.currency)) {
    if (amountDue(open) === 0) break;
    open = (await applyTo(tx, ctx, note, open)).invoice;
  }
  return open;
}

/** How many open invoices one query reads. An invoice that is paid in full is not read again. */
const INVOICES_PER_QUERY = 20;

/**
 * Applies a credit note to the invoice that it corrects, settles it against what was refunded of this invoice, then
 * applies it to the customer's open invoices, oldest first; the remaining amount waits for the next invoice
 * (interface 4.14). A note that was issued with a refund is settled by it first: the rest of the invoice stays due.
 * Locks the invoices; the caller has locked the customer's balance.
 */
export async function applyToOpenInvoices(tx: Tx, ctx: Ctx, note: CreditNote): Promise<CreditNote> {
  const corrected = note.correctsInvoiceId && (await lockInvoice(tx, note.correctsInvoiceId));
  const isOpen = note.refundId === null && corrected && isPayable(corrected.status);
  const own = isOpen ? (await applyTo(tx, ctx, note, corrected)).note : note;
  let left = corrected ? await settleNote(tx, ctx, own, corrected.id) : own;
  let more = true;
  while (more && left.remaining > 0) {
    const invoices = await lockOldestOpenInvoices(tx, note.customerId, note.currency, INVOICES_PER_QUERY);
    for (const invoice of invoices) if (left.remaining > 0) left = (await applyTo(tx, ctx, left, invoice)).note;
    more = invoices.length === INVOICES_PER_QUERY;
  }
  return left;
}

/**
 * Removes the credit notes from a cancelled invoice, and applies the released amounts to the customer's other open
 * invoices. Locks the credit notes and these invoices; the caller has locked the customer's balance.
 */
export async function unapplyCredits(tx: Tx, ctx: Ctx, cancelled: Invoice): Promise<void> {
  const notes = await lockCreditsOfInvoice(tx, cancelled.id);
  deleteApplications(tx, cancelled.id);
  for (const note of notes) {
    const taken = note.applications.filter(({ invoiceId }) => invoiceId === cancelled.id);
    const remaining = cents(note.remaining + sum(taken.map(({ amount }) => amount)));
    const applications = note.applications.filter(({ invoiceId }) => invoiceId !== cancelled.id);
    const back = { ...note, applications, ...withRemaining(note, remaining, ctx) };
    saveRemaining(tx, back);
    await applyToOpenInvoices(tx, ctx, back);
  }
}

const withRemaining = (note: CreditNote, remaining: CreditNote["remaining"], { now }: Ctx) => ({
  remaining,
  status: statusFor({ amount: note.amount, remaining }),
  updatedAt: now,
});

async function applyTo(
  tx: Tx,
  ctx: Ctx,
  note: CreditNote,
  invoice: Invoice,
): Promise<{ note: CreditNote; invoice: Invoice }> {
  const { applied, remaining } = splitCredit(note.remaining, amountDue(invoice));
  const application = { invoiceId: invoice.id, amount: applied, appliedAt: ctx.now };
  const after = { ...note, applications: [...note.applications, application], ...withRemaining(note, remaining, ctx) };
  insertApplication(tx, note.id, application);
  saveRemaining(tx, after);
  postEntry(tx, {
    kind: "credit_application",
    subject: `${invoice.id}:${note.id}`,
    occurredAt: ctx.now,
    description: `Credit note ${note.number} applied to invoice ${invoice.number}`,
    currency: note.currency,
    postings: creditApplicationPostings(applied, note.customerId),
  });
  const paid = await applyPayment(tx, ctx, invoice, {
    id: newId("ipm"),
    source: "credit_note",
    subject: note.id,
    amount: applied,
    paidAt: ctx.now,
  });
  appendEvent(tx, ctx.now, CREDIT_NOTE_APPLIED, note.id, creditNoteView(after));
  return { note: after, invoice: paid };
}
