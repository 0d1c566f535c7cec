import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { PricedDocument } from "../document.ts";
import { DEPOSIT, discountRow, linesInWords } from "../wording.ts";
import type { Block } from "./layout.ts";

const LINES_SHOWN = 10;

/** Block with the first lines of a document and its sums; `after` are further sums below the total, such as the open amount. */
export function pricedLines(document: PricedDocument, after: readonly (readonly [string, Cents])[] = []): Block {
  const { lines, currency, taxInclusive, subtotal, tax, total } = document;
  const off = discountRow(document);
  const beforeTotal: [string, Cents][] = [
    ["Subtotal", subtotal],
    ["VAT", tax],
  ];
  const sums = [
    ...(tax === 0 || taxInclusive ? [] : beforeTotal),
    [totalWords(document), total] as const,
    ...after,
    ...depositOf(document),
  ];
  return {
    kind: "lines",
    items: linesInWords({ lines: lines.slice(0, LINES_SHOWN), currency }).map(
      ({ times, description, amount, details, discount }) => [
        times ? `${times} ${description}` : description,
        amount,
        [discount, details].filter((text) => text !== null).join(". ") || null,
      ],
    ),
    more: Math.max(0, lines.length - LINES_SHOWN),
    sums: [
      ...(off ? [[off.label, off.amount] as const] : []),
      ...sums.map(([term, amount]) => [term, formatMoney(amount, currency)] as const),
    ],
  };
}

const depositOf = ({ deposit }: PricedDocument) => (deposit ? [[DEPOSIT, deposit] as const] : []);

const totalWords = ({ tax, taxInclusive, currency }: PricedDocument): string =>
  taxInclusive && tax > 0 ? `Total, with ${formatMoney(tax, currency)} VAT` : "Total";
