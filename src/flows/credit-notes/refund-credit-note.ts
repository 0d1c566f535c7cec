import { invalidField } from "../../kernel/errors.ts";
import { type Cents, cents, formatMoney, subtract, sum } from "../../kernel/money.ts";
import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { correctionsOf, creditNoteOfRefund } from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { acceptedRefundTotal } from "../payments/accepted-refund-total.ts";
import { fromCreditOf } from "../payments/post-refund.ts";
import type { PostedRefund, Purpose } from "../payments/purpose.ts";
import { type NewRefund, type RecordedRefund, recordRefund } from "../payments/refund-payment.ts";
import { creditOfInvoice, issueCreditNote } from "./issue-credit-note.ts";

/**
 * The purpose of a payment of an invoice when it is refunded: issues the credit note of a refund that was requested
 * with one, as soon as the refund is in the books. Locks the customer's balance and the numbers of credit notes.
 */
export const creditNotePurpose: Purpose = {
  locks: "customer balance",
  async lock(tx, ctx, { invoiceId }, move) {
    if (move !== "refunded" || invoiceId === null) return null;
    lockCustomerBalanceOfInvoice(tx, invoiceId);
    lockNumbers(tx, "credit_note");
    return {
      async refund(refunded) {
        if (refunded.refund.withCreditNote) await issueNoteOf(tx, ctx, invoiceId, refunded);
      },
    };
  },
};

/**
 * Issues the note for the part of the refund that does not return an overpayment; for less when the invoice was
 * credited meanwhile, which `recordRefundAndNote` refuses beforehand.
 */
async function issueNoteOf(tx: Tx, ctx: Ctx, invoiceId: string, { refund, fromCredit }: PostedRefund): Promise<void> {
  const [invoice, corrections] = await Promise.all([findInvoice(tx, invoiceId), correctionsOf(tx, invoiceId)]);
  if (!invoice) return;
  const amount = cents(Math.min(subtract(refund.amount, fromCredit), leftToCredit(invoice, corrections)));
  if (amount <= 0) return;
  const reason = refund.reason || `Refund ${refund.refundNumber}`;
  await issueCreditNote(tx, ctx, { ...creditOfInvoice(invoice, corrections, amount, reason), refundId: refund.id });
}

const leftToCredit = ({ total }: Invoice, corrections: readonly { readonly amount: Cents }[]): Cents =>
  subtract(total, sum(corrections.map((one) => one.amount)));

/** A refund that was recorded, with its credit note; null without one, and while the gateway has not accepted it. */
interface RefundAndNote extends RecordedRefund {
  readonly note: CreditNote | null;
}

/**
 * Like `recordRefund`; with `creditNote` also issues the credit note of the payment's invoice, at once or when the
 * gateway accepts the refund. Throws 400 when less than the refund is left to credit of the invoice, and when the
 * refund returns an overpayment alone.
 */
export async function recordRefundAndNote(
  tx: Tx,
  ctx: Ctx,
  reference: string,
  order: NewRefund,
): Promise<RefundAndNote> {
  const recorded = await recordRefund(tx, ctx, reference, order);
  const { refund, transaction } = recorded;
  if (!refund.withCreditNote || transaction.invoiceId === null) return { ...recorded, note: null };
  const [invoice, corrections, note, accepted] = await Promise.all([
    findInvoice(tx, transaction.invoiceId),
    correctionsOf(tx, transaction.invoiceId),
    creditNoteOfRefund(tx, refund.id),
    acceptedRefundTotal(tx, transaction),
  ]);
  const others = recorded.made ? subtract(accepted, refund.amount) : accepted;
  const wanted = subtract(refund.amount, await fromCreditOf(tx, transaction, refund, others));
  if (wanted === 0)
    throw invalidField(["creditNote"], "The refund returns an overpayment, which needs no credit note. Leave it out.");
  const left = invoice ? sum([leftToCredit(invoice, corrections), note?.amount ?? cents(0)]) : cents(0);
  if (wanted > left)
    throw invalidField(
      ["creditNote"],
      `At most ${formatMoney(left, refund.currency)} of the invoice is left to credit. Refund that much, or leave ` +
        "creditNote out: a refund settles the credit notes that the invoice has.",
    );
  return { ...recorded, note };
}
