import { assert } from "../../kernel/assert.ts";
import type { Discount } from "../../kernel/discounts.ts";
import { invalid } from "../../kernel/errors.ts";
import type { Exchange } from "../../kernel/exchange.ts";
import type { QuoteId } from "../../kernel/ids.ts";
import { priceLines, type Totals } from "../../kernel/lines.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import { type Cents, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import type { CustomerCredit } from "../../modules/books/store.ts";
import { type CustomerIdentifier, findCustomerAndSettings } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers, takeNumbers } from "../../modules/document-numbers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { datesAsked } from "../../modules/invoices/rules.ts";
import type { InvoiceCreateBody } from "../../modules/invoices/schema.ts";
import { insertInvoices, invoiceOfReference } from "../../modules/invoices/store.ts";
import type { Invoice, InvoiceCharge, InvoiceLine } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { namedBy, requireCustomer } from "../customers/identified-customer.ts";
import { knownSettings } from "../organisations/settings.ts";
import { alertAwaiting, exchangeAsked } from "./exchange.ts";
import { invoiceItems } from "./invoice-items.ts";
import { postInvoices } from "./issue-invoice.ts";
import { withPayLinks } from "./pay-link.ts";
import { issueAndMail } from "./send-invoice.ts";

/** An invoice before it has a number. The amounts of its lines exclude VAT. */
export interface NewInvoice extends Totals {
  readonly status: "draft" | "sent";
  readonly customer: Pick<Customer, "id" | "externalReference" | "email">;
  readonly currency: string;
  readonly exchange: Exchange | null;
  readonly awaitsExchange: boolean;
  readonly issueDate: CalendarDay;
  readonly dueDate: CalendarDay | null;
  readonly taxInclusive: boolean;
  readonly lines: readonly InvoiceLine[];
  readonly discount: Discount | null;
  /** As in `Invoice`; 0 when absent. */
  readonly deposit?: Cents;
  readonly notes: string | null;
  readonly metadata: Metadata;
  readonly externalReference: string | null;
  readonly periodStart: CalendarDay | null;
  readonly periodEnd: CalendarDay | null;
  readonly charge: InvoiceCharge | null;
  readonly cycle: number | null;
  readonly quoteId: QuoteId | null;
  /** As in `PaymentLink`, for its pay link; false when absent. */
  readonly keepsCard?: boolean;
}

/**
 * Inserts invoices with their numbers, in order, and, where possible, their pay links, in one statement for each table.
 * Returns them with the credit of the customers of those that are not drafts. Locks the invoice numbers and, unless all
 * are drafts, the balances of their customers.
 */
export async function insertWithNumbers(
  tx: Tx,
  ctx: Ctx,
  given: readonly NewInvoice[],
  gatewayAccounts: Promise<readonly GatewayAccount[]> = listGatewayAccounts(tx),
): Promise<{ invoices: readonly Invoice[]; credits: readonly CustomerCredit[] }> {
  const [numbers, accounts] = await Promise.all([takeNumbers(tx, "invoice", given.length), gatewayAccounts]);
  const numbered = given.map(({ keepsCard: _, ...one }, place): Invoice => {
    const sentAt = one.status === "sent" ? ctx.now : null;
    const { id, externalReference, email } = one.customer;
    return {
      ...one,
      customer: { id, externalReference, email },
      id: newId("inv"),
      number: numbers[place] ?? "",
      paid: ZERO,
      payLinkId: null,
      deposit: one.deposit ?? ZERO,
      issuedAt: sentAt,
      editedAt: null,
      sentAt,
      paidAt: null,
      cancelledAt: null,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
  });
  // Posted before they are inserted: the balances of the customers are locked first.
  const credits = postInvoices(
    tx,
    ctx,
    numbered.filter(({ status }) => status === "sent"),
  );
  insertInvoices(tx, numbered);
  await alertAwaiting(tx, ctx, numbered);
  const toLink = numbered.map((invoice, place) => ({ invoice, keepsCard: given[place]?.keepsCard ?? false }));
  const invoices = withPayLinks(tx, ctx, toLink, accounts);
  return { invoices, credits: await credits };
}

/** Like `insertWithNumbers`, for one draft. */
export async function insertDraft(tx: Tx, ctx: Ctx, given: Omit<NewInvoice, "status">): Promise<Invoice> {
  const [draft] = (await insertWithNumbers(tx, ctx, [{ ...given, status: "draft" }])).invoices;
  assert(draft, "one invoice is inserted");
  return draft;
}

/**
 * Creates an invoice (interface 4.5, POST /invoices). When an invoice with the `externalReference` exists, returns that
 * one unchanged. Throws 400 `invalid_request` for an unknown customer, for no customer or two, for lines whose total is
 * not positive, and for a due date before the issue date; as `exchangeAsked` in another currency than the rand, unless
 * `reckoned` decides its rate otherwise.
 */
export async function createInvoice(
  tx: Tx,
  ctx: Ctx,
  body: InvoiceCreateBody,
  reckoned: typeof exchangeAsked = exchangeAsked,
): Promise<{ invoice: Invoice; created: boolean }> {
  const identifier = identifierIn(body);
  // This lock also protects the reference. Separate locks for each reference would be taken in different orders by the
  // processes that gather creations.
  if (body.externalReference !== null) lockNumbers(tx, "invoice");
  const accounts = listGatewayAccounts(tx);
  const [existing, found] = await Promise.all([
    body.externalReference === null ? null : invoiceOfReference(tx, body.externalReference),
    findCustomerAndSettings(tx, identifier),
    accounts,
  ]);
  if (existing) return { invoice: existing, created: false };
  const customer = await requireCustomer(
    tx,
    found?.customer ?? null,
    body.customer ? "customer" : "customerId",
    namedBy(identifier),
  );
  const settings = knownSettings(tx, found?.settings);
  const today = calendarDay(ctx.now);
  const dates = datesAsked(body, today, settings.dueDays);
  const items = invoiceItems(settings, body.lines, dates.issueDate);
  const status = body.send ? "sent" : "draft";
  const currency = body.currency ?? DEFAULT_CURRENCY;
  const given: NewInvoice = {
    status,
    ...priceLines(items, false, "lines", currency, body.discount),
    customer,
    currency,
    ...reckoned(ctx, settings, { currency, issueDate: dates.issueDate }, body.exchange),
    ...dates,
    taxInclusive: false,
    notes: body.notes || settings.invoiceTerms,
    metadata: body.metadata ?? {},
    externalReference: body.externalReference,
    periodStart: null,
    periodEnd: null,
    charge: null,
    cycle: null,
    quoteId: null,
  };
  const { invoices, credits } = await insertWithNumbers(tx, ctx, [given], accounts);
  const [invoice] = body.send ? await issueAndMail(tx, ctx, invoices, credits) : invoices;
  assert(invoice, "one invoice is inserted");
  return { invoice, created: true };
}

function identifierIn({ customerId, customer }: InvoiceCreateBody): CustomerIdentifier {
  if ((customerId === null) === (customer === null)) throw invalid("Send exactly one of customerId and customer.");
  return customer ?? { id: customerId };
}
