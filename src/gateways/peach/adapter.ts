import { randomUUID } from "node:crypto";
import { z } from "zod";
import { toDecimalText } from "../../kernel/money.ts";
import { checkoutReferenceOf, shortReference } from "../../kernel/references.ts";
import { truncate } from "../../kernel/text.ts";
import type {
  Capability,
  CredentialField,
  GatewayAdapter,
  GatewayCall,
  NotificationReading,
  Payer,
  PaymentIdentity,
  RawNotification,
  RefundRequest,
  Refusal,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { formPairs } from "../form-body.ts";
import { beforehand, GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { LEFT_OUT_TEST, refused, refusedRefund } from "../refusals.ts";
import { storedCards } from "./cards.ts";
import { accessToken, ask } from "./client.ts";
import { confirmedFacts, paymentFact, refundOutcome } from "./facts.ts";
import { isTestResult } from "./result-codes.ts";
import { formFault, headerFault, isSignedInHeaders, signatureOf } from "./signing.ts";
import * as wire from "./wire.ts";

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const bearer = await accessToken(call);
  if (typeof bearer !== "string") return bearer;
  const { origin } = new URL(request.returnUrl);
  const json = {
    authentication: { entityId: call.credentials["entityId"] },
    merchantTransactionId: shortReference(request.reference),
    amount: toDecimalText(request.amount),
    currency: request.currency,
    paymentType: "DB",
    nonce: randomUUID(),
    shopperResultUrl: request.returnUrl,
    notificationUrl: request.notifyUrl,
    ...customerOf(request.payer),
    ...(request.saveCard ? { createRegistration: true } : {}),
  };
  // The domain that the merchant has put on Peach's list.
  const headers = { origin, referer: `${origin}/` };
  const post = { to: "checkout", method: "POST", path: "/v2/checkout", bearer, headers, json } as const;
  const answer = await ask(call, post, wire.CreatedCheckout);
  if (answer.kind === "refused") return answer;
  if (answer.kind === "absent") return refused("Peach does not know this entity.");
  const { checkoutId, redirectUrl } = answer.value;
  return { kind: "redirect", url: redirectUrl, checkoutRef: checkoutId };
}

const NAME_MAX = 48;
const EMAIL_MAX = 128;

function customerOf({ email, firstName, lastName }: Payer): object {
  const customer = {
    ...(email && email.length <= EMAIL_MAX ? { email } : {}),
    ...(firstName ? { givenName: truncate(firstName, NAME_MAX) } : {}),
    ...(lastName ? { surname: truncate(lastName, NAME_MAX) } : {}),
  };
  return Object.keys(customer).length > 0 ? { customer } : {};
}

/** Peach no longer has a checkout with this id: its answer gives no information about the payment. */
const NO_SESSION = "200.300.404";

/** Asks Peach about a checkout; null when it does not know it. Throws `GatewayUnclear` for a refusal. */
async function statusOf(checkoutId: string, call: GatewayCall): Promise<wire.Payment | null> {
  const bearer = await accessToken(call);
  if (typeof bearer !== "string") throw new GatewayUnclear(`Peach: ${bearer.reason}`);
  const path = `/v2/checkout/${encodeURIComponent(checkoutId)}/status`;
  const answer = await ask(call, { to: "checkout", method: "GET", path, bearer }, wire.Payment);
  if (answer.kind === "refused") throw new GatewayUnclear(`Peach: ${answer.reason}`);
  return answer.kind === "absent" || answer.value["result.code"] === NO_SESSION ? null : answer.value;
}

async function query({ checkoutRef, reference }: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const payment = checkoutRef === null ? null : await statusOf(checkoutRef, call);
  if (!payment || isTestResult(call, payment["result.code"])) return null;
  const named = payment.merchantTransactionId ?? null;
  const ours = named === null || named === shortReference(reference);
  return paymentFact(payment, ours ? reference : null);
}

/**
 * Checks a message by its headers where staff have switched that on, else by the signature among its fields. That
 * signature covers the fields joined without a separator, so it does not prove each value: such a message only makes
 * the service query the checkout.
 */
function read(raw: RawNotification, { credentials }: GatewayCall): NotificationReading {
  const secretToken = credentials["secretToken"] ?? "";
  const inHeaders = isSignedInHeaders(raw);
  const pairs = pairsOf(raw);
  if (!pairs) return refused("The body is neither a form nor JSON.");
  const fault = inHeaders ? headerFault(raw, secretToken) : formFault(pairs, secretToken);
  if (fault) return refused(fault);
  const notice = wire.Notice.safeParse(Object.fromEntries(pairs));
  if (!notice.success) return refused("The body is not a message of Peach's.");
  const { checkoutId, paymentType } = notice.data;
  if (paymentType === "RF") {
    if (inHeaders || isInFull(pairs)) return { kind: "verified", facts: refundOfNotice(notice.data) };
    return { kind: "unread", event: "RF", reason: "The message about a refund cannot be read." };
  }
  return checkoutId ? { kind: "confirm", claim: JSON.stringify({ checkoutId }) } : { kind: "verified", facts: [] };
}

/** The fields of a form, or of the JSON object in Peach's first message. */
function pairsOf({ headers, rawBody }: RawNotification): readonly (readonly [string, string])[] | null {
  if (!headers["content-type"]?.startsWith("application/json")) return formPairs(rawBody);
  const fields = wire.dotted(parsed(Buffer.from(rawBody).toString()));
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return null;
  return Object.entries(fields).map(([name, value]) => [name, String(value ?? "")]);
}

function refundOfNotice({ id, amount, currency, ...notice }: z.infer<typeof wire.Notice>): RefundFact[] {
  const code = notice["result.code"];
  if (!id || !code) return [];
  const reference = checkoutReferenceOf(notice.merchantTransactionId ?? "");
  const ids = { refundId: null, providerRefundRef: id, reference, paymentRef: notice.referencedId || null };
  const outcome = refundOutcome(code, notice["result.description"]);
  if (!outcome) return [];
  const money = { amount: amount?.amount ?? null, ...(currency ? { currency } : {}) };
  return [{ about: "refund", occurredAt: null, ...ids, ...money, ...outcome }];
}

/**
 * Whether each value of a message about a refund has its full form. Its signature covers the fields joined without a
 * separator, so that a part of one could be moved to the next; in full form none can.
 */
const FULL_FORMS: Readonly<Record<string, RegExp>> = {
  id: /^[0-9a-f]{32}$/,
  referencedId: /^[0-9a-f]{32}$/,
  amount: /^\d{1,12}\.\d{2}$/,
  currency: /^[A-Z]{3}$/,
  "result.code": /^\d{3}\.\d{3}\.\d{3}$/,
};
const isInFull = (pairs: readonly (readonly [string, string])[]): boolean =>
  Object.entries(FULL_FORMS).every(([name, form]) => form.test(pairs.find(([one]) => one === name)?.[1] ?? "")) &&
  new Set(pairs.map(([name]) => name)).size === pairs.length;

const Claim = z.object({ checkoutId: z.string().min(1) });

async function confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification | Refusal> {
  const payment = await statusOf(Claim.parse(JSON.parse(claim)).checkoutId, call);
  if (!payment) return refused("Peach does not know this checkout.");
  return isTestResult(call, payment["result.code"])
    ? LEFT_OUT_TEST
    : { kind: "verified", facts: confirmedFacts(payment) };
}

const PAYSHAP_ONCE =
  "Peach refunds a payment by PayShap once, whatever the amount, and this one was refunded before. " +
  "Pay the rest back from your bank, and record it here by hand.";

/** Whether a payment was made by PayShap; false for one that Peach no longer shows, which it then refuses by itself. */
async function isPayShap({ checkoutRef }: PaymentIdentity, call: GatewayCall): Promise<boolean> {
  const paid = checkoutRef === null ? null : await statusOf(checkoutRef, call);
  return paid?.paymentBrand?.toUpperCase() === "PAYSHAP";
}

/** Peach has no idempotency key: a request without an answer stays unclear. */
async function refund(request: RefundRequest, call: GatewayCall): Promise<RefundFact> {
  const { payment, refundId, amount } = request;
  const report = { about: "refund", occurredAt: null, refundId, reference: payment.reference, amount } as const;
  const no = (why: string): RefundFact => refusedRefund(request, why);
  if (payment.providerRef === null) return no("Peach's id of the payment is not known.");
  if (request.isFurther && (await beforehand(() => isPayShap(payment, call)))) return no(PAYSHAP_ONCE);
  const fields = {
    amount: toDecimalText(amount),
    "authentication.entityId": String(call.credentials["entityId"]),
    currency: payment.currency,
    id: payment.providerRef,
    paymentType: "RF",
  };
  const signature = signatureOf(Object.entries(fields), String(call.credentials["secretToken"]));
  const form = { ...fields, signature };
  const post = { to: "refunds", method: "POST", path: "/v1/checkout/refund", form } as const;
  const answer = await ask(call, post, wire.Refund);
  if (answer.kind === "absent") return no("Peach does not know the payment.");
  if (answer.kind === "refused") {
    if (answer.code !== null && !refundOutcome(answer.code, null)) throw new GatewayUnclear(`Peach: ${answer.code}`);
    return no(answer.reason);
  }
  const { "result.code": code, "result.description": description, id } = answer.value;
  const outcome = refundOutcome(code, description);
  if (!outcome) throw new GatewayUnclear(`Peach: ${code}`);
  return { ...report, providerRefundRef: id || null, ...outcome };
}

const STORED_CARDS: readonly Capability[] = ["saveCard", "chargeStoredCard"];

const secret = (name: string, label: string, more: Partial<CredentialField> = {}): CredentialField => ({
  name,
  label,
  secret: true,
  required: true,
  where: name.startsWith("recurring") ? "Recurring payments" : "Checkout, API keys",
  ...more,
});

/** Peach Payments: Checkout v2, refunds, and cards that a checkout has saved. */
export const peach: GatewayAdapter = {
  type: "peach",
  name: "Peach Payments",
  credentialFields: [
    { ...secret("entityId", "Entity id", { namesMerchant: true }), secret: false },
    { ...secret("clientId", "Client id"), secret: false },
    secret("clientSecret", "Client secret"),
    { ...secret("merchantId", "Merchant id", { namesMerchant: true }), secret: false },
    secret("secretToken", "Secret token"),
    {
      ...secret("recurringEntityId", "Recurring entity id", {
        required: false,
        enables: { capabilities: STORED_CARDS },
      }),
      secret: false,
    },
    secret("recurringAccessToken", "Recurring access token", {
      required: false,
      enables: { capabilities: STORED_CARDS },
    }),
  ],
  currencies: ["ZAR", "KES", "MUR", "USD", "GBP", "EUR"],
  simulated: false,
  payerDomains: ["peachpayments.com"],
  checkout: { needsPayerEmail: false, minimumAmounts: {}, savesCards: true, start, query },
  notifications: { urlIsSet: "per payment", read, confirm },
  refunds: {
    refund,
    async query() {
      throw new GatewayUnclear("Peach: it cannot be asked about a refund");
    },
  },
  storedCards,
  facts: {
    fees: "A percentage and an amount for each payment, by the method that the payer chooses, with VAT.",
    feesReported: false,
    limits: [
      "Some ways to pay, such as pay by bank, cannot be refunded; a payment by PayShap is refunded once, in part or whole.",
      "Cards are saved and charged with the recurring credentials only.",
      "The domain of this service must be on Peach's list.",
    ],
  },
  async connect(_request, call) {
    const token = await accessToken(call);
    return typeof token === "string" ? { kind: "connected", credentials: {} } : token;
  },
};
