import type { Decimal } from "../../kernel/decimal.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Block } from "./layout.ts";

/** What an invoice or a quote charges. */
export interface PricedFacts {
  readonly currency: string;
  /** `amount` is with VAT when the document is tax-inclusive, else without. */
  readonly lines: readonly { readonly description: string; readonly quantity: Decimal; readonly amount: Cents }[];
  readonly taxInclusive: boolean;
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

const LINES_SHOWN = 10;

/** The first lines and what all come to; `after` is what follows from the total, such as what is left to pay. */
export function pricedLines(facts: PricedFacts, after: readonly (readonly [string, Cents])[] = []): Block {
  const { lines, currency, subtotal, tax, total } = facts;
  const beforeTotal: [string, Cents][] = [
    ["Subtotal", subtotal],
    ["VAT", tax],
  ];
  const sums = [...(tax === 0 || facts.taxInclusive ? [] : beforeTotal), [totalWords(facts), total] as const, ...after];
  return {
    kind: "lines",
    items: lines
      .slice(0, LINES_SHOWN)
      .map(({ description, quantity, amount }) => [
        quantity === "1" ? description : `${quantity} × ${description}`,
        formatMoney(amount, currency),
      ]),
    more: Math.max(0, lines.length - LINES_SHOWN),
    sums: sums.map(([term, amount]) => [term, formatMoney(amount, currency)]),
  };
}

const totalWords = ({ tax, taxInclusive, currency }: PricedFacts): string =>
  taxInclusive && tax > 0 ? `Total, with ${formatMoney(tax, currency)} VAT` : "Total";
