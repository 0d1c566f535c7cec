import { appendEvent } from "../../events/outbox.ts";
import { requireWhole } from "../../kernel/amount-in.ts";
import { type Unit, unitOf } from "../../kernel/currency.ts";
import { type Decimal, toDecimal } from "../../kernel/decimal.ts";
import { invalid, invalidField, noSuch } from "../../kernel/errors.ts";
import { type Exemption, exemption, rateAsked } from "../../kernel/exemption.ts";
import type { CustomerId, InvoiceId, RefundId } from "../../kernel/ids.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { type Cents, cents, formatMoney, subtract, sum } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { creditNotePostings } from "../../modules/books/rules.ts";
import { lockCustomerBalance, lockCustomerBalanceOfInvoice, postEntry } from "../../modules/books/store.ts";
import { CREDIT_NOTE_CREATED, CREDIT_NOTE_ISSUED } from "../../modules/credit-notes/declarations.ts";
import { creditAt, leftAt, leftByRate, type RateLeft, spread } from "../../modules/credit-notes/rules.ts";
import type { CreditNoteCreateBody } from "../../modules/credit-notes/schema.ts";
import { correctionsOf, insertCreditNote } from "../../modules/credit-notes/store.ts";
import type { CreditNote, CreditNoteLine } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { lockNumbers, takeNumber } from "../../modules/document-numbers/store.ts";
import { savePartiesSnapshots } from "../../modules/documents/store.ts";
import { findInvoice, lockOldestOpenInvoices } from "../../modules/invoices/store.ts";
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
  if (body.invoiceId !== null) checkCorrection({ ...body, amount }, invoice, sum(corrections.map((one) => one.amount)));
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

/** The amount of an invoice's line with VAT. */
const grossOf = ({ taxRate, taxExempt, amount, tax }: Invoice["lines"][number]): RateLeft => ({
  taxRate,
  ...exemption(taxExempt),
  amount: sum([amount, tax]),
  tax,
});

type Body = Omit<CreditNoteCreateBody, "amount"> & { readonly amount: Cents };
type LineBody = NonNullable<CreditNoteCreateBody["lines"]>[number];

/** The amounts of a note by rate: one rate, or a line for each. */
type Priced = Pick<Credit, "taxRate" | "taxExempt" | "lines" | "tax">;

/** The amounts of a credit that corrects no invoice: at the requested rates, else at the standard rate. */
function credited(body: Body, standard: Decimal, unit: Unit): Priced {
  const tax = treatmentOf(body, { taxRate: standard });
  if (body.lines === null) return { ...tax, lines: [], tax: vatWithin(body.amount, tax.taxRate, unit) };
  const lines = body.lines.map((line) => {
    const own = treatmentOf(line, tax);
    return {
      description: line.description ?? body.reason,
      ...own,
      amount: line.amount,
      tax: vatWithin(line.amount, own.taxRate, unit),
    };
  });
  return { taxRate: null, lines, tax: sum(lines.map((line) => line.tax)) };
}

/**
 * The amounts of a correction, which credits no more VAT than the invoice charged, and at no other rate. Without lines
 * and rate it is spread over the rates of the invoice; a line without a rate has the note's, else the only one of the
 * invoice, else the standard rate.
 */
function corrected(body: Body, left: readonly RateLeft[], standard: Decimal, currency: string): Priced {
  const isGiven = body.taxRate !== null || body.taxExempt !== null;
  const open = left.filter(({ amount }) => amount > 0);
  if (body.lines === null) {
    const asked = treatmentOf(body, { taxRate: standard });
    const parts = isGiven
      ? [creditedAt(left, asked, body.amount, ["amount"], currency)]
      : spread(left, body.amount, unitOf(currency));
    return pricedIn(parts, body.reason);
  }
  const [only] = open;
  const otherwise = treatmentOf(body, open.length === 1 && only ? treatment(only) : { taxRate: standard });
  let rest = left;
  const lines = body.lines.map((line, place) => {
    const part = creditedAt(rest, treatmentOf(line, otherwise), line.amount, ["lines", place, "amount"], currency);
    rest = leftByRate(rest, [part]);
    return { description: line.description ?? body.reason, ...part };
  });
  return withLines(lines);
}

/** One rate of the note, or a line for each. */
function pricedIn(parts: readonly RateLeft[], description: string): Priced {
  const [only] = parts;
  if (parts.length === 1 && only) return { ...treatment(only), lines: [], tax: only.tax };
  return withLines(parts.map((part) => ({ description, ...part })));
}

const treatment = ({ taxRate, taxExempt }: RateLeft): Treatment => ({ taxRate, ...exemption(taxExempt) });

const withLines = (lines: readonly CreditNoteLine[]): Priced => ({
  taxRate: null,
  lines,
  tax: sum(lines.map(({ tax }) => tax)),
});

/**
 * An amount at one of the invoice's rates. Throws 400 when the invoice does not have that rate, or less is left at it.
 */
function creditedAt(
  left: readonly RateLeft[],
  asked: Treatment,
  amount: Cents,
  path: readonly (string | number)[],
  currency: string,
): RateLeft {
  const found = leftAt(left, asked);
  if (!found) {
    const rates = left.map(({ taxRate, taxExempt }) => (taxExempt ? "exempt" : `${taxRate}\u00a0%`)).join(", ");
    const named = asked.taxExempt ? "nothing that is exempt" : `nothing at ${asked.taxRate}\u00a0%`;
    throw invalidField([...path.slice(0, -1), "taxRate"], `The invoice charged ${named}: its VAT is ${rates}.`);
  }
  if (amount > found.amount)
    throw invalidField(
      path,
      `At ${found.taxRate}\u00a0% at most ${formatMoney(found.amount, currency)} of the invoice is left to credit.`,
    );
  return creditAt(found, amount, unitOf(currency));
}

/** The VAT of an amount: a rate in percent, and whether it is exempt. */
interface Treatment extends Exemption {
  readonly taxRate: Decimal;
}

/** The requested VAT; an absent field is as in `otherwise`. */
function treatmentOf(asked: Pick<LineBody, "taxRate" | "taxExempt">, otherwise: Treatment): Treatment {
  const rate = rateAsked(asked);
  if (rate !== null) return { taxRate: toDecimal(rate), ...exemption(asked.taxExempt) };
  return asked.taxExempt === null ? otherwise : { taxRate: otherwise.taxRate };
}

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

function checkCorrection(body: Body, invoice: Invoice | null, before: Cents): void {
  if (!invoice) throw noSuch(["invoiceId"], "invoice", body.invoiceId);
  const { customer, currency, total, status } = invoice;
  if (status === "draft" || status === "cancelled")
    throw invalidField(["invoiceId"], `The invoice is ${status}: there is nothing to correct.`);
  if (body.customerId !== null && body.customerId !== customer.id)
    throw invalidField(["customerId"], "The invoice is another customer's.");
  if (body.currency !== null && body.currency !== currency)
    throw invalidField(["currency"], `The invoice is in ${currency}.`);
  const left = subtract(total, before);
  if (body.amount > left) {
    const came = `The invoice came to ${formatMoney(total, currency)}`;
    const earlier = before === 0 ? "" : `, of which ${formatMoney(before, currency)} was credited before`;
    throw invalidField(
      [body.lines === null ? "amount" : "lines"],
      `${came}${earlier}: the credit must be at most ${formatMoney(left, currency)}.`,
    );
  }
}
