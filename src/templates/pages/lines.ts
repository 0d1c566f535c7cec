import type { Decimal } from "../../kernel/decimal.ts";
import { type Cents, formatMoney, roundToCents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { dayInWords } from "../../kernel/wording.ts";
import { type Html, html } from "../html.ts";
import { facts, money } from "./parts.ts";

/** A line as the customer reads it; price and amount are with VAT when the document is tax-inclusive, else without. */
export interface ShownLine {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly amount: Cents;
  readonly periodStart: BusinessDay | null;
  readonly periodEnd: BusinessDay | null;
}

/** A quote or an invoice, as far as its lines and sums go. */
export interface PricedDocument {
  readonly currency: string;
  readonly taxInclusive: boolean;
  readonly lines: readonly ShownLine[];
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

/** `1 March 2026 to 31 March 2026`. */
export const periodInWords = (start: BusinessDay, end: BusinessDay): string =>
  `${dayInWords(start)} to ${dayInWords(end)}`;

/** What is asked for, line by line; a rate that differs from line to line is told with each. */
export function lineList(
  heading: string | null,
  { lines, currency }: Pick<PricedDocument, "lines" | "currency">,
): Html {
  // A rate that all share is told once, below.
  const ratesDiffer = new Set(lines.map(({ taxRate }) => taxRate)).size > 1;
  const items = lines.map((line) => {
    const bits = [
      line.quantity === "1" ? null : `${line.quantity} × ${priceInWords(line.unitPrice, currency)}`,
      ratesDiffer ? (line.taxRate === "0" ? "no VAT" : `${line.taxRate}% VAT`) : null,
      line.periodStart && line.periodEnd ? periodInWords(line.periodStart, line.periodEnd) : null,
    ].filter((bit) => bit !== null);
    return html`<li><span class="name" dir="auto">${line.description}</span>${money(line.amount, currency)}
${line.details ? html`<p class="small whole lines" dir="auto">${line.details}</p>` : ""}
${bits.length > 0 ? html`<span class="small bits whole">${bits.map((bit) => html`<span>${bit}</span>`)}</span>` : ""}</li>`;
  });
  return html`<section>${heading === null ? "" : html`<h2>${heading}</h2>`}<ul class="rows">${items}</ul></section>`;
}

/** With every decimal it has: a price may be finer than a cent. */
function priceInWords(price: Decimal, currency: string): string {
  const [whole = "0", fraction = ""] = price.split(".");
  return formatMoney(roundToCents(`${whole}.${fraction.slice(0, 2)}`), currency) + fraction.slice(2);
}

/** VAT and total, and then what `more` there is to say of them. */
export function sums(
  { lines, currency, taxInclusive, subtotal, tax, total }: PricedDocument,
  more: Html | null = null,
): Html {
  const [first, ...others] = new Set(lines.map(({ taxRate }) => taxRate));
  const vat = first === undefined || first === "0" || others.length > 0 ? "VAT" : `VAT at ${first}%`;
  const rows = taxInclusive
    ? [{ term: `Included ${vat}`, value: money(tax, currency) }]
    : [
        { term: "Subtotal", value: money(subtotal, currency) },
        { term: vat, value: money(tax, currency) },
      ];
  return html`<section class="sums">${tax === 0 ? "" : facts(rows)}
<p class="bar total"><span>Total</span>${money(total, currency)}</p>${more}</section>`;
}
