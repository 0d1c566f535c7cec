import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { momentInWords } from "../wording.ts";
import { page } from "./layout.ts";
import { CHECK_AGAIN, goingOn, leadsOn, type Outcome, type OutcomeWords, outcomeInWords } from "./outcome.ts";
import { type Brand, bigAmount, contact, copyable, facts, messageBody, money, name, safeHref, sign } from "./parts.ts";

/** The payment's verified status (interface 2.7), never one from a query string. */
export type ResultStatus = "pending" | "complete" | "failed" | "cancelled" | "refunded" | "partially_refunded";

export interface ResultPageModel {
  readonly brand: Brand;
  readonly status: ResultStatus;
  readonly reference: string;
  /** The purpose of the payment. */
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly paidAt: Instant | null;
  readonly refundedAmount: Cents;
  readonly gatewayName: string | null;
  /** The bank of a saved card, and a statement, confirm in days, not while the payer waits. */
  readonly confirmedBy: Outcome["confirmedBy"];
  /** The address that the receipt is mailed to when the payment completes; null when none is mailed. */
  readonly receiptEmail: string | null;
  /** URL of the pay page, to try a failed or cancelled payment again; null when that is impossible. */
  readonly retryUrl: string | null;
  /** The merchant's return URL with `reference` and `status` (interface 4.2 behaviour 3); null: no redirect. */
  readonly onward: { readonly url: string; readonly afterSeconds: number } | null;
}

/**
 * The page that a payer returns to. While the payment waits for its gateway it is reloaded every 3 s; a final one
 * redirects to `onward`, when given.
 */
export function resultPage(model: ResultPageModel): Html {
  const { brand, status } = model;
  const words = wordsFor(model);
  const onwardUrl = status === "pending" ? null : safeHref(model.onward?.url ?? null);
  const { refresh, ...poll } = goingOn(model, { url: onwardUrl, afterSeconds: model.onward?.afterSeconds ?? 0 });
  return page({
    title: `${words.heading} – ${brand.name}`,
    brand,
    width: "narrow",
    refresh,
    main: messageBody({
      status,
      ...poll,
      sign: words.sign,
      heading: words.heading,
      head: [bigAmount(model.amount, model.currency), html`<p class="muted">${words.sentence}</p>`],
      below: html`${resultFacts(model)}${actions(model, onwardUrl)}`,
    }),
  });
}

function wordsFor(model: ResultPageModel): OutcomeWords {
  const merchant = name(model.brand.name);
  switch (model.status) {
    case "refunded":
      return {
        sign: sign("back", "plain"),
        heading: "Payment refunded",
        sentence: html`Refunded in full by ${merchant}`,
      };
    case "partially_refunded":
      return {
        sign: sign("back", "plain"),
        heading: "Payment partly refunded",
        sentence: html`${merchant} has refunded ${money(model.refundedAmount, model.currency)} of this payment`,
      };
    default:
      return outcomeInWords({ status: model.status, confirmedBy: model.confirmedBy }, model.brand.name);
  }
}

function resultFacts(model: ResultPageModel): Html | null {
  return facts([
    { term: "For", value: name(model.title) },
    model.paidAt && { term: "Paid", value: momentInWords(model.paidAt) },
    model.gatewayName ? { term: "Through", value: name(model.gatewayName) } : null,
    { term: "Reference", value: copyable(model.reference, "the reference") },
  ]);
}

function actions(model: ResultPageModel, onwardUrl: string | null): Html {
  const { brand, status } = model;
  const back = onwardUrl && html`Return to ${name(brand.name)}`;
  const timer = html` data-onward="${model.onward?.afterSeconds ?? 0}"`;
  if (status === "pending") {
    return html`${CHECK_AGAIN}${receipt(model, "will be mailed")}`;
  }
  const retry = status === "failed" || status === "cancelled" ? safeHref(model.retryUrl) : null;
  if (retry) {
    return html`<div class="onward stack"><p><a class="button" href="${retry}">Try again</a></p>
${back && html`<p class="center"><a href="${onwardUrl}"${timer}>${back}</a></p>`}</div>${help(brand)}`;
  }
  return html`${status === "complete" ? receipt(model, "has been mailed") : ""}
${
  back
    ? html`<div class="onward stack"><p><a class="button" href="${onwardUrl}"${timer}>${back}</a></p>${onwardNote(model)}</div>`
    : ""
}${help(brand)}`;
}

function onwardNote({ brand, onward }: ResultPageModel): Html | null {
  const seconds = onward?.afterSeconds ?? 0;
  if (seconds === 0) return null;
  return leadsOn(html`You go back to ${name(brand.name)}`, seconds);
}

const receipt = ({ receiptEmail }: ResultPageModel, verb: string): Html | null =>
  receiptEmail === null ? null : html`<p class="muted small center">A receipt ${verb} to ${name(receiptEmail)}.</p>`;

const help = (brand: Brand): Html =>
  html`<p class="muted small center">Something not right? Contact ${contact(brand)} and give the reference.</p>`;
