import { appendEvent } from "../../events/outbox.ts";
import { type Decimal, toDecimal } from "../../kernel/decimal.ts";
import { invalid, invalidField } from "../../kernel/errors.ts";
import { type Exemption, exemption, rateAsked } from "../../kernel/exemption.ts";
import { type CustomerId, type InvoiceId, newId } from "../../kernel/ids.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { type Cents, cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";
import { creditNotePostings } from "../../modules/books/rules.ts";
import { lockCustomerBalance, lockCustomerBalanceOfInvoice, postEntry } from "../../modules/books/store.ts";
import { CREDIT_NOTE_CREATED, CREDIT_NOTE_ISSUED } from "../../modules/credit-notes/declarations.ts";
import type { CreditNoteCreateBody } from "../../modules/credit-notes/schema.ts";
import { correctedAmount, insertCreditNote } from "../../modules/credit-notes/store.ts";
import type { CreditNote, CreditNoteLine } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { lockNumbers, takeNumber } from "../../modules/document-numbers/store.ts";
import { savePartiesSnapshots } from "../../modules/documents/store.ts";
import { findInvoice, lockOldestOpenInvoices } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { vatRateOn } from "../../modules/organisations/rules/vat.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { requireKnown } from "../customers/identified-customer.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { currentSettings } from "../organisations/settings.ts";
import { applyToOpenInvoices } from "./apply-credit.ts";

/** A credit note before it has a number. `amount` includes VAT at `taxRate` percent, or that of its lines. */
interface Credit extends Exemption {
  readonly customerId: CustomerId;
  readonly amount: Cents;
  readonly currency: string;
  readonly taxRate: Decimal | null;
  readonly lines: readonly CreditNoteLine[];
  readonly reason: string;
  readonly correctsInvoiceId: InvoiceId | null;
  readonly transactionReference: string | null;
}

/**
 * Issues a credit note and applies it to the customer's oldest open invoices; the remaining amount waits for the next invoice (interface 4.14).
 * Locks the customer's balance first, so no invoice is issued at the same time. The caller has taken no lock that comes after it in `LOCK_ORDER`,
 * or has called `lockForCreditNote`.
 */
export async function issueCreditNote(tx: Tx, ctx: Ctx, credit: Credit): Promise<CreditNote> {
  // Locked before the number is taken: every other document waits for the number.
  lockCustomerBalance(tx, credit.customerId, credit.currency);
  const note: CreditNote = {
    ...credit,
    id: newId("cn"),
    number: await takeNumber(tx, "credit_note"),
    status: "issued",
    tax: credit.taxRate === null ? sum(credit.lines.map(({ tax }) => tax)) : vatWithin(credit.amount, credit.taxRate),
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
 * Staff credit a customer or correct an invoice. Locks the balance of the customer. Throws 400 for an unknown customer or invoice, for neither
 * amount nor lines, an amount that differs from the lines' total, and when all corrections of the invoice together exceed its total.
 */
export async function createCreditNote(tx: Tx, ctx: Ctx, body: CreditNoteCreateBody): Promise<CreditNote> {
  if (body.customerId === null && body.invoiceId === null) throw invalid("Send customerId, invoiceId, or both.");
  // With this lock, the second of two corrections at once counts the first.
  if (body.invoiceId !== null) lockCustomerBalanceOfInvoice(tx, body.invoiceId);
  const [settings, invoice, corrected] = await Promise.all([
    currentSettings(tx),
    body.invoiceId === null ? null : findInvoice(tx, body.invoiceId),
    body.invoiceId === null ? ZERO : correctedAmount(tx, body.invoiceId),
  ]);
  const amount = amountOf(body);
  if (body.invoiceId !== null) checkCorrection({ ...body, amount }, invoice, corrected);
  const customerId =
    invoice?.customer.id ?? (await requireKnown(tx, await findCustomer(tx, body.customerId ?? ""), "customerId")).id;
  const tax = treatmentOf(body, invoiceTreatment(invoice) ?? { taxRate: vatRateOn(settings, businessDay(ctx.now)) });
  return issueCreditNote(tx, ctx, {
    customerId,
    amount,
    currency: body.currency ?? invoice?.currency ?? DEFAULT_CURRENCY,
    ...(body.lines === null ? tax : { taxRate: null }),
    lines: (body.lines ?? []).map((line) => linePriced(line, body.reason, tax)),
    reason: body.reason,
    correctsInvoiceId: invoice?.id ?? null,
    transactionReference: null,
  });
}

type LineBody = NonNullable<CreditNoteCreateBody["lines"]>[number];

/** A line without a description has the note's reason, and a line without VAT of its own the note's VAT. */
function linePriced(line: LineBody, reason: string, note: Treatment): CreditNoteLine {
  const { description, amount } = line;
  const own = treatmentOf(line, note);
  return { description: description ?? reason, ...own, amount, tax: vatWithin(amount, own.taxRate) };
}

/** The VAT of an amount: a rate in percent, and whether it is exempt. */
interface Treatment extends Exemption {
  readonly taxRate: Decimal;
}

/** The requested VAT; a field that was left out is as in `otherwise`. */
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

function checkCorrection(
  body: Omit<CreditNoteCreateBody, "amount"> & { readonly amount: Cents },
  invoice: Invoice | null,
  corrected: Cents,
): void {
  if (!invoice) throw invalidField(["invoiceId"], "No such invoice.");
  const { customer, currency, total, status } = invoice;
  if (status === "draft" || status === "cancelled")
    throw invalidField(["invoiceId"], `The invoice is ${status}: there is nothing to correct.`);
  if (body.customerId !== null && body.customerId !== customer.id)
    throw invalidField(["customerId"], "The invoice is another customer's.");
  if (body.currency !== null && body.currency !== currency)
    throw invalidField(["currency"], `The invoice is in ${currency}.`);
  const left = subtract(total, corrected);
  if (body.amount > left) {
    const came = `The invoice came to ${formatMoney(total, currency)}`;
    const before = corrected === 0 ? "" : `, of which ${formatMoney(corrected, currency)} was credited before`;
    throw invalidField(
      [body.lines === null ? "amount" : "lines"],
      `${came}${before}: the credit must be at most ${formatMoney(left, currency)}.`,
    );
  }
}

/** The VAT of an invoice whose lines all have the same rate; else null. It is exempt when they all are. */
function invoiceTreatment(invoice: Invoice | null): Treatment | null {
  const lines = invoice?.lines ?? [];
  const rates = new Set(lines.map(({ taxRate }) => taxRate));
  const [rate] = rates;
  if (rates.size !== 1 || rate === undefined) return null;
  return { taxRate: rate, ...exemption(lines.every(({ taxExempt }) => taxExempt)) };
}
