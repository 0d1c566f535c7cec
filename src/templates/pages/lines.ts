import type { PricedDocument } from "../document.ts";
import { type Html, html } from "../html.ts";
import { linesInWords, periodInWords, ratesDiffer, vatInWords } from "../wording.ts";
import { facts, money } from "./parts.ts";

/** List of a document's lines. Each line shows its VAT rate when the rates differ. */
export function lineList(heading: string | null, document: Pick<PricedDocument, "lines" | "currency">): Html {
  // One rate for all lines is shown once, with the sums.
  const withVat = ratesDiffer(document.lines);
  const items = linesInWords(document).map(({ description, details, times, unitPrice, vat, amount, period }) => {
    const bits = [times && `${times} ${unitPrice}`, withVat ? vat : null, period && periodInWords(period)].filter(
      (bit) => bit !== null,
    );
    return html`<li><span class="name" dir="auto">${description}</span><span class="money">${amount}</span>
${details ? html`<p class="small whole lines" dir="auto">${details}</p>` : ""}
${bits.length > 0 ? html`<span class="small bits whole">${bits.map((bit) => html`<span>${bit}</span>`)}</span>` : ""}</li>`;
  });
  return html`<section>${heading === null ? "" : html`<h2>${heading}</h2>`}<ul class="rows">${items}</ul></section>`;
}

/** VAT and total, then `more`. */
export function sums(document: PricedDocument, more: Html | null = null): Html {
  const { currency, taxInclusive, subtotal, tax, total } = document;
  const vat = vatInWords(document);
  const rows = taxInclusive
    ? [{ term: `Included ${vat}`, value: money(tax, currency) }]
    : [
        { term: "Subtotal", value: money(subtotal, currency) },
        { term: vat, value: money(tax, currency) },
      ];
  return html`<section class="sums">${tax === 0 ? "" : facts(rows)}
<p class="bar total"><span>Total</span>${money(total, currency)}</p>${more}</section>`;
}
