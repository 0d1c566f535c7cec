import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { PricedDocument } from "../document.ts";
import { type Html, html } from "../html.ts";
import { dayInWords, momentInWords, periodInWords } from "../wording.ts";
import { inputField, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { lineList, sums } from "./lines.ts";
import {
  type Brand,
  bigAmount,
  contact,
  facts,
  formToken,
  type IconName,
  icon,
  name,
  safeHref,
  type Tone,
} from "./parts.ts";

/** The quote's status, and what the customer can do. */
export type QuoteState =
  | { readonly kind: "open"; readonly formToken: string }
  /** The merchant's account is read-only, or the customer was erased. */
  | { readonly kind: "paused" }
  | { readonly kind: "expired"; readonly lastDay: CalendarDay | null }
  | { readonly kind: "accepted"; readonly at: Instant | null; readonly by: string | null }
  | { readonly kind: "declined"; readonly at: Instant | null }
  | { readonly kind: "invoiced"; readonly invoiceNumber: string; readonly payUrl: string | null };

export interface QuotePageModel {
  readonly brand: Brand;
  readonly vatNumber: string | null;
  readonly customerName: string | null;
  readonly quote: PricedDocument;
  /** Path of its PDF. */
  readonly pdf: string;
  readonly state: QuoteState;
  /** Sentences that say why the last submission was refused. */
  readonly problems: readonly string[];
  /** The name of who accepts, as it was sent last, and what is wrong with it. */
  readonly acceptedBy: { readonly value: string; readonly error: string | null };
}

/** The field for the name of the person who accepts. */
export const NAME_FIELD = "acceptedBy";

/**
 * The customer's page of a quote. Its form posts `action` (`accept` or `decline`), `acceptedBy` and `formToken` to the
 * page's URL.
 */
export function quotePage(model: QuotePageModel): Html {
  const { brand, quote, state } = model;
  const { number, issueDate, lastDay, period, notes } = quote;
  return page({
    title: `${model.problems.length > 0 || model.acceptedBy.error !== null ? "Not sent yet: " : ""}Quote ${number} from ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1 dir="auto">Quote ${number}</h1>${bigAmount(quote.total, quote.currency)}
${facts([
  model.customerName ? { term: "For", value: name(model.customerName) } : null,
  { term: "Date", value: dayInWords(issueDate) },
  lastDay && { term: "Valid until", value: dayInWords(lastDay) },
  period && { term: "Period", value: periodInWords(period) },
  model.vatNumber ? { term: "Seller's VAT number", value: name(model.vatNumber) } : null,
])}
${notes ? html`<p class="description" dir="auto">${notes}</p>` : ""}
<p><a href="${model.pdf}">Download the quote (PDF)</a></p></div>
<div class="sheet stack">
${problemSummary([
  ...model.problems.map((message) => ({ message, inputId: null })),
  ...(model.acceptedBy.error === null ? [] : [{ message: model.acceptedBy.error, inputId: NAME_FIELD }]),
])}
${state.kind === "open" ? "" : statusText(state, brand)}
${lineList("What is quoted", quote)}
${sums(quote)}
${state.kind === "open" ? answerForm(model, state.formToken) : ""}</div></main>`,
  });
}

const answerForm = (model: QuotePageModel, token: string): Html => html`<form class="stack" method="post">
<div class="fields">${inputField({
  name: NAME_FIELD,
  label: "Your full name",
  type: "text",
  autocomplete: "name",
  required: true,
  hint: "To accept. It stands on the quote.",
  ...model.acceptedBy,
})}</div>
<button type="submit" class="button" name="action" value="accept" data-busy="One moment…">Accept the quote</button>
<button type="submit" class="button quiet" name="action" value="decline" formnovalidate data-busy="One moment…">Decline</button>
<p class="muted small center">Nothing is paid now. Questions? Contact ${contact(model.brand)}.</p>
${formToken(token)}</form>`;

/** Explains a status other than open, and what the customer can do next. */
function statusText(state: Exclude<QuoteState, { kind: "open" }>, brand: Brand): Html {
  const merchant = name(brand.name);
  switch (state.kind) {
    case "paused":
      return notice(
        "pause",
        "plain",
        "Answers are paused",
        html`${merchant} cannot take an answer here at the moment.`,
        brand,
      );
    case "expired":
      return notice(
        "clock",
        "wait",
        "This quote has expired",
        state.lastDay
          ? html`It was valid until ${dayInWords(state.lastDay)}. For a new one, contact ${contact(brand)}.`
          : html`For a new one, contact ${contact(brand)}.`,
      );
    case "accepted":
      return notice("tick", "good", "Accepted", html`${acceptedOn(state)} ${merchant} will be in touch.`);
    case "declined":
      return notice(
        "cross",
        "plain",
        "Declined",
        html`${since("Declined", state.at)} Changed your mind? Contact ${contact(brand)}.`,
      );
    case "invoiced":
      return html`${notice("tick", "good", "Invoiced", html`This quote has become invoice ${name(state.invoiceNumber)}.`)}
${payLink(state.payUrl)}`;
  }
}

const acceptedOn = ({ at, by }: Extract<QuoteState, { kind: "accepted" }>): Html =>
  by === null ? html`${since("Accepted", at)}` : html`${name(by)} accepted it${at ? ` on ${momentInWords(at)}` : ""}.`;

const since = (what: string, at: Instant | null): string => (at ? `${what} on ${momentInWords(at)}.` : "");

function payLink(url: string | null): Html | null {
  const target = safeHref(url);
  return target === null ? null : html`<a class="button" href="${target}">Open the invoice</a>`;
}

function notice(which: IconName, tone: Tone, heading: string, sentence: Html, ask: Brand | null = null): Html {
  return html`<div class="notice ${tone}">${icon(which)}<div><h2>${heading}</h2><p>${sentence}${
    ask ? html` Contact ${contact(ask)}.` : ""
  }</p></div></div>`;
}
