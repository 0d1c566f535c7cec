import { appendEvent } from "../../events/outbox.ts";
import { invalid } from "../../kernel/errors.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { INVOICE_CREATED } from "../../modules/invoices/declarations.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { QUOTE_INVOICED } from "../../modules/quotes/declarations.ts";
import { invoiceLines } from "../../modules/quotes/rules.ts";
import { moveQuote } from "../../modules/quotes/states.ts";
import { saveQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { refuseErased, requireActiveAgain } from "../customers/identified-customer.ts";
import { insertDraft } from "../invoices/create-invoice.ts";
import { exchangeKnown } from "../invoices/exchange.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";
import { currentSettings } from "../organisations/settings.ts";
import { appendQuoteEvent, lockCurrentQuote, scheduleExpiry } from "./quote-steps.ts";

/**
 * Converts a quote (interface 4.6, convert) into a draft invoice dated today, with the quote's lines, period and
 * currency, and its notes, else the organisation's invoice terms. Locks the quote and the invoice numbers. Throws 404;
 * 400 for a quote that is declined or invoiced; 409 for an erased customer.
 */
export async function convertQuote(
  tx: Tx,
  ctx: Ctx,
  key: string,
  dueDays: number | null,
): Promise<{ before: Quote; after: Quote; invoice: Invoice }> {
  const [before, settings] = await Promise.all([lockCurrentQuote(tx, ctx, key), currentSettings(tx)]);
  const status = moveQuote(before.status, "convert");
  if (status === null) throw invalid(`Quote ${before.number} is ${before.status}, so it cannot be converted.`);
  await refuseErased(tx, before.customer);
  await requireActiveAgain(tx, before.customer);
  const { customer, currency, subtotal, tax, total, taxInclusive, periodStart, periodEnd } = before;
  const today = calendarDay(ctx.now);
  const invoice = await insertDraft(tx, ctx, {
    customer,
    currency,
    ...exchangeKnown(settings, { currency, issueDate: today }),
    subtotal,
    tax,
    total,
    taxInclusive,
    ...invoiceLines(before),
    deposit: before.depositAmount,
    issueDate: today,
    dueDate: addDays(today, dueDays ?? settings.dueDays),
    notes: before.notes ?? settings.invoiceTerms,
    metadata: {},
    externalReference: null,
    periodStart,
    periodEnd,
    charge: null,
    cycle: null,
    quoteId: before.id,
  });
  const { id, number, status: invoiceStatus, externalReference } = invoice;
  const converted = { id, number, status: invoiceStatus, externalReference };
  const after: Quote = { ...before, status, invoice: converted, updatedAt: ctx.now };
  saveQuote(tx, after);
  scheduleExpiry(tx, after);
  appendQuoteEvent(tx, ctx, QUOTE_INVOICED, after);
  appendEvent(tx, ctx.now, INVOICE_CREATED, id, invoiceObject(ctx, invoice));
  return { before, after, invoice };
}
