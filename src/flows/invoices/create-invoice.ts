import { toDecimal } from "../../kernel/decimal.ts";
import { invalid } from "../../kernel/errors.ts";
import { newId, type QuoteId } from "../../kernel/ids.ts";
import { type PricedLine, priceLines, type Totals } from "../../kernel/lines.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import { ZERO } from "../../kernel/money.ts";
import { addDays, type BusinessDay, businessDay } from "../../kernel/time.ts";
import { lockCustomerBalance } from "../../modules/books/store.ts";
import { findIdentifiedCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers, takeNumber } from "../../modules/document-numbers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { InvoiceCreateBody } from "../../modules/invoices/schema.ts";
import { insertInvoice, invoiceOfReference } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { requireCustomer } from "../customers/identified-customer.ts";
import { currentSettings } from "../organisations/settings.ts";
import { makePayLink } from "./pay-link.ts";
import { issueAndMail } from "./send-invoice.ts";

/** An invoice before it has a number. The amounts of its lines exclude VAT. */
interface NewInvoice extends Totals {
  readonly status: "draft" | "sent";
  readonly customer: Pick<Customer, "id" | "externalReference" | "email">;
  readonly currency: string;
  readonly issueDate: BusinessDay;
  readonly dueDate: BusinessDay | null;
  readonly taxInclusive: boolean;
  readonly lines: readonly PricedLine[];
  readonly notes: string | null;
  readonly metadata: Metadata;
  readonly externalReference: string | null;
  readonly periodStart: BusinessDay | null;
  readonly periodEnd: BusinessDay | null;
  readonly quoteId: QuoteId | null;
}

/**
 * Inserts the invoice with its number and, where one is possible, its pay link. Locks the invoice numbers and, unless it is a
 * draft, the customer's balance.
 */
export async function insertWithNumber(tx: Tx, ctx: Ctx, given: NewInvoice): Promise<Invoice> {
  const { id: customerId, externalReference, email } = given.customer;
  const [number, accounts] = await Promise.all([takeNumber(tx, "invoice"), listGatewayAccounts(tx)]);
  const sentAt = given.status === "sent" ? ctx.now : null;
  if (sentAt) lockCustomerBalance(tx, customerId, given.currency);
  const numbered: Invoice = {
    ...given,
    customer: { id: customerId, externalReference, email },
    id: newId("inv"),
    number,
    paid: ZERO,
    payLinkId: null,
    issuedAt: sentAt,
    sentAt,
    paidAt: null,
    cancelledAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertInvoice(tx, numbered);
  return { ...numbered, payLinkId: makePayLink(tx, ctx, numbered, accounts) };
}

/**
 * Creates an invoice (interface 4.5, POST /invoices). When an invoice with the `externalReference` exists, returns that one
 * unchanged. Throws 400 `invalid_request` for an unknown customer, for none or two, and for lines whose total is not positive.
 */
export async function createInvoice(
  tx: Tx,
  ctx: Ctx,
  body: InvoiceCreateBody,
): Promise<{ invoice: Invoice; created: boolean }> {
  // This lock also serves the reference. A lock for each reference would be taken in different orders by the processes that gather
  // creations.
  if (body.externalReference !== null) lockNumbers(tx, "invoice");
  const [existing, named, settings] = await Promise.all([
    body.externalReference === null ? null : invoiceOfReference(tx, body.externalReference),
    customerNamedIn(tx, body),
    currentSettings(tx),
  ]);
  if (existing) return { invoice: existing, created: false };
  const customer = requireCustomer(named, body.customer ? "customer" : "customerId");
  const today = businessDay(ctx.now);
  const items = body.lines.map((line) => ({
    ...line,
    taxRate: toDecimal(line.taxRate ?? settings.vatRate),
    details: null,
    periodStart: null,
    periodEnd: null,
  }));
  const status = body.send ? "sent" : "draft";
  const invoice = await insertWithNumber(tx, ctx, {
    status,
    ...priceLines(items, false, "lines"),
    customer,
    currency: body.currency ?? DEFAULT_CURRENCY,
    issueDate: body.issueDate ?? today,
    dueDate: body.dueDate ?? addDays(today, settings.dueDays),
    taxInclusive: false,
    notes: body.notes || settings.invoiceTerms,
    metadata: body.metadata ?? {},
    externalReference: body.externalReference,
    periodStart: null,
    periodEnd: null,
    quoteId: null,
  });
  return { invoice: body.send ? await issueAndMail(tx, ctx, invoice, true) : invoice, created: true };
}

async function customerNamedIn(tx: Tx, { customerId, customer }: InvoiceCreateBody): Promise<Customer | null> {
  if ((customerId === null) === (customer === null)) throw invalid("Send exactly one of customerId and customer.");
  return findIdentifiedCustomer(tx, customer ?? { id: customerId });
}
