import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { momentInWords } from "../wording.ts";
import { page } from "./layout.ts";
import { CHECK_AGAIN, goingOn, leadsOn, type Outcome, type OutcomeWords, outcomeInWords } from "./outcome.ts";
import { type Brand, bigAmount, contact, copyable, facts, messageBody, name, safeHref, sign } from "./parts.ts";

export interface CheckoutResultModel {
  readonly brand: Brand;
  /** By the verified status, never by the query. */
  readonly outcome: "pending" | "complete" | "failed" | "cancelled";
  /** The bank of a saved card, and a statement, confirm in days, not while the payer waits. */
  readonly confirmedBy: Outcome["confirmedBy"];
  /** The name of the package or product. */
  readonly title: string;
  /** Null when nothing was charged. */
  readonly payment: {
    readonly reference: string;
    readonly amount: Cents;
    readonly currency: string;
    readonly paidAt: Instant | null;
  } | null;
  /** The merchant's own words; null: ours. */
  readonly message: string | null;
  readonly buttonText: string | null;
  /** The URL for another attempt; null when that is impossible. */
  readonly retry: { readonly url: string; readonly text: string | null } | null;
  /** The URL that the payer is redirected to automatically; null: none. */
  readonly onward: { readonly url: string; readonly afterSeconds: number } | null;
  /** The customer's own page. */
  readonly portalUrl: string;
}

/** The page on which a checkout ends (interface 4.12). While the payment waits for its gateway it is reloaded every 3 s. */
export function checkoutResultPage(model: CheckoutResultModel): Html {
  const { brand, outcome, payment } = model;
  const words = wordsFor(model);
  const onwardUrl = outcome === "pending" ? null : safeHref(model.onward?.url ?? null);
  const { refresh, ...poll } = goingOn(
    { status: outcome, confirmedBy: model.confirmedBy },
    { url: onwardUrl, afterSeconds: model.onward?.afterSeconds ?? 0 },
  );
  return page({
    title: `${words.heading} – ${brand.name}`,
    brand,
    width: "narrow",
    refresh,
    main: messageBody({
      status: outcome,
      ...poll,
      sign: words.sign,
      heading: words.heading,
      head: [
        payment ? bigAmount(payment.amount, payment.currency) : html``,
        html`<p class="muted lines" dir="auto">${outcome === "pending" ? words.sentence : (model.message ?? words.sentence)}</p>`,
      ],
      below: html`${resultFacts(model)}${actions(model, onwardUrl)}<p \
class="muted small center">Something not right? Contact ${contact(brand)}${
        payment ? " and give the reference" : ""
      }.</p>`,
    }),
  });
}

function wordsFor({ brand, outcome, payment, confirmedBy }: CheckoutResultModel): OutcomeWords {
  if (outcome !== "complete" || payment) return outcomeInWords({ status: outcome, confirmedBy }, brand.name);
  return {
    sign: sign("tick", "good"),
    heading: "You are signed up",
    sentence: html`Nothing was charged. ${name(brand.name)} has your subscription.`,
  };
}

const resultFacts = ({ title, payment, portalUrl }: CheckoutResultModel): Html | null =>
  facts([
    { term: "For", value: name(title) },
    payment?.paidAt ? { term: "Paid", value: momentInWords(payment.paidAt) } : null,
    payment && { term: "Reference", value: copyable(payment.reference, "the reference") },
    { term: "Your account", value: html`<a href="${portalUrl}">Open it</a>` },
  ]);

function actions(model: CheckoutResultModel, onwardUrl: string | null): Html | null {
  const { brand, outcome, retry, onward } = model;
  if (outcome === "pending") return CHECK_AGAIN;
  const seconds = onward?.afterSeconds ?? 0;
  const back = model.buttonText ?? `Return to ${brand.name}`;
  const timer = html` data-onward="${seconds}"`;
  const note = leadsOn(html`You go on`, seconds);
  if (outcome === "complete" || !retry)
    return onwardUrl === null
      ? null
      : html`<div class="onward stack"><p><a class="button" href="${onwardUrl}"${timer} dir="auto">${back}</a></p>${note}</div>`;
  return html`<div class="onward stack"><p><a class="button" href="${retry.url}" dir="auto">${retry.text ?? "Try again"}</a></p>
${onwardUrl && html`<p class="center"><a href="${onwardUrl}"${timer} dir="auto">${back}</a></p>${note}`}</div>`;
}

export interface CheckoutUnavailableModel {
  readonly brand: Brand;
  readonly title: string;
  readonly reason: "not_sold" | "account" | "quota" | "gateway" | "completed" | "confirming" | "expired";
  /** The URL of the next page: the result of a completed checkout, or the checkout page without the expired link. */
  readonly onwardUrl: string | null;
}

/** The page of a product or package that cannot be bought now; answered with 200 and without a form (interface 15.4). */
export function checkoutUnavailablePage({ brand, title, reason, onwardUrl }: CheckoutUnavailableModel): Html {
  const merchant = name(brand.name);
  const words = {
    not_sold: ["Not on sale", html`${merchant} does not sell this at the moment.`, null],
    account: ["Checkout is paused", html`${merchant} cannot take payments here at the moment.`, null],
    quota: ["Checkout is paused", html`${merchant} has reached its number of online payments for this month.`, null],
    gateway: ["No way to pay yet", html`${merchant} has not set up a way to pay for this.`, null],
    completed: [
      "Already done",
      html`This checkout has been completed. There is nothing more to pay.`,
      "See the result",
    ],
    confirming: [
      "This payment is being confirmed",
      html`A payment was made, and ${name(brand.name)} waits until it is confirmed, which can take a few business days. \
There is nothing to pay now.`,
      null,
    ],
    expired: ["This link has expired", html`A link to checkout can be used for 24 hours.`, "Start again"],
  } as const;
  const [heading, sentence, further] = words[reason];
  return page({
    title: `${heading} – ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      sign: reason === "completed" ? sign("tick", "good") : sign("pause", "plain"),
      heading,
      head: [html`<p class="muted">${sentence}</p>`],
      below: html`${facts([{ term: "For", value: name(title) }])}${
        further && onwardUrl ? html`<p><a class="button" href="${onwardUrl}">${further}</a></p>` : null
      }<p class="muted small center">${
        reason === "completed" || reason === "confirming" ? "Questions?" : "To buy it,"
      } contact ${contact(brand)}.</p>`,
    }),
  });
}
