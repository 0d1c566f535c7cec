import { assert } from "../../kernel/assert.ts";
import { unitOf } from "../../kernel/currency.ts";
import { netLine, totalsOf, vatWithin } from "../../kernel/lines.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { vatRateOn } from "../../modules/organisations/rules.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { setInvoice } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { applyPayment } from "../invoices/apply-payment.ts";
import { insertDraft } from "../invoices/create-invoice.ts";
import { exchangeKnown } from "../invoices/exchange.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { LockedPurpose } from "../payments/purpose.ts";

/**
 * Makes the invoice that a collected charge of a recurring link for an invoice pays: one of its own for the next
 * period, with the lines of the first one (interface 4.7). Locks the invoice numbers and the balance of the invoice's
 * customer, before the payment. Null when the amount differs from the invoice's total.
 */
export async function periodInvoice(
  tx: Tx,
  ctx: Ctx,
  invoiceId: string,
  { amount, paidAt }: Transaction,
): Promise<Required<Pick<LockedPurpose, "split" | "complete" | "changes" | "customerId">> | null> {
  if (paidAt !== null) return null;
  lockNumbers(tx, "invoice");
  lockCustomerBalanceOfInvoice(tx, invoiceId);
  const first = await findInvoice(tx, invoiceId);
  assert(first, "the invoice of a subscription stays");
  if (first.total !== amount) return null;
  let made: Invoice | null = null;
  return {
    customerId: first.customer.id,
    split: async () => ({ applied: amount, overpaid: ZERO, vat: ZERO }),
    async complete(payment) {
      made = await payNewInvoice(tx, ctx, first, payment);
      setInvoice(tx, payment.id, made.id);
    },
    changes: () => (made ? { invoiceId: made.id } : {}),
  };
}

/**
 * The lines of the first invoice, supplied today: those at the standard rate of its day get today's. The gateway
 * collects the same total, so the total includes the VAT; the prices are then those after all discounts.
 */
function linesOn(
  settings: Settings,
  { currency, issueDate, lines, discount }: Invoice,
  today: CalendarDay,
): Pick<Invoice, "lines" | "discount"> {
  const [before, taxRate] = [vatRateOn(settings, issueDate), vatRateOn(settings, today)];
  if (before === taxRate) return { lines, discount };
  const anew = lines.map((whole) => {
    const { discount: _given, taken, ...line } = whole;
    const amount = cents(line.amount + line.tax);
    if (line.taxRate !== before || before === NO_VAT || line.taxExempt)
      return taken ? netLine({ ...line, amount }) : line;
    return netLine({ ...line, taxRate, amount, tax: vatWithin(amount, taxRate, unitOf(currency)) });
  });
  return { lines: anew, discount: null };
}

const NO_VAT = "0";

async function payNewInvoice(tx: Tx, ctx: Ctx, first: Invoice, payment: Transaction): Promise<Invoice> {
  const today = calendarDay(ctx.now);
  const settings = await currentSettings(tx);
  const priced = linesOn(settings, first, today);
  const invoice = await insertDraft(tx, ctx, {
    ...totalsOf(priced.lines, false),
    ...priced,
    customer: first.customer,
    currency: first.currency,
    ...exchangeKnown(settings, { currency: first.currency, issueDate: today }),
    issueDate: today,
    dueDate: today,
    taxInclusive: first.taxInclusive,
    notes: first.notes,
    metadata: first.metadata,
    externalReference: null,
    periodStart: null,
    periodEnd: null,
    charge: null,
    cycle: null,
    quoteId: null,
  });
  return applyPayment(tx, ctx, invoice, {
    id: newId("ipm"),
    source: "transaction",
    subject: payment.id,
    amount: payment.amount,
    paidAt: ctx.now,
  });
}
