import type { PricedDocument } from "../document.ts";
import { type Html, html } from "../html.ts";
import { DEPOSIT, discountRow, linesInWords, periodInWords, ratesDiffer, vatInWords } from "../wording.ts";
import { facts, money } from "./parts.ts";

/** List of a document's lines. Each line shows its VAT rate when the rates differ. */
export function lineList(heading: string | null, document: Pick<PricedDocument, "lines" | "currency">): Html {
  // One rate for all lines is shown once, with the sums.
  const withVat = ratesDiffer(document.lines);
  const items = linesInWords(document).map(
    ({ description, details, times, unitPrice, discount, vat, amount, period }) => {
      // A discount is taken off the price, which is shown with it.
      const price = times ? `${times} ${unitPrice}` : discount && unitPrice;
      const bits = [price, discount, withVat ? vat : null, period && periodInWords(period)].filter(
        (bit) => bit !== null,
      );
      return html`<li><span class="name" dir="auto">${description}</span><span class="money">${amount}</span>
${details ? html`<p class="small whole lines" dir="auto">${details}</p>` : ""}
${bits.length > 0 ? html`<span class="small bits whole">${bits.map((bit) => html`<span>${bit}</span>`)}</span>` : ""}</li>`;
    },
  );
  return html`<section>${heading === null ? "" : html`<h2>${heading}</h2>`}<ul class="rows">${items}</ul></section>`;
}

/** The document's discount, VAT and total, then `more`. */
export function sums(document: PricedDocument, more: Html | null = null): Html {
  const { currency, taxInclusive, subtotal, tax, total } = document;
  const vat = vatInWords(document);
  const off = discountRow(document);
  const before = off ? [{ term: off.label, value: html`<span class="money">${off.amount}</span>` }] : [];
  const taxed = taxInclusive
    ? [{ term: `Included ${vat}`, value: money(tax, currency) }]
    : [
        { term: "Subtotal", value: money(subtotal, currency) },
        { term: vat, value: money(tax, currency) },
      ];
  const rows = tax === 0 ? before : [...before, ...taxed];
  return html`<section class="sums">${rows.length === 0 ? "" : facts(rows)}
<p class="bar total"><span>Total</span>${money(total, currency)}</p>${more}
${document.deposit ? facts([{ term: DEPOSIT, value: money(document.deposit, currency) }]) : ""}</section>`;
}
