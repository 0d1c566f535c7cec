import { toDecimal } from "../../kernel/decimal.ts";
import { netLine, priceLines } from "../../kernel/lines.ts";
import { ZERO } from "../../kernel/money.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { vatRateOn } from "../../modules/organisations/rules.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfInvoice, type PricedDocument } from "../../templates/document.ts";
import type { InvoiceDocument, Recipient } from "../../templates/printed.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { bankFor, supplierOf } from "./parties.ts";

const sampleNumber = ({ documentNumbers }: Settings): string => `${documentNumbers.invoicePrefix}SAMPLE`;

/** The supplied goods, at prices in rand that include VAT if the settings say so. */
const SUPPLIED = [
  { description: "Monthly plan", quantity: 1, unitPrice: 1200 },
  { description: "Hours of support", quantity: 2.5, unitPrice: 480 },
];

const RECIPIENT: Recipient = {
  name: "Thandi Nkosi",
  company: "Sample Customer (Pty) Ltd",
  address: "12 Example Street\nGardens\nCape Town\n8001",
  vatNumber: null,
  email: "thandi@example.co.za",
};

/**
 * A sample invoice that is sent today to an invented customer, by the settings of the transaction. Nobody gets it, and
 * it is not stored.
 */
export async function sampleInvoice(tx: Tx, { now }: Ctx): Promise<PricedDocument> {
  const settings = await currentSettings(tx);
  const { taxInclusivePrices, dueDays, invoiceTerms } = settings;
  const today = calendarDay(now);
  const taxRate = vatRateOn(settings, today);
  const items = SUPPLIED.map(({ description, quantity, unitPrice }) => ({
    ...{ description, quantity: toDecimal(quantity), unitPrice: toDecimal(unitPrice), taxRate },
    ...{ details: null, periodStart: null, periodEnd: null },
  }));
  const { lines, ...totals } = priceLines(items, taxInclusivePrices, "lines");
  return documentOfInvoice({
    ...totals,
    number: sampleNumber(settings),
    currency: DEFAULT_CURRENCY,
    issueDate: today,
    dueDate: addDays(today, dueDays),
    lines: taxInclusivePrices ? lines.map((line) => netLine(line)) : lines,
    periodStart: null,
    periodEnd: null,
    paid: ZERO,
    notes: invoiceTerms,
  });
}

/** `sampleInvoice` as its PDF shows it. `logo` is a decoded logo that is not stored yet. */
export async function sampleInvoiceDocument(
  tx: Tx,
  ctx: Ctx,
  payUrl: string,
  logo: Buffer | null,
): Promise<InvoiceDocument> {
  const [invoice, supplier, bank] = await Promise.all([
    sampleInvoice(tx, ctx),
    supplierOf(tx, ctx),
    bankFor(tx, ctx, DEFAULT_CURRENCY, sampleNumber(await currentSettings(tx))),
  ]);
  return {
    ...invoice,
    supplier: logo ? { ...supplier, logo: logo.length > 0 ? logo : null } : supplier,
    recipient: RECIPIENT,
    sandbox: ctx.organisation.sandbox,
    status: "sent",
    externalReference: null,
    payUrl,
    bank,
  };
}
