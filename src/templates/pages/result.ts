import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { momentInWords } from "../wording.ts";
import { page, type Refresh } from "./layout.ts";
import { type Brand, bigAmount, contact, copyable, facts, messageBody, money, name, safeHref, sign } from "./parts.ts";

/** The payment's verified status (interface 2.7), never one from a query string. */
export type ResultStatus = "pending" | "complete" | "failed" | "cancelled" | "refunded" | "partially_refunded";

/** Seconds after which a pending payment is asked about again. */
const POLL_SECONDS = 3;

export interface ResultPageModel {
  readonly brand: Brand;
  readonly status: ResultStatus;
  readonly reference: string;
  /** What the payment is for. */
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly paidAt: Instant | null;
  readonly refundedAmount: Cents;
  readonly gatewayName: string | null;
  /** A saved card was charged: its bank confirms in days, not while the payer waits. */
  readonly bySavedCard: boolean;
  /** Address to which the receipt is mailed when the payment completes; null when none is mailed. */
  readonly receiptEmail: string | null;
  /** URL of the pay page, to try a failed or cancelled payment again; null when that is impossible. */
  readonly retryUrl: string | null;
  /** The merchant's return URL with `reference` and `status` (interface 4.2 behaviour 3); null: no redirect. */
  readonly onward: { readonly url: string; readonly afterSeconds: number } | null;
}

interface Words {
  readonly sign: Html;
  readonly heading: string;
  readonly sentence: Html;
}

/** The page to which a payer returns. While the payment waits for its gateway it is reloaded every 3 s; a final one redirects to `onward`, when given. */
export function resultPage(model: ResultPageModel): Html {
  const { brand, status } = model;
  const words = wordsFor(model);
  const onwardUrl = status === "pending" ? null : safeHref(model.onward?.url ?? null);
  const waits = status === "pending" && !model.bySavedCard;
  const refresh: Refresh | null = waits
    ? { seconds: POLL_SECONDS, url: null }
    : onwardUrl
      ? { seconds: model.onward?.afterSeconds ?? 0, url: onwardUrl }
      : null;
  return page({
    title: `${words.heading} – ${brand.name}`,
    brand,
    width: "narrow",
    refresh,
    main: messageBody({
      status,
      ...(waits ? { pollSeconds: POLL_SECONDS } : {}),
      sign: words.sign,
      heading: words.heading,
      head: [bigAmount(model.amount, model.currency), html`<p class="muted">${words.sentence}</p>`],
      below: html`${resultFacts(model)}${actions(model, onwardUrl)}`,
    }),
  });
}

function wordsFor(model: ResultPageModel): Words {
  const merchant = name(model.brand.name);
  switch (model.status) {
    case "pending":
      if (model.bySavedCard)
        return {
          sign: sign("clock", "wait"),
          heading: "Payment under way",
          sentence: html`Your saved card is being charged. Banks usually confirm within 1 to 3 business days. You can close this page; please do not pay a second time.`,
        };
      return {
        sign: sign("clock", "wait"),
        heading: "Waiting for confirmation",
        sentence: html`The payment provider has not confirmed this payment yet. This page looks again by itself; please do not pay a second time.`,
      };
    case "complete":
      return { sign: sign("tick", "good"), heading: "Payment received", sentence: html`Paid to ${merchant}` };
    case "failed":
      return {
        sign: sign("cross", "bad"),
        heading: "Payment failed",
        sentence: html`The payment provider reports that this payment did not go through. ${merchant} has not been paid.`,
      };
    case "cancelled":
      return {
        sign: sign("cross", "plain"),
        heading: "Payment cancelled",
        sentence: html`This payment was cancelled before it was made. ${merchant} has not been paid.`,
      };
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
    return html`<p><a class="button quiet" href="">Check again now</a></p>${receipt(model, "will be mailed")}`;
  }
  const retry = status === "failed" || status === "cancelled" ? safeHref(model.retryUrl) : null;
  if (retry) {
    return html`<div class="onward stack"><p><a class="button" href="${retry}">Try again</a></p>
${back && html`<p class="center"><a href="${onwardUrl}"${timer}>${back}</a></p>`}</div>${help(brand)}`;
  }
  return html`${status === "complete" ? receipt(model, "has been mailed") : ""}
${back ? html`<div class="onward stack"><p><a class="button" href="${onwardUrl}"${timer}>${back}</a></p>${onwardNote(model)}</div>` : ""}${help(brand)}`;
}

function onwardNote({ brand, onward }: ResultPageModel): Html | null {
  const seconds = onward?.afterSeconds ?? 0;
  if (seconds === 0) return null;
  return html`<p class="muted small center">You go back to ${name(brand.name)} in ${seconds} seconds. <button type="button" class="plain-button" data-stay hidden>Stay here</button></p>`;
}

const receipt = ({ receiptEmail }: ResultPageModel, verb: string): Html | null =>
  receiptEmail === null ? null : html`<p class="muted small center">A receipt ${verb} to ${name(receiptEmail)}.</p>`;

const help = (brand: Brand): Html =>
  html`<p class="muted small center">Something not right? Contact ${contact(brand)} and give the reference.</p>`;
