import { html } from "ghtml";
import type { Decimal } from "../../../kernel/decimal.ts";
import { type Cents, formatMoney, roundToCents } from "../../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../../kernel/time.ts";
import { dayInWords, momentInWords } from "../../../kernel/wording.ts";
import { problemSummary } from "../fields.ts";
import { page } from "../layout.ts";
import {
  type Brand,
  bigAmount,
  contact,
  facts,
  formToken,
  type Html,
  type IconName,
  icon,
  money,
  name,
  safeHref,
  type Tone,
} from "../parts.ts";

/** A line as the customer reads it; price and amount are with VAT when the quote is tax-inclusive, else without. */
export interface QuotedLine {
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

/** Where the quote stands, and what the customer may do about it. */
export type QuoteState =
  | { readonly kind: "open"; readonly formToken: string }
  /** The merchant's account is read-only. */
  | { readonly kind: "paused" }
  | { readonly kind: "expired"; readonly lastDay: BusinessDay | null }
  | { readonly kind: "accepted" | "declined"; readonly at: Instant | null }
  | { readonly kind: "invoiced"; readonly invoiceNumber: string; readonly payUrl: string | null };

export interface QuotePageModel {
  readonly brand: Brand;
  readonly vatNumber: string | null;
  readonly number: string;
  readonly customerName: string | null;
  readonly issueDate: BusinessDay;
  readonly expiryDate: BusinessDay | null;
  readonly periodStart: BusinessDay | null;
  readonly periodEnd: BusinessDay | null;
  readonly currency: string;
  readonly taxInclusive: boolean;
  readonly lines: readonly QuotedLine[];
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
  readonly notes: string | null;
  readonly state: QuoteState;
  /** Why what was sent was not taken, as sentences. */
  readonly problems: readonly string[];
}

/** A quote as its customer sees it. Its form posts to the page's own URL: `action` (`accept` or `decline`), `formToken`. */
export function quotePage(model: QuotePageModel): Html {
  const { brand, number, total, currency, state } = model;
  return page({
    title: `${model.problems.length > 0 ? "Not sent yet: " : ""}Quote ${number} from ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1 dir="auto">Quote ${number}</h1>!${bigAmount(total, currency)}
!${facts([
      model.customerName ? { term: "For", value: name(model.customerName) } : null,
      { term: "Date", value: dayInWords(model.issueDate) },
      model.expiryDate && { term: "Valid until", value: dayInWords(model.expiryDate) },
      periodFact(model),
      model.vatNumber ? { term: "Seller's VAT number", value: name(model.vatNumber) } : null,
    ])}
!${model.notes ? html`<p class="description" dir="auto">${model.notes}</p>` : ""}</div>
<div class="sheet stack">
!${problemSummary(model.problems.map((message) => ({ message, inputId: null })))}
!${state.kind === "open" ? "" : standing(state, brand)}
!${lineList(model)}
!${sums(model)}
!${state.kind === "open" ? answerForm(model, state.formToken) : ""}</div></main>`,
  });
}

const periodFact = ({ periodStart, periodEnd }: QuotePageModel) =>
  periodStart && periodEnd ? { term: "Period", value: periodInWords(periodStart, periodEnd) } : null;

const periodInWords = (start: BusinessDay, end: BusinessDay): string => `${dayInWords(start)} to ${dayInWords(end)}`;

function lineList(model: QuotePageModel): Html {
  const { lines, currency } = model;
  // A rate that all share is told once, below.
  const ratesDiffer = new Set(lines.map(({ taxRate }) => taxRate)).size > 1;
  const items = lines.map((line) => {
    const bits = [
      line.quantity === "1" ? null : `${line.quantity} × ${priceInWords(line.unitPrice, currency)}`,
      ratesDiffer ? (line.taxRate === "0" ? "no VAT" : `${line.taxRate}% VAT`) : null,
      line.periodStart && line.periodEnd ? periodInWords(line.periodStart, line.periodEnd) : null,
    ].filter((bit) => bit !== null);
    return html`<li><span class="name" dir="auto">${line.description}</span>!${money(line.amount, currency)}
!${line.details ? html`<p class="small whole lines" dir="auto">${line.details}</p>` : ""}
!${bits.length > 0 ? html`<span class="small bits whole">!${bits.map((bit) => html`<span>${bit}</span>`)}</span>` : ""}</li>`;
  });
  return html`<section><h2>What is quoted</h2><ul class="rows">!${items}</ul></section>`;
}

/** With every decimal it has: a price may be finer than a cent. */
function priceInWords(price: Decimal, currency: string): string {
  const [whole = "0", fraction = ""] = price.split(".");
  return formatMoney(roundToCents(`${whole}.${fraction.slice(0, 2)}`), currency) + fraction.slice(2);
}

function sums({ lines, currency, taxInclusive, subtotal, tax, total }: QuotePageModel): Html {
  const [first, ...others] = new Set(lines.map(({ taxRate }) => taxRate));
  const vat = first === undefined || first === "0" || others.length > 0 ? "VAT" : `VAT at ${first}%`;
  const rows = taxInclusive
    ? [{ term: `Included ${vat}`, value: money(tax, currency) }]
    : [
        { term: "Subtotal", value: money(subtotal, currency) },
        { term: vat, value: money(tax, currency) },
      ];
  return html`<section class="sums">!${tax === 0 ? "" : facts(rows)}
<p class="bar total"><span>Total</span>!${money(total, currency)}</p></section>`;
}

const answerForm = (model: QuotePageModel, token: string): Html => html`<form class="stack" method="post">
<button type="submit" class="button" name="action" value="accept" data-busy="One moment…">Accept the quote</button>
<button type="submit" class="button quiet" name="action" value="decline" data-busy="One moment…">Decline</button>
<p class="muted small center">Nothing is paid now. Questions? Contact !${contact(model.brand)}.</p>
!${formToken(token)}</form>`;

/** What became of it, in words, and how to go on. */
function standing(state: Exclude<QuoteState, { kind: "open" }>, brand: Brand): Html {
  const merchant = name(brand.name);
  switch (state.kind) {
    case "paused":
      return notice(
        "pause",
        "plain",
        "Answers are paused",
        html`!${merchant} cannot take an answer here at the moment.`,
        brand,
      );
    case "expired":
      return notice(
        "clock",
        "wait",
        "This quote has expired",
        state.lastDay
          ? html`It was valid until ${dayInWords(state.lastDay)}. For a new one, contact !${contact(brand)}.`
          : html`For a new one, contact !${contact(brand)}.`,
      );
    case "accepted":
      return notice("tick", "good", "Accepted", html`!${since("Accepted", state.at)} !${merchant} will be in touch.`);
    case "declined":
      return notice(
        "cross",
        "plain",
        "Declined",
        html`!${since("Declined", state.at)} Changed your mind? Contact !${contact(brand)}.`,
      );
    case "invoiced":
      return html`!${notice("tick", "good", "Invoiced", html`This quote has become invoice !${name(state.invoiceNumber)}.`)}
!${payLink(state.payUrl)}`;
  }
}

const since = (what: string, at: Instant | null): Html => (at ? html`${what} on ${momentInWords(at)}.` : "");

function payLink(url: string | null): Html {
  const target = safeHref(url);
  return target ? html`<a class="button" href="${target}">Open the invoice</a>` : "";
}

function notice(which: IconName, tone: Tone, heading: string, sentence: Html, ask: Brand | null = null): Html {
  return html`<div class="notice ${tone}">!${icon(which)}<div><h2>${heading}</h2><p>!${sentence}!${
    ask ? html` Contact !${contact(ask)}.` : ""
  }</p></div></div>`;
}
