import { type Cents, formatMoney } from "../../kernel/money.ts";
import { type Html, html } from "../html.ts";
import { assetUrl } from "./assets/assets.ts";
import { inputField, type Problem, problemSummary } from "./fields.ts";
import { formToken, name, safeHref } from "./parts.ts";

/** A payment, as the sandbox gateway's pages show it. */
export interface SandboxPayment {
  readonly merchantName: string;
  readonly description: string | null;
  readonly amount: Cents;
  readonly currency: string;
  readonly reference: string;
}

/** A test card of interface 13.6 and its effect. */
export interface TestCard {
  readonly number: string;
  /** `Visa`, or `Visa, declined when charged later`. */
  readonly effect: string;
}

export interface SandboxGatewayPageModel {
  readonly payment: SandboxPayment;
  readonly testCards: readonly TestCard[];
  /** Whether the card can be saved: shows the checkbox `saveCard`. */
  readonly canSaveCard: boolean;
  readonly card: string;
  readonly expiry: string;
  readonly saveCard: boolean;
  readonly cardError: string | null;
  readonly expiryError: string | null;
  /** A sentence about what is wrong with the form as a whole. */
  readonly problem: string | null;
  /** Null when the form is protected by another means. */
  readonly formToken: string | null;
}

/** The sandbox gateway's payment page (interface 13.6): `card`, `expiry`, `saveCard`, and buttons named `outcome`. */
export function sandboxGatewayPage(model: SandboxGatewayPageModel): Html {
  const { payment } = model;
  const problems: Problem[] = [
    ...(model.problem === null ? [] : [{ message: model.problem, inputId: null }]),
    ...(model.cardError === null ? [] : [{ message: model.cardError, inputId: "card" }]),
    ...(model.expiryError === null ? [] : [{ message: model.expiryError, inputId: "expiry" }]),
  ];
  return sandboxPage(
    "Choose what happens",
    html`<h1>Pay ${name(payment.merchantName)}</h1>${paymentFacts(payment)}
<form method="post">${problemSummary(problems)}
${cardFields(model)}
<div class="buttons">
<button type="submit" class="button main" name="outcome" value="complete">Pay ${formatMoney(payment.amount, payment.currency)}</button>
<button type="submit" class="button quiet" name="outcome" value="failed">Let it fail</button>
<button type="submit" class="button quiet" name="outcome" value="cancelled">Cancel</button>
</div>${model.formToken === null ? "" : formToken(model.formToken)}</form>
<h2>Test numbers</h2><ul class="cards">${model.testCards.map(testCard)}</ul>`,
  );
}

function cardFields(model: SandboxGatewayPageModel): Html {
  const card = inputField({
    name: "card",
    label: "Card number",
    type: "text",
    inputMode: "numeric",
    autocomplete: "cc-number",
    value: model.card,
    required: false,
    error: model.cardError,
    hint: "One of the test numbers below. Never a real card.",
  });
  const expiry = inputField({
    name: "expiry",
    label: "Expiry",
    type: "text",
    autocomplete: "cc-exp",
    value: model.expiry,
    required: false,
    error: model.expiryError,
    hint: "MM/YY",
  });
  const save = html`<label class="tick"><input type="checkbox" name="saveCard" value="true"${
    model.saveCard && html` checked`
  }><span>Save this card for later payments</span></label>`;
  return html`${card}<div class="field short">${expiry}</div>${model.canSaveCard ? save : ""}`;
}

const testCard = ({ number, effect }: TestCard): Html =>
  html`<li><span>${number}</span><span class="dim">${effect}</span><button type="button" data-fill="card" \
data-value="${number}" hidden>Use<span class="unseen"> ${number}</span></button></li>`;

export interface SandboxGatewayDoneModel {
  readonly payment: SandboxPayment;
  /** The payment's outcome; `expired` when none was chosen in time. */
  readonly outcome: "complete" | "failed" | "cancelled" | "expired";
  /** URL to return to; null when there is none. */
  readonly returnUrl: string | null;
}

const DONE_HEADINGS = {
  complete: "This payment is complete",
  failed: "This payment has failed",
  cancelled: "This payment was cancelled",
  expired: "This payment session has expired",
} as const;

/** The page at the same URL after an outcome was chosen or the payment has expired. */
export function sandboxGatewayDonePage(model: SandboxGatewayDoneModel): Html {
  const heading = DONE_HEADINGS[model.outcome];
  const back = safeHref(model.returnUrl);
  return sandboxPage(
    heading,
    html`<h1>${heading}</h1>${paymentFacts(model.payment)}
<div class="panel"><p>It cannot be paid here any more.</p>${
      back &&
      html`<div class="buttons"><a class="button main" href="${back}">Return to ${name(model.payment.merchantName)}</a></div>`
    }</div>`,
  );
}

function paymentFacts({ amount, currency, reference, description }: SandboxPayment): Html {
  return html`<p class="amount money">${formatMoney(amount, currency)}</p>
<dl><div><dt>Reference</dt><dd><bdi>${reference}</bdi></dd></div>${
    description === null ? "" : html`<div><dt>For</dt><dd><bdi>${description}</bdi></dd></div>`
  }</dl>`;
}

/** The frame of the sandbox gateway's pages. */
export function sandboxPage(title: string, main: Html): Html {
  return html`<!doctype html>
<html lang="en-ZA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Sandbox Pay</title>
<link rel="stylesheet" href="${assetUrl("sandbox-gateway.css")}">
<link rel="icon" href="${assetUrl("sandbox-gateway.svg")}" type="image/svg+xml">
<script src="${assetUrl("page.js")}" defer></script>
</head>
<body>
<header><p class="house">Sandbox Pay</p><p class="dim">A pretend gateway. No money moves.</p></header>
<main>${main}</main>
</body>
</html>
`;
}
