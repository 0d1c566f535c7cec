import { assert } from "../../kernel/assert.ts";
import { unitOf } from "../../kernel/currency.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import { exemption } from "../../kernel/exemption.ts";
import { netLine, priceLines } from "../../kernel/lines.ts";
import { type Cents, toDecimalText } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { rateOfLine } from "../../modules/organisations/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { insertWithNumbers } from "./create-invoice.ts";
import { exchangeAsked } from "./exchange.ts";
import { issueInvoices } from "./issue-invoice.ts";

/** A sale whose money came before its invoice. */
export interface PaidSale {
  readonly customer: Pick<Customer, "id" | "externalReference" | "email">;
  readonly description: string;
  /** Including VAT. */
  readonly amount: Cents;
  readonly currency: string;
  /** The day of the sale, on which its invoice is issued and due. */
  readonly day: CalendarDay;
  readonly taxRate: number | null;
  readonly taxExempt: boolean | null;
  /** Where the request states the sale, for errors. */
  readonly path: readonly (string | number)[];
}

/**
 * Issues the invoice of a sale whose payment the caller records next, in the same transaction: it is not mailed, and
 * uses no credit of the customer. Locks the invoice numbers and the customer's balance. Throws 400 for a rate of VAT
 * that the organisation may not charge on the day, and as `exchangeAsked`.
 */
export async function invoicePaidSale(tx: Tx, ctx: Ctx, sale: PaidSale): Promise<Invoice> {
  const { customer, description, amount, currency, day, taxRate, taxExempt, path } = sale;
  const settings = await currentSettings(tx);
  const line = {
    description,
    details: null,
    quantity: decimalOf("1"),
    unitPrice: decimalOf(toDecimalText(amount)),
    taxRate: rateOfLine(settings, day, { taxRate, taxExempt }, path),
    ...exemption(taxExempt),
    periodStart: null,
    periodEnd: null,
  };
  const priced = priceLines([line], true, "lines", currency);
  const { invoices } = await insertWithNumbers(tx, ctx, [
    {
      status: "sent",
      ...priced,
      lines: priced.lines.map((one) => netLine(one, unitOf(currency))),
      customer,
      currency,
      ...exchangeAsked(ctx, settings, { currency, issueDate: day }, null),
      issueDate: day,
      dueDate: day,
      taxInclusive: true,
      notes: settings.invoiceTerms,
      metadata: {},
      externalReference: null,
      periodStart: null,
      periodEnd: null,
      charge: null,
      cycle: null,
      quoteId: null,
    },
  ]);
  const [invoice] = invoices;
  assert(invoice, "one invoice is inserted");
  await issueInvoices(tx, ctx, invoices);
  return invoice;
}
