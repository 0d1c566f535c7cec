import { cents } from "../../kernel/money.ts";
import { truncate } from "../../kernel/text.ts";
import { DAY_SECONDS, secondsBetween } from "../../kernel/time.ts";
import type {
  ChargeRequest,
  Connection,
  GatewayAdapter,
  GatewayCall,
  PaymentIdentity,
  RefundAbility,
  RefundRequest,
  StartedPayment,
  StartPaymentRequest,
  StoredCardAbility,
} from "../contract.ts";
import { secretKeyIsFor } from "../credentials.ts";
import type { DeclinedFact, PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { declinedCharge, refused, refusedRefund } from "../refusals.ts";
import { ask } from "./client.ts";
import { isHard, paymentFact, refundFact, storedCard } from "./facts.ts";
import { confirmNotification, readNotification } from "./notifications.ts";
import { known, refundsOfTransaction, verifyTransaction } from "./queries.ts";
import { subscriptions } from "./subscriptions.ts";
import * as wire from "./wire.ts";

const UNKNOWN = "Paystack does not know it.";

/**
 * With a `plan`, Paystack starts the subscription with this payment, at the plan's amount. When this payment's amount
 * or the date of the next one differs from the plan, the payment is made without a plan, and the core starts the
 * subscription after it (`subscriptions.begin`).
 */
async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, currency, payer, returnUrl, cancelUrl, recurring, saveCard, description } = request;
  if (!payer.email) return refused("Paystack needs the payer's email address.");
  const plan = recurring && (await createPlan(request, recurring, call));
  if (plan && plan.kind !== "answer") return refused(plan.kind === "absent" ? UNKNOWN : plan.reason);
  const code = plan?.value.data.plan_code;
  const startsWithIt = recurring?.amount === amount && recurring.nextChargeOn === null;
  const subscription: wire.OwnMetadata | undefined | null | "" = code &&
    recurring && {
      subscription_plan: code,
      subscription_interval: recurring.frequency,
      subscription_begins: startsWithIt ? "with_payment" : "after_payment",
      ...(recurring.nextChargeOn ? { subscription_start: recurring.nextChargeOn } : {}),
    };
  const body: wire.InitializeRequest = {
    email: payer.email,
    amount,
    currency,
    reference,
    callback_url: returnUrl,
    metadata: {
      cancel_action: cancelUrl,
      custom_fields: [{ display_name: "Description", variable_name: "description", value: description }],
      ...(subscription || {}),
    },
    ...(code && startsWithIt ? { plan: code } : {}),
    // Only a card can be charged again.
    ...(saveCard || recurring ? { channels: ["card"] } : {}),
  };
  const answer = await ask(call, { method: "POST", path: "/transaction/initialize", body }, wire.Initialized);
  if (answer.kind === "absent") return refused(UNKNOWN);
  if (answer.kind === "refused") return refused(answer.reason);
  const { authorization_url: url, access_code: checkoutRef } = answer.value.data;
  return { kind: "redirect", url, checkoutRef };
}

const PLAN_NAME_CHARACTERS = 100;

/** Each payment that starts a subscription gets a plan of its own, so that the plan of a charge identifies the subscription. */
function createPlan(
  { reference, description, currency }: StartPaymentRequest,
  { amount, frequency }: NonNullable<StartPaymentRequest["recurring"]>,
  call: GatewayCall,
) {
  const name = `${truncate(description, PLAN_NAME_CHARACTERS)} ${reference}`;
  const body: wire.PlanRequest = { name, amount, interval: frequency, currency };
  return ask(call, { method: "POST", path: "/plan", body }, wire.Plan);
}

/** Whether the payment is a collection that Paystack made by itself: Paystack knows it by a reference of its own, which is not stored. */
const isCollection = ({ reference, providerRef }: PaymentIdentity): boolean =>
  providerRef !== null && reference.endsWith(`-${providerRef}`);

/**
 * Only payments that are not paid here are queried. One that Paystack had collected and has returned in the meantime
 * (`reversed`) has failed, for good: its money was returned, and its card must not be charged again.
 */
async function queryPayment(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const fact = isCollection(payment) ? null : await verifyTransaction(payment.reference, call);
  if (fact?.gatewayWord !== "reversed") return fact;
  return { ...fact, kind: "declined", reason: "Paystack has given the payment back to the payer.", hard: true };
}

const declined = (request: ChargeRequest, word: string, reason: string): DeclinedFact =>
  declinedCharge(request, { word, reason, hard: isHard(reason) });

/** A used reference is refused, so that a repeated charge is not made twice: the existing charge is then queried. */
async function charge(request: ChargeRequest, call: GatewayCall): Promise<PaymentFact> {
  const { reference, amount, currency, card } = request;
  const { authorization, email } = storedCard(card.token);
  const body: wire.ChargeRequest = { email, amount, currency, authorization_code: authorization, reference };
  const answer = await ask(call, { method: "POST", path: "/transaction/charge_authorization", body }, wire.Charged);
  if (answer.kind === "absent") return declined(request, "refused", UNKNOWN);
  if (answer.kind === "refused") {
    if (answer.code !== "duplicate_reference" && !/duplicate/i.test(answer.reason))
      return declined(request, answer.code ?? "refused", answer.reason);
    const before = await verifyTransaction(reference, call);
    if (before) return before;
    throw new GatewayUnclear("Paystack: a reference that it has used and does not know");
  }
  const { data } = answer.value;
  // The payer is not sent to the bank's page, so that the charge cannot be completed later.
  if ("paused" in data) return declined(request, "paused", "The bank wants the payer to confirm the charge.");
  return paymentFact(data);
}

/** A charge or refund that Paystack does not know after this time was never made. */
const UNKNOWN_SECONDS = DAY_SECONDS;

const storedCards: StoredCardAbility = {
  brands: ["visa", "mastercard"],
  charge,
  /** Never null: a charge without an idempotency key is not sent again (decisions.md#never-sent-again-without-a-key). */
  async query(payment, call) {
    const fact = await queryPayment(payment, call);
    if (fact) return fact;
    if (secondsBetween(payment.startedAt, call.now) < UNKNOWN_SECONDS)
      throw new GatewayUnclear("Paystack: a charge that it does not know yet");
    const reason = "Paystack has no such charge: it was never made.";
    return declinedCharge(payment, { word: "unknown", reason, hard: false });
  },
};

const NOTE_CHARACTERS = 200;

/** The note begins with our id: a refund whose answer was lost is found again by it. */
const noteOf = ({ refundId, reason }: RefundRequest): string =>
  truncate(reason ? `${refundId} ${reason}` : refundId, NOTE_CHARACTERS);

/** A payment that this service has started by its reference; a collection by Paystack's number of it. */
const transactionOf = (payment: PaymentIdentity): number | string =>
  isCollection(payment) && payment.providerRef ? Number(payment.providerRef) : payment.reference;

const refunds: RefundAbility = {
  async refund(request, call) {
    const { payment, refundId, amount } = request;
    const { currency } = payment;
    const body: wire.RefundRequest = {
      transaction: transactionOf(payment),
      amount,
      currency,
      merchant_note: noteOf(request),
    };
    const answer = await ask(call, { method: "POST", path: "/refund", body }, wire.Refund);
    if (answer.kind === "answer") return refundFact(answer.value.data, refundId);
    return refusedRefund(request, answer.kind === "refused" ? answer.reason : UNKNOWN);
  },
  /**
   * Never null: a refund is not sent again (decisions.md#never-sent-again-without-a-key). One without Paystack's id is searched by its
   * note.
   */
  async query(request, call) {
    const { refundId, providerRefundRef, requestedAt } = request;
    const found = await (providerRefundRef ? findRefund(providerRefundRef, call) : findByNote(request, call));
    if (found) return refundFact(found, refundId);
    if (providerRefundRef || secondsBetween(requestedAt, call.now) < UNKNOWN_SECONDS)
      throw new GatewayUnclear("Paystack: a refund that it does not know");
    return refusedRefund(request, "Paystack has no such refund: it was never made.", "unknown");
  },
};

const findRefund = async (id: string, call: GatewayCall): Promise<wire.Refund | null> =>
  known(await ask(call, { method: "GET", path: `/refund/${encodeURIComponent(id)}` }, wire.Refund));

async function findByNote({ payment, refundId }: RefundRequest, call: GatewayCall): Promise<wire.Refund | null> {
  if (payment.providerRef === null) throw new GatewayUnclear("Paystack: a refund of a payment without its number");
  const listed = await refundsOfTransaction(payment.providerRef, call);
  if (listed === null) throw new GatewayUnclear("Paystack: no list of refunds");
  return listed.find((refund) => refund.merchant_note?.split(" ")[0] === refundId) ?? null;
}

/** Asks about a payment that cannot exist: with a wrong key it is refused, with a right one it is not found. */
async function connect(_request: object, call: GatewayCall): Promise<Connection> {
  const path = "/transaction/verify/tefo-connection-test";
  const answer = await ask(call, { method: "GET", path }, wire.Transaction);
  const wrong = answer.kind === "refused" && (answer.status === 401 || answer.status === 403);
  return wrong ? refused(answer.reason) : { kind: "connected", credentials: {} };
}

/**
 * Paystack: cards, instant EFT, Capitec Pay and QR on its pages; subscriptions that can only be cancelled; cards that
 * can be charged again.
 */
export const paystack: GatewayAdapter = {
  type: "paystack",
  name: "Paystack",
  credentialFields: [
    {
      name: "secretKey",
      label: "Secret key",
      secret: true,
      required: true,
      pattern: "sk_(test|live)_[A-Za-z0-9_-]+",
      hint: "it begins with sk_test_ or sk_live_.",
      where: "Settings, API Keys & Webhooks",
    },
  ],
  currencies: ["ZAR", "NGN", "GHS", "KES", "USD"],
  simulated: false,
  payerDomains: ["paystack.com", "paystack.co"],
  checkout: {
    needsPayerEmail: true,
    minimumAmounts: { ZAR: cents(100) },
    savesCards: true,
    start,
    query: queryPayment,
  },
  notifications: { urlIsSet: "by hand", read: readNotification, confirm: confirmNotification },
  refunds,
  subscriptions,
  storedCards,
  facts: {
    fees: "A percentage of each payment, and an amount for some methods and above some sums.",
    feesReported: true,
    limits: [
      "A payment needs the payer's email address.",
      "Subscriptions can be cancelled only: no pause, and another amount means a new checkout.",
      "The notification address is pasted in Paystack's dashboard, one for each of its two modes.",
    ],
  },
  keysAreFor: secretKeyIsFor,
  connect,
};
