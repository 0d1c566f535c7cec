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
import { secretKeyIsFor } from "../credentials.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { refused, refusedRefund } from "../refusals.ts";
import { ask, find } from "./client.ts";
import { checkoutFact, eventFact } from "./facts.ts";
import { signatureFault } from "./signing.ts";
import * as wire from "./wire.ts";

/** A refusal, for an answer that is none. */
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
    // Messages about the payment bring back what is in here.
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

/** A test payment is no money to a live account; with a test key, which only a stand-in lets it have, every payment is one. */
const isTest = ({ mode, credentials }: GatewayCall, reported: string | null | undefined): boolean =>
  mode === "live" && reported === "test" && secretKeyIsFor(credentials) !== "sandbox";

/** Yoco knows checkouts by its own id alone. Without it the payer was not led to one either. */
async function query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  if (payment.checkoutRef === null) return null;
  const checkout = await find(call, `/checkouts/${encodeURIComponent(payment.checkoutRef)}`, wire.Checkout);
  return checkout && !isTest(call, checkout.processingMode) ? checkoutFact(checkout, payment) : null;
}

/** Checks the signature on the received bytes, then reads the message. One that does not bring our reference back names its checkout. */
function read(raw: RawNotification, call: GatewayCall): NotificationReading {
  const fault = signatureFault(call.credentials["webhookSecret"] ?? "", raw, call.machineNow);
  if (fault) return refused(fault);
  const body = parsed(Buffer.from(raw.rawBody).toString());
  const event = wire.Event.safeParse(body);
  if (!event.success) {
    const { type } = wire.AnyEvent.safeParse(body).data ?? {};
    const known = wire.Event.options.some(({ shape }) => shape.type.value === type);
    return type === undefined || known
      ? refused("The body is not a message of Yoco's.")
      : { kind: "verified", facts: [] };
  }
  const { payload } = event.data;
  if (isTest(call, payload.mode)) return { kind: "verified", facts: [] };
  const { reference = null, checkoutId = null } = payload.metadata ?? {};
  if (event.data.type.startsWith("payment.") && reference === null && checkoutId !== null)
    return { kind: "confirm", claim: JSON.stringify(body) };
  return { kind: "verified", facts: [eventFact(event.data, reference)] };
}

/** Asks for the reference of the checkout that a genuine message names. */
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
   * Yoco tells how refunds end by message only. One whose answer was lost is asked for again, which its key makes safe for a day; after that, and once
   * it was accepted, its message is waited for.
   */
  async query({ providerRefundRef, requestedAt }, call) {
    if (providerRefundRef === null && secondsBetween(requestedAt, call.now) < DAY_SECONDS) return null;
    throw new GatewayUnclear("Yoco: it cannot be asked about a refund");
  },
};

/** The addresses that are registered for messages, which only the right key may see. */
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

/** Those of the account, whatever the host: the query names it. */
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
 * Registers our address for messages, once: Yoco shows the secret that signs them only then. Addresses that this account had elsewhere, such as on
 * an old domain, are removed, and so is one whose secret is not known.
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
