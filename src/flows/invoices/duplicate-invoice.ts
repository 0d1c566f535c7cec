import { assert } from "../../kernel/assert.ts";
import { type Decimal, toNumber } from "../../kernel/decimal.ts";
import { notFound } from "../../kernel/errors.ts";
import { type LineItem, priceLines } from "../../kernel/lines.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { isRegisteredOn } from "../../kernel/vat-rates.ts";
import { datesAsked, notesWithoutReason } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice, InvoiceLine } from "../../modules/invoices/types.ts";
import { exchangeOf, vatRateOn, vatTimeline } from "../../modules/organisations/rules.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { identifiedCustomer } from "../customers/identified-customer.ts";
import { currentSettings } from "../organisations/settings.ts";
import { insertDraft } from "./create-invoice.ts";
import { exchangeAsked } from "./exchange.ts";

/**
 * Creates a draft with the customer, lines, discounts, notes and metadata of an invoice (interface 4.5, duplicate), dated
 * today; without its reference and its periods, which were billed. Locks the invoice numbers. Throws 404; 400 for an
 * inactive customer, and as `exchangeAsked` when neither the settings nor the invoice have a rate; 409 `invalid_state` for an erased one.
 */
export async function duplicateInvoice(tx: Tx, ctx: Ctx, id: string): Promise<Invoice> {
  const [of, settings] = await Promise.all([findInvoice(tx, id), currentSettings(tx)]);
  if (!of) throw notFound("invoice");
  const customer = await identifiedCustomer(tx, { id: of.customer.id }, "customerId");
  assert(customer, "the customer of an invoice exists");
  const today = calendarDay(ctx.now);
  return insertDraft(tx, ctx, {
    ...pricesOn(settings, of, today),
    customer,
    currency: of.currency,
    ...exchangeAsked(
      ctx,
      settings,
      { currency: of.currency, issueDate: today },
      exchangeOf(settings, of.currency) ?? of.exchange,
    ),
    ...datesAsked({ issueDate: null, dueDate: null }, today, settings.dueDays),
    notes: notesWithoutReason(of),
    metadata: of.metadata,
    externalReference: null,
    periodStart: null,
    periodEnd: null,
    charge: null,
    cycle: null,
    quoteId: null,
  });
}

/** The lines with their totals, supplied today. They are computed anew only where a rate of VAT has changed. */
function pricesOn(settings: Settings, of: Invoice, today: CalendarDay) {
  const { subtotal, tax, total, taxInclusive, discount } = of;
  const lines = of.lines.map(({ reason: _, ...line }) => ({ ...line, periodStart: null, periodEnd: null }));
  const items = lines.map((line): LineItem => ({ ...line, taxRate: rateOn(settings, of.issueDate, line, today) }));
  if (items.every(({ taxRate }, place) => taxRate === lines[place]?.taxRate))
    return { lines, subtotal, tax, total, taxInclusive, discount };
  return { ...priceLines(items, false, "lines", of.currency, discount), taxInclusive: false };
}

/** The rate of a line today: the standard rate when it had that of its day, none while nobody may charge VAT, else its own. */
function rateOn(
  settings: Settings,
  day: CalendarDay,
  { taxRate, taxExempt }: InvoiceLine,
  today: CalendarDay,
): Decimal {
  if (taxExempt || toNumber(taxRate) === 0) return taxRate;
  if (!isRegisteredOn(vatTimeline(settings), today)) return "0" as Decimal;
  return taxRate === vatRateOn(settings, day) ? vatRateOn(settings, today) : taxRate;
}
