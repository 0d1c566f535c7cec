import { assert } from "../../kernel/assert.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { cardInWords, momentInWords, type NamedCard } from "../wording.ts";
import { type PayerField, type Problem, payerFields, problemSummary } from "./fields.ts";
import { CARDS_ELSEWHERE, type GatewayOption, gatewayChoice } from "./gateway-choice.ts";
import { page } from "./layout.ts";
import {
  type Brand,
  bigAmount,
  contact,
  copyable,
  facts,
  formToken,
  messageBody,
  money,
  name,
  safeHref,
  sign,
} from "./parts.ts";

interface Charged {
  readonly amount: Cents;
  readonly currency: string;
}

export interface CardSetupPageModel extends Charged {
  readonly brand: Brand;
  readonly expiresAt: Instant;
  /** How the last attempt ended; null when there was none. */
  readonly failure: CardSetupFailure | null;
  /** At least one. */
  readonly gateways: readonly GatewayOption[];
  readonly chosenGateway: string | null;
  /** The email field when the address is not known, else nothing. */
  readonly fields: readonly PayerField[];
  readonly formToken: string;
  /** Sentences about the form as a whole. */
  readonly problems: readonly string[];
}

/** Why an attempt saved no card (interface 2.9). */
export type CardSetupFailure = "declined" | "cancelled" | "no_card_saved";

const FAILED: Readonly<Record<CardSetupFailure, string>> = {
  declined: "The last attempt was declined by the bank. No card was saved.",
  cancelled: "The last attempt was cancelled. No card was saved.",
  no_card_saved: "The last attempt was paid, but the payment provider saved no card. What was paid is credited.",
};

/** The page on which a customer adds a card (interface 15.1). Its form posts to the page's own URL: `gateway`, `email`, `formToken`. */
export function cardSetupPage(model: CardSetupPageModel): Html {
  const { brand, amount, currency, fields } = model;
  assert(model.gateways.length > 0, "a set-up page offers a gateway");
  const problems: Problem[] = [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...fields.flatMap(({ error, name }) => (error === null ? [] : [{ message: error, inputId: name }])),
  ];
  const price = formatMoney(amount, currency);
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}Add a card – ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1>Add a card</h1>${bigAmount(amount, currency)}
<p>To save your card, you pay ${money(amount, currency)} with it. ${name(brand.name)} credits it to you: \
it is taken off what you owe, or off your next invoice.</p>
<p>${name(brand.name)} can then charge the card for what you owe.</p>
${model.failure ? html`<p class="muted">${FAILED[model.failure]}</p>` : ""}
${facts([{ term: "Open until", value: momentInWords(model.expiresAt) }])}</div>
<form class="sheet stack" method="post">
${problemSummary(problems)}
${payerFields(fields)}
${gatewayChoice(model.gateways, model.chosenGateway)}
<button type="submit" class="button" data-busy="One moment…">Pay ${price} and save the card</button>
${CARDS_ELSEWHERE}
${formToken(model.formToken)}</form></main>`,
  });
}

export interface CardSetupClosedModel {
  readonly brand: Brand;
  readonly reason: "completed" | "expired" | "account" | "customer" | "quota" | "gateway";
  /** The saved card, when the session is completed. */
  readonly card: NamedCard | null;
  readonly expiresAt: Instant;
  /** The merchant's page with the session's outcome; null without a return URL, and while a card can be added later. */
  readonly onwardUrl: string | null;
}

/** The page of a session on which no card can be added now; answered with 200 and without a form (interface 15.4). */
export function cardSetupClosedPage(model: CardSetupClosedModel): Html {
  const { brand, reason } = model;
  const merchant = name(brand.name);
  const words = {
    completed: ["Card saved", html`${savedCard(model.card)} is saved with ${merchant}.`],
    expired: [
      "This page has expired",
      html`A card could be added until ${momentInWords(model.expiresAt)}. Ask ${merchant} for a new link.`,
    ],
    account: ["Adding cards is paused", html`${merchant} cannot take payments here at the moment.`],
    customer: ["No card can be added now", html`${merchant} has paused your account. Ask them to take it up again.`],
    quota: ["Adding cards is paused", html`${merchant} has reached its number of online payments for this month.`],
    gateway: ["No card can be added yet", html`${merchant} has not set up a way to save cards.`],
  } as const;
  const [heading, sentence] = words[reason];
  return page({
    title: `${heading} – ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      sign: reason === "completed" ? sign("tick", "good") : sign("pause", "plain"),
      heading,
      head: [html`<p class="muted">${sentence}</p>`],
      below: html`${onward(brand, model.onwardUrl)}<p class="muted small center">Questions? Contact ${contact(brand)}.</p>`,
    }),
  });
}

/** Seconds between two queries of a pending payment. */
const POLL_SECONDS = 3;

export interface CardSetupResultModel extends Charged {
  readonly brand: Brand;
  /** The outcome of the attempt; `paid_late`: after the session had ended. */
  readonly outcome: "pending" | "completed" | "paid_late" | "expired" | CardSetupFailure;
  readonly card: NamedCard | null;
  readonly reference: string;
  /** The set-up page, while another attempt is possible; else null. */
  readonly retryUrl: string | null;
}

/** The page that a customer returns to when there is no return URL. A pending payment is queried again every 3 s. */
export function cardSetupResultPage(model: CardSetupResultModel): Html {
  const { brand, outcome } = model;
  const { heading, sentence, mark } = resultWords(model);
  const pending = outcome === "pending";
  const retry = pending ? null : safeHref(model.retryUrl);
  return page({
    title: `${heading} – ${brand.name}`,
    brand,
    width: "narrow",
    refresh: pending ? { seconds: POLL_SECONDS, url: null } : null,
    main: messageBody({
      status: outcome,
      ...(pending ? { pollSeconds: POLL_SECONDS } : {}),
      sign: mark,
      heading,
      head: [html`<p class="muted">${sentence}</p>`],
      below: html`${facts([
        { term: "Amount", value: money(model.amount, model.currency) },
        { term: "Reference", value: copyable(model.reference, "the reference") },
      ])}${pending ? html`<p><a class="button quiet" href="">Check again now</a></p>` : ""}${
        retry ? html`<p><a class="button" href="${retry}">Try again</a></p>` : ""
      }<p class="muted small center">Something not right? Contact ${contact(brand)} and give the reference.</p>`,
    }),
  });
}

function resultWords({ brand, outcome, card, amount, currency }: CardSetupResultModel): {
  readonly heading: string;
  readonly sentence: Html;
  readonly mark: Html;
} {
  const merchant = name(brand.name);
  const credited = html`${merchant} credits ${money(amount, currency)} to you.`;
  const bad = sign("cross", "bad");
  switch (outcome) {
    case "pending":
      return {
        heading: "Waiting for confirmation",
        sentence: html`The payment provider has not confirmed this payment yet. This page looks again by itself; \
please do not pay a second time.`,
        mark: sign("clock", "wait"),
      };
    case "completed":
      return {
        heading: "Card saved",
        sentence: html`${savedCard(card)} is saved with ${merchant}. ${credited}`,
        mark: sign("tick", "good"),
      };
    case "paid_late":
      return {
        heading: "Payment received",
        sentence: html`The payment came after this page had ended. ${credited}`,
        mark: sign("tick", "good"),
      };
    case "expired":
      return {
        heading: "This page has expired",
        sentence: html`No card was saved. Ask ${merchant} for a new link.`,
        mark: sign("pause", "plain"),
      };
    case "declined":
      return {
        heading: "Card declined",
        sentence: html`The bank declined the payment, so no card was saved.`,
        mark: bad,
      };
    case "cancelled":
      return {
        heading: "Cancelled",
        sentence: html`The payment was cancelled, so no card was saved.`,
        mark: sign("cross", "plain"),
      };
    case "no_card_saved":
      return {
        heading: "No card saved",
        sentence: html`The payment provider was paid, but saved no card. ${credited}`,
        mark: bad,
      };
  }
}

/** The card that was just saved: without digits it is shown by the moment of saving only. */
const savedCard = (card: NamedCard | null): Html =>
  card === null || card.last4 === "" ? html`Your card` : name(cardInWords(card));

function onward(brand: Brand, url: string | null): Html | null {
  const href = safeHref(url);
  return href === null ? null : html`<p><a class="button" href="${href}">Return to ${name(brand.name)}</a></p>`;
}
