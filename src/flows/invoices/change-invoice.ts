import { ApiError, invalid, notFound } from "../../kernel/errors.ts";
import { priceLines } from "../../kernel/lines.ts";
import { cents } from "../../kernel/money.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { amountDue, requireDueOnceIssued } from "../../modules/invoices/rules.ts";
import type { InvoicePatchBody } from "../../modules/invoices/schema.ts";
import { findInvoice, invoiceOfReference, saveDraft } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { deactivatePaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { hasAnyPayment } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { identifiedCustomer, refuseErased } from "../customers/identified-customer.ts";
import { currentSettings } from "../organisations/settings.ts";
import { exchangeAsked } from "./exchange.ts";
import { invoiceItems } from "./invoice-items.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { makePayLinkAgain } from "./pay-link.ts";

/**
 * Changes a draft (interface 4.5, PATCH), and its pay link with it. Locks as `lockInvoiceForChange`, and the invoice
 * numbers before it for another `externalReference`. Throws 404; 400 unless it is a draft, as `createInvoice`, for
 * amounts, customer, currency and issue date of a customer subscription's draft, and for another customer or currency
 * once a payment was begun; 409 `external_reference_conflict` for the reference of another invoice, 409 `invalid_state`
 * for an erased customer.
 */
export async function changeInvoice(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: InvoicePatchBody,
): Promise<{ before: Invoice; after: Invoice }> {
  if (body.externalReference) lockNumbers(tx, "invoice");
  const locked = await lockInvoiceForChange(tx, id);
  if (!locked) throw notFound("invoice");
  const { invoice: before, links } = locked;
  requireDraft(before);
  if (before.charge !== null) refuseBilledFields(before, body);
  const customer = (await customerNamedIn(tx, body)) ?? (await refuseErased(tx, before.customer));
  const currency = body.currency ?? before.currency;
  const moved = customer.id !== before.customer.id || currency !== before.currency;
  if (moved && (await hasAnyPayment(tx, before.id)))
    throw invalid(
      `A payment of ${before.number} was begun, so its customer and currency stay. Cancel it, and create another invoice.`,
    );
  await requireFreeReference(tx, before, body.externalReference ?? null);
  const dates = {
    issueDate: body.issueDate ?? before.issueDate,
    dueDate: body.dueDate === undefined ? before.dueDate : body.dueDate,
  };
  requireDueOnceIssued(dates);
  const changed: Invoice = {
    ...before,
    ...dates,
    ...(await pricesOf(tx, before, body, dates.issueDate)),
    customer: { id: customer.id, externalReference: customer.externalReference, email: customer.email },
    currency,
    ...(await exchangeOfChange(tx, ctx, before, body, { currency, issueDate: dates.issueDate })),
    externalReference: body.externalReference === undefined ? before.externalReference : body.externalReference,
    notes: body.notes === undefined ? before.notes : body.notes,
    metadata: body.metadata ?? before.metadata,
    editedAt: ctx.now,
    updatedAt: ctx.now,
  };
  // A deposit that the new lines do not come to is all of them.
  const after: Invoice = { ...changed, deposit: cents(Math.min(changed.deposit, changed.total)) };
  saveDraft(tx, after);
  const link = links.find((candidate) => candidate.id === before.payLinkId);
  return { before, after: await withPayLink(tx, ctx, after, link ?? null) };
}

/**
 * How the draft is reckoned in rand after the change: as given, else as before, unless another currency or issue date asks for the
 * settings' rate again. Throws as `exchangeAsked`, when one of them is changed.
 */
async function exchangeOfChange(
  tx: Tx,
  ctx: Ctx,
  before: Invoice,
  { exchange }: InvoicePatchBody,
  after: Pick<Invoice, "currency" | "issueDate">,
): Promise<Pick<Invoice, "exchange" | "awaitsExchange">> {
  const moved = after.currency !== before.currency || after.issueDate !== before.issueDate;
  const { exchange: known, awaitsExchange } = before;
  if (exchange === undefined && !moved) return { exchange: known, awaitsExchange };
  const settings = await currentSettings(tx);
  if (before.charge !== null && exchange === undefined) return { exchange: known, awaitsExchange };
  const kept = exchange === undefined && after.currency === before.currency ? known : null;
  return exchangeAsked(ctx, settings, after, exchange ?? kept);
}

/** Throws 404; else 400: a number is taken when an invoice is created, and none may be missing (decisions.md#drafts-have-numbers). */
export async function refuseDeletion(tx: Tx, id: string): Promise<never> {
  const invoice = await findInvoice(tx, id);
  if (!invoice) throw notFound("invoice");
  throw invalid(
    `${invoice.number} cannot be deleted: an invoice has its number from its creation, and numbers have no gaps. Cancel it instead.`,
  );
}

/** What to do with an invoice that is no draft any more. */
const INSTEAD = {
  sent: "Cancel it and duplicate it, or correct it by a credit note.",
  overdue: "Cancel it and duplicate it, or correct it by a credit note.",
  partially_paid: "Correct it by a credit note.",
  paid: "Correct it by a credit note.",
  cancelled: "Duplicate it.",
} as const;

function requireDraft({ number, status }: Invoice): void {
  if (status !== "draft")
    throw invalid(`Invoice ${number} is ${status}, and only a draft can be changed. ${INSTEAD[status]}`);
}

/** Fields of a subscription's bill, which never changes (decisions.md#bills-never-change). */
const BILLED = ["lines", "discount", "currency", "issueDate"] as const satisfies readonly (keyof InvoicePatchBody)[];

function refuseBilledFields({ number }: Invoice, body: InvoicePatchBody): void {
  const [field] = BILLED.filter((name) => body[name] !== undefined);
  if (field === undefined && body.customerId === null && body.customer === null) return;
  throw invalid(
    `Invoice ${number} bills a subscription, so its ${field ?? "customer"} cannot be changed. ` +
      "Change the subscription, or cancel the invoice; dueDate, notes, metadata and externalReference can be changed.",
  );
}

const customerNamedIn = (tx: Tx, { customerId, customer }: InvoicePatchBody): Promise<Customer | null> =>
  customer
    ? identifiedCustomer(tx, customer, "customer")
    : identifiedCustomer(tx, customerId === null ? null : { id: customerId }, "customerId");

async function requireFreeReference(tx: Tx, { id }: Invoice, reference: string | null): Promise<void> {
  if (reference === null) return;
  const other = await invoiceOfReference(tx, reference);
  if (other && other.id !== id)
    throw new ApiError("external_reference_conflict", 409, `Invoice ${other.number} has this externalReference.`);
}

/**
 * Lines, discount and totals after the change. Nothing is computed anew unless one of them, or the currency, is changed:
 * of prices that were given with VAT the total stays to the cent.
 */
async function pricesOf(tx: Tx, before: Invoice, body: InvoicePatchBody, issueDate: Invoice["issueDate"]) {
  if (body.lines === undefined && body.discount === undefined && body.currency === undefined) return {};
  const items = body.lines ? invoiceItems(await currentSettings(tx), body.lines, issueDate) : before.lines;
  const discount = body.discount === undefined ? before.discount : body.discount;
  return {
    ...priceLines(items, false, "lines", body.currency ?? before.currency, discount),
    taxInclusive: false,
  };
}

/** The invoice with a link that collects its balance: the present one while nothing that it says has changed. */
async function withPayLink(tx: Tx, ctx: Ctx, invoice: Invoice, link: PaymentLink | null): Promise<Invoice> {
  if (
    link &&
    link.amount === amountDue(invoice) &&
    link.currency === invoice.currency &&
    link.customerId === invoice.customer.id &&
    link.externalReference === invoice.externalReference
  )
    return invoice;
  if (link) deactivatePaymentLink(tx, link.id);
  return makePayLinkAgain(tx, ctx, invoice);
}
