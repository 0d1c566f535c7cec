import { cents } from "../../src/kernel/money.ts";
import type { Html } from "../../src/templates/html.ts";
import { cardSetupClosedPage, cardSetupPage, cardSetupResultPage } from "../../src/templates/pages/card-setup.ts";
import { checkoutPage } from "../../src/templates/pages/checkout.ts";
import { checkoutResultPage, checkoutUnavailablePage } from "../../src/templates/pages/checkout-result.ts";
import { eftPage } from "../../src/templates/pages/eft.ts";
import { errorPage, notFoundPage, rateLimitedPage, unreadablePage } from "../../src/templates/pages/messages.ts";
import { handOffPage, payPage, unavailablePage } from "../../src/templates/pages/pay.ts";
import { payCardPage } from "../../src/templates/pages/pay-card.ts";
import { portalCardsPage } from "../../src/templates/pages/portal-cards.ts";
import { portalHomePage } from "../../src/templates/pages/portal-home.ts";
import { portalMandatesPage } from "../../src/templates/pages/portal-mandates.ts";
import { portalConfirmPage, portalSentPage, portalSignInPage } from "../../src/templates/pages/portal-sign-in.ts";
import { statementPage } from "../../src/templates/pages/portal-statement.ts";
import { portalChangePage, portalSubscriptionPage } from "../../src/templates/pages/portal-subscription.ts";
import { quotePage } from "../../src/templates/pages/quote.ts";
import { resultPage } from "../../src/templates/pages/result.ts";
import { sandboxGatewayDonePage, sandboxGatewayPage } from "../../src/templates/pages/sandbox-gateway.ts";
import { type SandboxMandatePageModel, sandboxMandatePage } from "../../src/templates/pages/sandbox-mandate.ts";
import { signMandatePage } from "../../src/templates/pages/sign-mandate.ts";
import { cardResultModel, cardSetupModel, payCardModel, portalCardsModel } from "./card-page-models.ts";
import { checkoutResultModel, packageModel, productModel, trialModel } from "./checkout-page-models.ts";
import { EFT_STATES, eftModel, proofs } from "./eft-page-models.ts";
import {
  amount,
  brand,
  currency,
  fullPayModel,
  NOW,
  payfast,
  payModel,
  portalModel,
  QUOTE_STATES,
  quoteModel,
  resultModel,
  returning,
  SIGN_STATES,
  sandboxForm,
  sandboxMandate,
  sandboxPayment,
  signIn,
  signMandateModel,
  statementModel,
  title,
  UNAVAILABLE,
} from "./page-models.ts";
import {
  homeSubscription,
  portalChangeModel,
  portalMandatesModel,
  portalSubscriptionModel,
} from "./subscription-page-models.ts";

/** Renders a sample of a hosted page; `text` replaces every text that users write. */
export type PageSample = (text?: string) => string;

const sample =
  <Model>(view: (model: Model) => Html, model: Model): PageSample =>
  (text) =>
    view(text === undefined ? model : withText(model, text)).toString();

/** Every hosted page, in every state that looks different. */
export const PAGES: Readonly<Record<string, PageSample>> = {
  pay: sample(payPage, payModel),
  "pay, one gateway": sample(payPage, { ...payModel, gateways: [payfast], fields: [] }),
  "pay, everything": sample(payPage, fullPayModel),
  "checkout, product": sample(checkoutPage, productModel),
  "checkout, package": sample(checkoutPage, packageModel),
  "checkout, split": sample(checkoutPage, { ...packageModel, look: { ...packageModel.look, template: "split" } }),
  "checkout, minimal": sample(checkoutPage, { ...packageModel, look: { ...packageModel.look, template: "minimal" } }),
  "checkout, saved cards": sample(checkoutPage, {
    ...packageModel,
    savedCards: [
      { id: "card_1", text: "Visa ending in 4242" },
      { id: "card_2", text: "Mastercard ending in 4444" },
    ],
  }),
  "checkout, saved card under way": sample(checkoutPage, {
    ...productModel,
    underWay: { amount, currency, url: "/c/karoo/success" },
  }),
  "checkout, trial": sample(checkoutPage, trialModel),
  "checkout, complete": sample(checkoutResultPage, {
    ...checkoutResultModel,
    message: "Thank you!\nYour parcel is on its way.",
    buttonText: "Back to the shop",
    onward: returning,
  }),
  "checkout, nothing charged": sample(checkoutResultPage, { ...checkoutResultModel, payment: null }),
  "checkout, pending": sample(checkoutResultPage, { ...checkoutResultModel, outcome: "pending" }),
  "checkout, charged to a saved card": sample(checkoutResultPage, {
    ...checkoutResultModel,
    outcome: "pending",
    confirmedBy: "saved_card",
  }),
  "checkout, failed": sample(checkoutResultPage, {
    ...checkoutResultModel,
    outcome: "failed",
    retry: { url: "/c/karoo/product/prod_1", text: "Once more" },
    onward: returning,
  }),
  "checkout, cancelled": sample(checkoutResultPage, {
    ...checkoutResultModel,
    outcome: "cancelled",
    retry: { url: "/c/karoo/product/prod_1", text: null },
  }),
  ...Object.fromEntries(
    (["not_sold", "account", "quota", "gateway", "completed", "expired"] as const).map((reason) => [
      `checkout, ${reason}`,
      sample(checkoutUnavailablePage, { brand, title, reason, onwardUrl: "/c/karoo/product/prod_1" }),
    ]),
  ),
  "confirm a card": sample(payCardPage, payCardModel),
  "confirm a card, with a problem": sample(payCardPage, { ...payCardModel, problems: ["The amount has changed."] }),
  "confirm a card, not offered": sample(payCardPage, { ...payCardModel, card: null }),
  "result, being confirmed": sample(resultPage, { ...resultModel, status: "pending", confirmedBy: "statement" }),
  "result, saved card under way": sample(resultPage, { ...resultModel, status: "pending", confirmedBy: "saved_card" }),
  ...Object.fromEntries(
    UNAVAILABLE.map((unavailable) => [
      `unavailable, ${unavailable.reason}`,
      sample(unavailablePage, { brand, title, amount, currency, unavailable, pdf: "/pay/token/invoice.pdf" }),
    ]),
  ),
  "hand-off": sample(handOffPage, {
    brand,
    amount,
    currency,
    gatewayName: "PayFast",
    action: "https://gateway.example/process",
    inputs: [["merchant_id", "1"]],
  }),
  "result, complete": sample(resultPage, resultModel),
  "result, complete and going on": sample(resultPage, { ...resultModel, onward: returning }),
  "result, pending": sample(resultPage, { ...resultModel, status: "pending", paidAt: null }),
  "result, failed": sample(resultPage, { ...resultModel, status: "failed", retryUrl: "/pay/x", onward: returning }),
  "result, cancelled": sample(resultPage, { ...resultModel, status: "cancelled", retryUrl: "/pay/x" }),
  "result, refunded": sample(resultPage, { ...resultModel, status: "refunded" }),
  "result, partly refunded": sample(resultPage, {
    ...resultModel,
    status: "partially_refunded",
    refundedAmount: cents(23450),
  }),
  quote: sample(quotePage, quoteModel),
  "quote, with a name that is too long": sample(quotePage, {
    ...quoteModel,
    acceptedBy: { value: "Thandi ".repeat(20), error: "Write at most 100 characters." },
  }),
  "quote, answered too late": sample(quotePage, {
    ...quoteModel,
    quote: { ...quoteModel.quote, taxInclusive: true, period: null, notes: null },
    vatNumber: null,
    state: { kind: "declined", at: NOW },
    problems: ["The quote was declined in the meantime, so it can no longer be accepted here."],
  }),
  ...Object.fromEntries(
    QUOTE_STATES.map((state) => [`quote, ${state.kind}`, sample(quotePage, { ...quoteModel, state })]),
  ),
  "sign mandate": sample(signMandatePage, signMandateModel),
  "sign mandate, nothing filled in": sample(signMandatePage, {
    ...signMandateModel,
    brand: { ...brand, sandbox: true },
    errors: { fullName: "Write the full name of the person who signs.", accept: "Tick the box to agree." },
    problem: "Try again.",
  }),
  ...Object.fromEntries(
    SIGN_STATES.map((state) => [
      `sign mandate, ${state.kind}`,
      sample(signMandatePage, { ...signMandateModel, state }),
    ]),
  ),
  eft: sample(eftPage, eftModel),
  "eft, refused": sample(eftPage, { ...eftModel, problem: "The file is empty." }),
  ...Object.fromEntries(
    Object.entries(EFT_STATES).map(([name, state]) => [
      `eft, ${name}`,
      sample(eftPage, { ...eftModel, proofs, state }),
    ]),
  ),
  "not found": () => notFoundPage().toString(),
  unreadable: () => unreadablePage().toString(),
  "rate limited": sample((of: typeof brand) => rateLimitedPage(of, 540), brand),
  error: sample(({ id }: { id: string }) => errorPage(500, id), { id: "req-1a2b3c" }),
  "unavailable service": () => errorPage(503, null).toString(),
  "portal, link opened": sample(portalConfirmPage, {
    brand,
    customerName: "Thandi Nkosi",
    email: "thandi@example.co.za",
    formToken: "token",
    problems: [],
  }),
  "portal, link used": sample(portalSignInPage, { ...signIn, reason: "used" }),
  "portal, sign in again": sample(portalSignInPage, {
    ...signIn,
    reason: "none",
    email: "thandi@",
    emailError: "Write an email address such as name@example.test.",
    problems: ["Too many attempts."],
  }),
  "portal, link sent": sample(portalSentPage, { brand, email: "thandi@example.test" }),
  "card set-up": sample(cardSetupPage, cardSetupModel),
  "card set-up, everything": sample(cardSetupPage, {
    ...cardSetupModel,
    brand: { ...brand, sandbox: true },
    failure: "declined" as const,
    gateways: [payfast],
    fields: [{ name: "email" as const, value: "no", required: true, error: "Write an email address." }],
    problems: ["PayFast does not answer."],
  }),
  ...Object.fromEntries(
    (["completed", "expired", "account", "quota", "gateway"] as const).map((reason) => [
      `card set-up closed, ${reason}`,
      sample(cardSetupClosedPage, {
        brand,
        reason,
        card: cardResultModel.card,
        expiresAt: cardSetupModel.expiresAt,
        onwardUrl: "https://shop.example/back",
      }),
    ]),
  ),
  ...Object.fromEntries(
    (["pending", "completed", "paid_late", "expired", "declined", "cancelled", "no_card_saved"] as const).map(
      (outcome) => [`card set-up, ${outcome}`, sample(cardSetupResultPage, { ...cardResultModel, outcome })],
    ),
  ),
  "portal, cards": sample(portalCardsPage, portalCardsModel),
  "portal, no card": sample(portalCardsPage, {
    ...portalCardsModel,
    cards: [],
    canAdd: false,
    problems: ["Too many attempts."],
  }),
  "portal, subscription": sample(portalSubscriptionPage, portalSubscriptionModel),
  "portal, subscription that ends": sample(portalSubscriptionPage, {
    ...portalSubscriptionModel,
    may: { change: false, addOns: false, pause: false, resume: true, cancel: false, undo: true, card: false },
    next: null,
    plans: [],
    problems: ["Too many attempts."],
    reasonError: "Write at most 500 characters.",
  }),
  "portal, subscription without a card": sample(portalSubscriptionPage, {
    ...portalSubscriptionModel,
    cards: [],
    pending: "Silver from 28 February 2027",
  }),
  "portal, subscription by debit order": sample(portalSubscriptionPage, {
    ...portalSubscriptionModel,
    paidBy: "By debit order from the account ending in 1234",
    cards: [],
    cardsPath: null,
    debitOrdersPath: "/portal/karoo/debit-orders",
  }),
  "portal, debit orders": sample(portalMandatesPage, portalMandatesModel),
  "portal, no debit orders": sample(portalMandatesPage, { ...portalMandatesModel, mandates: [] }),
  "portal, another plan": sample(portalChangePage, portalChangeModel),
  "portal, home": sample(portalHomePage, { ...portalModel, subscriptions: [homeSubscription] }),
  "portal, nothing owed": sample(portalHomePage, {
    ...portalModel,
    owed: [],
    totals: [],
    subscriptions: [],
    quotes: [],
    credits: [],
    creditNotes: [],
    pastInvoices: [],
    payments: [],
  }),
  "portal, one to pay": sample(portalHomePage, { ...portalModel, owed: portalModel.owed.slice(0, 1), credits: [] }),
  "portal, statement": sample(statementPage, statementModel),
  "portal, statement of quiet days": sample(statementPage, {
    ...statementModel,
    otherCurrencies: [],
    account: { ...statementModel.account, opening: cents(-5000), movements: [] },
  }),
  "portal, statement of no days": sample(statementPage, {
    ...statementModel,
    from: "",
    problems: [{ message: "Choose the first day as a date, such as 2026-11-01.", inputId: "from" }],
    account: null,
  }),
  "sandbox gateway, mandate": sample<SandboxMandatePageModel>(sandboxMandatePage, sandboxMandate),
  "sandbox gateway, mandate rejected": sample<SandboxMandatePageModel>(sandboxMandatePage, {
    ...sandboxMandate,
    status: "rejected",
    reason: "The payer declined the mandate.",
  }),
  "sandbox gateway": sample(sandboxGatewayPage, sandboxForm),
  "sandbox gateway, done": sample(sandboxGatewayDonePage, {
    payment: sandboxPayment,
    outcome: "complete",
    returnUrl: "/pay/x/result",
  }),
};

/** Keys whose text no user writes, or that is validated. */
const OURS =
  /^(reason|status|stage|kind|outcome|mismatch|method|frequency|\w*[dD]ay|start|end|inputId|.*Path|\w+Date|period\w+|quantity|unitPrice|taxRate|percent|accentColour|supportEmail|.*[uU]rl|action)$/;
const isFieldName = (key: string, holder: object): boolean => key === "name" && "required" in holder;

/** A copy of `value` in which every text that users write is `text`. */
function withText<Value>(value: Value, text: string): Value {
  return replaceText(value, text) as Value;
}

function replaceText(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((item) => replaceText(item, text));
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "currency") return [key, text.slice(0, 3)]; // a currency has three letters
      return [key, OURS.test(key) || isFieldName(key, value) ? item : replaceText(item, text)];
    }),
  );
}
