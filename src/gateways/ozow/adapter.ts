import { z } from "zod";
import { cents } from "../../kernel/money.ts";
import type {
  Connection,
  GatewayAdapter,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  RefundRequest,
  Refusal,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { formPairs, valueIn } from "../form-body.ts";
import { beforehand, GatewayUnclear } from "../http.ts";
import { LEFT_OUT_TEST, refused, refusedRefund } from "../refusals.ts";
import { ask, find } from "./client.ts";
import { decisive, paymentFact, refundFact } from "./facts.ts";
import { hashOf, isHash } from "./signing.ts";
import * as wire from "./wire.ts";

/** Requests a page on which the payer pays. */
async function requestPayment(
  request: Omit<Parameters<typeof wire.paymentRequestBody>[0], "siteCode">,
  call: GatewayCall,
): Promise<{ readonly kind: "page"; readonly id: string | null; readonly url: string } | Refusal> {
  const { siteCode = "", privateKey = "" } = call.credentials;
  for (const url of [request.returnUrl, request.cancelUrl, request.notifyUrl])
    if (url.length > wire.URL_CHARACTERS_MAX)
      return refused(`Ozow takes addresses of ${wire.URL_CHARACTERS_MAX} characters at most; one of ours is longer.`);
  const json = wire.paymentRequestBody({ ...request, siteCode }, privateKey);
  const answer = await ask(call, { method: "POST", path: "/PostPaymentRequest", json }, wire.PaymentRequestAnswer);
  if (answer.kind === "refused") return answer;
  if (answer.kind === "absent") return refused("Ozow has no such page.");
  const { url, paymentRequestId, errorMessage } = answer.value;
  if (url) return { kind: "page", id: paymentRequestId ?? null, url };
  if (errorMessage) return refused(errorMessage);
  throw new GatewayUnclear("Ozow: neither a page nor a reason");
}

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, payer, cancelUrl, returnUrl, notifyUrl } = request;
  const isTest = call.mode === "sandbox";
  const page = await requestPayment({ reference, amount, payer, cancelUrl, returnUrl, notifyUrl, isTest }, call);
  return page.kind === "refused" ? page : { kind: "redirect", url: page.url, checkoutRef: page.id };
}

const siteAndTest = ({ credentials, mode }: GatewayCall) => ({
  siteCode: String(credentials["siteCode"]),
  isTest: String(mode === "sandbox"),
});

/** Whether a payment counts: a test payment moves no money for a live account. */
const counts = ({ mode }: GatewayCall, { isTest }: wire.Transaction): boolean => mode === "sandbox" || isTest !== true;

/** The payer's attempts at a payment, each of which has an id of its own. */
async function attemptsAt(reference: string, call: GatewayCall): Promise<readonly PaymentFact[]> {
  const asked = { ...siteAndTest(call), transactionReference: reference };
  const tries = (await find(call, "/GetTransactionByReference", asked, wire.Transactions)) ?? [];
  return tries.filter((one) => one.transactionReference === reference && counts(call, one)).map(paymentFact);
}

const query = async ({ reference, providerRef }: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> =>
  decisive(await attemptsAt(reference, call), providerRef);

/** Checks a message's hash. One about a payment is then confirmed by Ozow: its hash joins values without a sign between them. */
function read(raw: RawNotification, { credentials, mode }: GatewayCall): NotificationReading {
  const { siteCode = "", privateKey = "" } = credentials;
  const pairs = formPairs(raw.rawBody);
  if (!pairs) return refused("The body is not a form.");
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return refused("A field comes twice.");
  const isRefund = valueIn(pairs, "RefundId") !== null;
  const values = (isRefund ? wire.REFUND_FIELDS : wire.PAYMENT_FIELDS).map((name) => valueIn(pairs, name) ?? "");
  if (!isHash(valueIn(pairs, "Hash"), hashOf(values, privateKey))) return refused("The hash is missing or wrong.");
  if (isRefund) {
    const notice = wire.RefundNotice.safeParse(Object.fromEntries(pairs));
    if (!notice.success)
      return { kind: "unread", event: "refund", reason: "The message about a refund cannot be read." };
    const ours = URL.parse(raw.url)?.searchParams.get(REFUND_PARAMETER) ?? null;
    return { kind: "verified", facts: [refundFact(notice.data, ours)] };
  }
  if (valueIn(pairs, "SiteCode")?.toLowerCase() !== siteCode.toLowerCase())
    return refused("The message is for another site.");
  if (mode === "live" && valueIn(pairs, "IsTest")?.toLowerCase() === "true") return LEFT_OUT_TEST;
  const claim = { id: valueIn(pairs, "TransactionId"), reference: valueIn(pairs, "TransactionReference") };
  return Claim.safeParse(claim).success
    ? { kind: "confirm", claim: JSON.stringify(claim) }
    : refused("The body is not a message about a payment.");
}

const Claim = z.object({ id: z.string().min(1).max(100), reference: z.string().min(1).max(50) });

/**
 * Asks Ozow about the attempt that a message names; the message's own statements do not count (decisions.md#confirmed-by-a-question). An
 * attempt that is not complete does not decide the payment by itself.
 */
async function confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification | Refusal> {
  const { id, reference } = Claim.parse(JSON.parse(claim));
  const asked = { ...siteAndTest(call), transactionId: id };
  const found = await find(call, "/GetTransaction", asked, wire.FoundTransaction);
  if (!found) return refused("Ozow does not know this transaction.");
  if (found.transactionId !== id || found.transactionReference !== reference)
    return refused("Ozow has another transaction under this id.");
  if (!counts(call, found)) return LEFT_OUT_TEST;
  const fact = paymentFact(found);
  const others = fact.kind === "paid" ? [] : await attemptsAt(reference, call);
  return { kind: "verified", facts: [decisive([...others, fact], id) ?? fact] };
}

/** The parameter with our refund's id in the address for its message, since Ozow stores none of our ids. */
const REFUND_PARAMETER = "refund";

/** Ozow has no idempotency key: a request without an answer stays unclear until its message comes. */
async function refund(request: RefundRequest, call: GatewayCall): Promise<RefundFact> {
  const { siteCode = "", privateKey = "" } = call.credentials;
  const { payment, refundId, amount, reason } = request;
  const report = { about: "refund", occurredAt: null, refundId, reference: payment.reference, amount } as const;
  const no = (why: string): RefundFact => refusedRefund(request, why);
  if (payment.providerRef === null) return no("Ozow's id of the payment is not known.");
  const form = { grant_type: "password", SiteCode: siteCode };
  const token = await beforehand(() => ask(call, { method: "POST", path: "/token", form }, wire.Token));
  if (token.kind !== "answer") return no(token.kind === "refused" ? token.reason : "Ozow offers no refunds.");
  const notifyUrl = `${request.notifyUrl}&${REFUND_PARAMETER}=${encodeURIComponent(refundId)}`;
  const json = wire.refundBody({ transactionId: payment.providerRef, amount, reason, notifyUrl }, privateKey);
  const post = { method: "POST", path: "/secure/refunds/submit", json, bearer: token.value.access_token } as const;
  const answer = await ask(call, post, wire.RefundAnswers);
  if (answer.kind !== "answer") return no(answer.kind === "refused" ? answer.reason : "Ozow offers no refunds.");
  const { refundId: providerRefundRef, errors } = answer.value[0] ?? {};
  const reasons = [errors ?? []].flat().filter((error) => error !== "");
  if (reasons.length > 0) return no(reasons.join(" "));
  if (!providerRefundRef) throw new GatewayUnclear("Ozow: neither an id of the refund nor a reason");
  return { ...report, kind: "pending", gatewayWord: "Pending", providerRefundRef, reason: null };
}

/** Checks all three credentials by requesting a test payment that nobody pays: the request needs each of them, and costs nothing. */
async function connect({ notifyUrl }: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection> {
  const { origin } = new URL(notifyUrl);
  const request = { reference: "TEFO-TEST", amount: cents(100), payer: null, isTest: true };
  const page = await requestPayment({ ...request, cancelUrl: origin, returnUrl: origin, notifyUrl }, call);
  return page.kind === "refused" ? page : { kind: "connected", credentials: {} };
}

/** Ozow: payments by bank. No cards, and nothing recurs. */
export const ozow: GatewayAdapter = {
  type: "ozow",
  name: "Ozow",
  credentialFields: [
    {
      name: "siteCode",
      namesMerchant: true,
      label: "Site code",
      secret: false,
      required: true,
      where: "Merchant details, the site",
      pattern: "[A-Za-z0-9-]{1,50}",
      hint: "letters, digits and dashes.",
    },
    { name: "privateKey", label: "Private key", secret: true, required: true, where: "Merchant details, the site" },
    { name: "apiKey", label: "API key", secret: true, required: true, where: "Merchant details, the site" },
  ],
  currencies: ["ZAR"],
  simulated: false,
  payerDomains: ["ozow.com"],
  checkout: { needsPayerEmail: false, minimumAmounts: {}, savesCards: false, start, query },
  notifications: { urlIsSet: "per payment", read, confirm },
  refunds: {
    refund,
    async query() {
      throw new GatewayUnclear("Ozow: it cannot be asked about a refund");
    },
  },
  facts: {
    fees: "An amount or a percentage for each payment, as agreed with Ozow, with VAT.",
    feesReported: false,
    limits: [
      "Payers pay from their bank account: no cards, and nothing recurs.",
      "Addresses have 150 characters at most.",
    ],
  },
  connect,
};
