import { DAY_SECONDS, secondsBetween } from "../../kernel/time.ts";
import type {
  Connection,
  Disconnection,
  GatewayAdapter,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  RefundAbility,
  Refusal,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import { isTestOfLive, secretKeyIsFor } from "../credentials.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { LEFT_OUT_TEST, refused, refusedRefund } from "../refusals.ts";
import { ask, find } from "./client.ts";
import { checkoutFact, eventFact } from "./facts.ts";
import { signatureFault } from "./signing.ts";
import * as wire from "./wire.ts";

/** The refusal for an answer that is not a success. */
const refusal = (answer: Refusal | { readonly kind: "absent" }): Refusal =>
  answer.kind === "refused" ? answer : refused("Yoco does not know it.");

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, currency, returnUrl, cancelUrl } = request;
  const body = {
    amount,
    currency,
    successUrl: returnUrl,
    failureUrl: returnUrl,
    cancelUrl,
    externalId: reference,
    // Yoco returns these metadata in messages about the payment.
    metadata: { reference },
  };
  const post = { method: "POST", path: "/checkouts", body, idempotencyKey: reference } as const;
  const answer = await ask(call, post, wire.CreatedCheckout);
  if (answer.kind !== "answer") return refusal(answer);
  const { id, redirectUrl, processingMode } = answer.value;
  return isTest(call, processingMode)
    ? refused("Yoco takes test payments only with this key, and the account is a live one.")
    : { kind: "redirect", url: redirectUrl, checkoutRef: id };
}

const isTest = (call: GatewayCall, reported: string | null | undefined): boolean =>
  isTestOfLive(call, reported === "test");

/** Yoco finds checkouts by its own id only. Without that id the payer was not sent to a checkout either. */
async function query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  if (payment.checkoutRef === null) return null;
  const checkout = await find(call, `/checkouts/${encodeURIComponent(payment.checkoutRef)}`, wire.Checkout);
  return checkout && !isTest(call, checkout.processingMode) ? checkoutFact(checkout, payment) : null;
}

/** Checks the signature on the received bytes, then reads the message. When it does not contain our reference, it names its checkout. */
function read(raw: RawNotification, call: GatewayCall): NotificationReading {
  const fault = signatureFault(call.credentials["webhookSecret"] ?? "", raw, call.machineNow);
  if (fault) return refused(fault);
  const body = parsed(Buffer.from(raw.rawBody).toString());
  const event = wire.Event.safeParse(body);
  if (!event.success) {
    const { type } = wire.AnyEvent.safeParse(body).data ?? {};
    const known = wire.Event.options.some(({ shape }) => shape.type.value === type);
    if (type === undefined) return refused("The body is not a message of Yoco's.");
    return known
      ? { kind: "unread", event: type, reason: `The payload of ${type} cannot be read.` }
      : { kind: "verified", facts: [] };
  }
  const { payload } = event.data;
  if (isTest(call, payload.mode)) return LEFT_OUT_TEST;
  const { reference = null, checkoutId = null } = payload.metadata ?? {};
  const isOurs = event.data.type.startsWith("refund.") && Boolean(payload.metadata?.refundId);
  if (!isOurs && reference === null && checkoutId !== null) return { kind: "confirm", claim: JSON.stringify(body) };
  return { kind: "verified", facts: [eventFact(event.data, reference)] };
}

/** Asks for the reference of the checkout that a verified message names. */
async function confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification | Refusal> {
  const event = wire.Event.parse(JSON.parse(claim));
  const path = `/checkouts/${encodeURIComponent(event.payload.metadata?.checkoutId ?? "")}`;
  const checkout = await find(call, path, wire.Checkout);
  return { kind: "verified", facts: [eventFact(event, checkout?.externalId ?? null)] };
}

const REFUND_KINDS = new Map<string, RefundFact["kind"]>([
  ["succeeded", "processed"],
  ["successful", "processed"],
  ["failed", "refused"],
]);

const refunds: RefundAbility = {
  async refund(request, call) {
    const { payment, refundId, amount } = request;
    const report = { about: "refund", occurredAt: null, refundId, reference: payment.reference, amount } as const;
    const no = (why: string): RefundFact => refusedRefund(request, why);
    if (payment.checkoutRef === null) return no("Yoco's id of the checkout is not known.");
    const path = `/checkouts/${encodeURIComponent(payment.checkoutRef)}/refund`;
    const body = { amount, metadata: { refundId } };
    const answer = await ask(call, { method: "POST", path, body, idempotencyKey: refundId }, wire.Refund);
    if (answer.kind !== "answer") return no(refusal(answer).reason);
    const { refundId: providerRefundRef, status, message } = answer.value;
    const kind = REFUND_KINDS.get(status) ?? "pending";
    const reason = kind === "refused" ? message || "Yoco could not make the refund." : null;
    return { ...report, kind, gatewayWord: status, providerRefundRef, reason };
  },
  /**
   * Yoco reports the outcome of refunds by message only. A refund whose answer was lost is requested again, which its
   * key makes safe for a day; after that, and once it was accepted, the service waits for the message.
   */
  async query({ providerRefundRef, requestedAt }, call) {
    if (providerRefundRef === null && secondsBetween(requestedAt, call.now) < DAY_SECONDS) return null;
    throw new GatewayUnclear("Yoco: it cannot be asked about a refund");
  },
};

/** The addresses that are registered for messages; the call needs a valid key. */
async function registered(call: GatewayCall) {
  const listed = await ask(call, { method: "GET", path: "/webhooks" }, wire.Webhooks);
  if (listed.kind !== "answer") return refusal(listed);
  return { kind: "listed", webhooks: listed.value.subscriptions } as const;
}

async function check(call: GatewayCall): Promise<Connection> {
  const listed = await registered(call);
  return listed.kind === "refused" ? listed : { kind: "connected", credentials: {} };
}

interface Address {
  readonly id: string;
  readonly url: string;
}

/** The addresses of this account, on any host: the query names the account. */
const addressesOfAccount = (addresses: readonly Address[], notifyUrl: string): readonly Address[] =>
  addresses.filter(({ url }) => URL.parse(url)?.search === new URL(notifyUrl).search);

/** Null once all are removed; else Yoco's refusal. */
async function removeAddresses(addresses: readonly Address[], call: GatewayCall): Promise<Refusal | null> {
  for (const { id } of addresses) {
    const removed = await ask(call, { method: "DELETE", path: `/webhooks/${encodeURIComponent(id)}` }, wire.Anything);
    if (removed.kind === "refused") return removed;
  }
  return null;
}

async function disconnect({ notifyUrl }: { readonly notifyUrl: string }, call: GatewayCall): Promise<Disconnection> {
  const listed = await registered(call);
  if (listed.kind === "refused") return listed;
  const kept = await removeAddresses(addressesOfAccount(listed.webhooks, notifyUrl), call);
  return kept ?? { kind: "disconnected" };
}

/**
 * Registers our address for messages, once: Yoco shows the secret that signs them only then. Other addresses of this
 * account, such as on an old domain, are removed, and so is one whose secret is not known.
 */
async function connect({ notifyUrl }: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection> {
  const { webhookId = "" } = call.credentials;
  const listed = await registered(call);
  if (listed.kind === "refused") return listed;
  const ours = addressesOfAccount(listed.webhooks, notifyUrl);
  const current = ours.find(({ id, url }) => id === webhookId && url === notifyUrl);
  const kept = await removeAddresses(
    ours.filter((webhook) => webhook !== current),
    call,
  );
  if (kept) return kept;
  if (current) return { kind: "connected", credentials: {} };
  const body = { name: `tefo-${call.accountId}`, url: notifyUrl };
  const created = await ask(call, { method: "POST", path: "/webhooks", body }, wire.CreatedWebhook);
  if (created.kind !== "answer") return refusal(created);
  return { kind: "connected", credentials: { webhookId: created.value.id, webhookSecret: created.value.secret } };
}

/** Yoco: payments on its own page. It saves no cards, and nothing recurs. */
export const yoco: GatewayAdapter = {
  type: "yoco",
  name: "Yoco",
  credentialFields: [
    {
      name: "secretKey",
      label: "Secret key",
      secret: true,
      required: true,
      where: "Sell online, Payment gateway, API keys",
      pattern: "sk_(?:live|test)_[\\x21-\\x7e]+",
      hint: "it begins with sk_live_ or sk_test_.",
    },
  ],
  currencies: ["ZAR"],
  simulated: false,
  payerDomains: ["yoco.com"],
  checkout: { needsPayerEmail: false, minimumAmounts: {}, savesCards: false, start, query },
  notifications: { urlIsSet: "by connect", read, confirm },
  refunds,
  facts: {
    fees: "A percentage of each payment, by the method that the payer chooses, with VAT.",
    feesReported: false,
    limits: ["Refunds need a live key.", "Cards are not saved, and nothing recurs."],
  },
  keysAreFor: secretKeyIsFor,
  check,
  connect,
  disconnect,
};
