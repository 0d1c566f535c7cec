import { appendEvent } from "../../events/outbox.ts";
import { requireWhole } from "../../kernel/amount-in.ts";
import { unitOf } from "../../kernel/currency.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { invalid, invalidField, noSuch } from "../../kernel/errors.ts";
import type { Exemption } from "../../kernel/exemption.ts";
import type { CustomerId, InvoiceId, RefundId } from "../../kernel/ids.ts";
import { type Cents, cents, formatMoney, sum } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { creditNotePostings } from "../../modules/books/rules.ts";
import { lockCustomerBalance, lockCustomerBalanceOfInvoice, postEntry } from "../../modules/books/store.ts";
import { CREDIT_NOTE_CREATED, CREDIT_NOTE_ISSUED } from "../../modules/credit-notes/declarations.ts";
import {
  checkCorrection,
  corrected,
  credited,
  grossOf,
  leftByRate,
  pricedIn,
  type RateLeft,
  spread,
} from "../../modules/credit-notes/rules.ts";
import type { CreditNoteCreateBody } from "../../modules/credit-notes/schema.ts";
import { correctionsOf, insertCreditNote } from "../../modules/credit-notes/store.ts";
import type { CreditNote, CreditNoteLine } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { lockNumbers, takeNumber } from "../../modules/document-numbers/store.ts";
import { savePartiesSnapshots } from "../../modules/documents/store.ts";
import { findInvoice, lockOldestOpenInvoices } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { vatRateOn } from "../../modules/organisations/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { requireKnown } from "../customers/identified-customer.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { applyToOpenInvoices } from "../invoices/apply-credit.ts";
import { currentSettings } from "../organisations/settings.ts";

/** A credit note before it has a number. `amount` includes VAT at `taxRate` percent, or at the rates of its lines. */
export interface Credit extends Exemption {
  readonly customerId: CustomerId;
  readonly amount: Cents;
  readonly currency: string;
  readonly taxRate: Decimal | null;
  readonly lines: readonly CreditNoteLine[];
  /** VAT within `amount`. */
  readonly tax: Cents;
  readonly reason: string;
  readonly correctsInvoiceId: InvoiceId | null;
  readonly transactionReference: string | null;
  readonly refundId: RefundId | null;
}

/**
 * Issues a credit note and applies it to the customer's oldest open invoices; the remaining amount waits for the next
 * invoice (interface 4.14). Locks the customer's balance first, so no invoice is issued at the same time. The caller
 * has taken no lock that comes after it in `LOCK_ORDER`, or has called `lockForCreditNote`.
 */
export async function issueCreditNote(tx: Tx, ctx: Ctx, credit: Credit): Promise<CreditNote> {
  // Locked before the number is taken: every other document waits for the number.
  lockCustomerBalance(tx, credit.customerId, credit.currency);
  const note: CreditNote = {
    ...credit,
    id: newId("cn"),
    number: await takeNumber(tx, "credit_note"),
    status: "issued",
    remaining: credit.amount,
    applications: [],
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertCreditNote(tx, note);
  savePartiesSnapshots(tx, [{ id: note.id, customer: note.customerId }], (await currentSettings(tx)).branding);
  postEntry(tx, {
    kind: "credit_note",
    subject: note.id,
    occurredAt: ctx.now,
    description: `Credit note ${note.number}: ${note.reason}`,
    currency: note.currency,
    postings: creditNotePostings(note, note.customerId),
  });
  for (const event of [CREDIT_NOTE_CREATED, CREDIT_NOTE_ISSUED])
    appendEvent(tx, ctx.now, event, note.id, creditNoteView(note));
  const after = await applyToOpenInvoices(tx, ctx, note);
  await updateStanding(tx, ctx, note.customerId, note.currency);
  return after;
}

/** Takes the locks of `issueCreditNote`, for a caller that locks later records before it issues the note. */
export async function lockForCreditNote(tx: Tx, customerId: CustomerId, currency: string): Promise<void> {
  lockCustomerBalance(tx, customerId, currency);
  lockNumbers(tx, "credit_note");
  await lockOldestOpenInvoices(tx, customerId, currency, 1);
}

/**
 * Issues the credit note with which staff credit a customer or correct an invoice. Locks the balance of the customer.
 * Throws 400 for an unknown customer or invoice, for neither amount nor lines, for an amount that differs from the
 * lines' total, for a rate that the corrected invoice does not have, and when all corrections of the invoice together
 * exceed its total, in all or at one rate.
 */
export async function createCreditNote(tx: Tx, ctx: Ctx, body: CreditNoteCreateBody): Promise<CreditNote> {
  if (body.customerId === null && body.invoiceId === null) throw invalid("Send customerId, invoiceId, or both.");
  // With this lock, the second of two simultaneous corrections counts the first.
  if (body.invoiceId !== null) lockCustomerBalanceOfInvoice(tx, body.invoiceId);
  const [settings, invoice, corrections] = await Promise.all([
    currentSettings(tx),
    body.invoiceId === null ? null : findInvoice(tx, body.invoiceId),
    body.invoiceId === null ? [] : correctionsOf(tx, body.invoiceId),
  ]);
  const amount = amountOf(body);
  if (body.invoiceId !== null) {
    if (!invoice) throw noSuch(["invoiceId"], "invoice", body.invoiceId);
    const facts = { ...invoice, customerId: invoice.customer.id };
    checkCorrection({ ...body, amount }, facts, sum(corrections.map((one) => one.amount)));
  }
  const customerId =
    invoice?.customer.id ??
    (await requireKnown(tx, await findCustomer(tx, body.customerId ?? ""), "customerId", body.customerId)).id;
  const standard = vatRateOn(settings, calendarDay(ctx.now));
  const currency = body.currency ?? invoice?.currency ?? DEFAULT_CURRENCY;
  requireWhole(currency, amount, [body.lines === null ? "amount" : "lines"], invoice?.total);
  for (const [place, line] of (body.lines ?? []).entries())
    requireWhole(currency, line.amount, ["lines", place, "amount"], invoice?.total);
  const left = invoice && leftByRate(invoice.lines.map(grossOf), corrections);
  return issueCreditNote(tx, ctx, {
    customerId,
    amount,
    currency,
    ...(left
      ? corrected({ ...body, amount }, left, standard, currency)
      : credited({ ...body, amount }, standard, unitOf(currency))),
    reason: body.reason,
    correctsInvoiceId: invoice?.id ?? null,
    transactionReference: null,
    refundId: null,
  });
}

/**
 * The credit of an amount of an invoice, in cents, spread over the rates of VAT of which something is left to credit.
 */
export function creditOfInvoice(
  invoice: Invoice,
  corrections: readonly RateLeft[],
  amount: Cents,
  reason: string,
): Omit<Credit, "refundId"> {
  const parts = spread(leftByRate(invoice.lines.map(grossOf), corrections), amount, unitOf(invoice.currency));
  return {
    customerId: invoice.customer.id,
    amount,
    currency: invoice.currency,
    ...pricedIn(parts, reason),
    reason,
    correctsInvoiceId: invoice.id,
    transactionReference: null,
  };
}

/** The amount of a credit in cents, which is that of its lines. Throws 400 when neither or both that differ are given. */
function amountOf({ amount, lines, currency }: CreditNoteCreateBody): Cents {
  if (lines === null) {
    if (amount === null) throw invalidField(["amount"], "Send amount, or lines.");
    return amount;
  }
  const total = sum(lines.map((line) => line.amount));
  if (amount !== null && amount !== total)
    throw invalidField(
      ["amount"],
      `The lines come to ${formatMoney(total, currency ?? DEFAULT_CURRENCY)}: leave amount out.`,
    );
  if (total > TOTAL_MAX) throw invalidField(["lines"], "The lines come to too much.");
  return total;
}

/** The largest credit note with lines, equal to the limit of `amount` without lines. */
const TOTAL_MAX = cents(100_000_000_00);
