import { personName } from "../../kernel/person-name.ts";
import { truncate } from "../../kernel/text.ts";
import type {
  Connection,
  GatewayCall,
  NotificationReading,
  Payer,
  PaymentIdentity,
  RawNotification,
  RefundRequest,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import type { PaymentFact, RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { refusedRefund } from "../refusals.ts";
import { openUntil, type StitchApi } from "./api.ts";
import { accessToken, ask, find } from "./client.ts";
import { endFact, isPaid, noticeFact, paymentFact, refundKind, refundNotice } from "./facts.ts";
import { findSubscription, startSubscription } from "./subscriptions.ts";
import * as wire from "./wire.ts";

const SCOPE = "client_paymentrequest";

const PAYER_NAME_MIN = 3;
const PAYER_NAME_MAX = 40;

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, payer, returnUrl, recurring } = request;
  if (recurring) return startSubscription(request, recurring, payerName(payer), call);
  const body = {
    amount,
    merchantReference: reference,
    payerName: payerName(payer),
    ...(payer.email ? { payerEmailAddress: payer.email } : {}),
    expiresAt: openUntil(call),
    skipCheckoutPage: true,
  };
  const answer = await ask(call, SCOPE, { method: "POST", path: "/payment-links", body }, wire.CreatedLink);
  if (answer.kind === "refused") return answer;
  if (answer.kind === "absent") return { kind: "refused", reason: "Stitch offers no payment links to this account." };
  const { id, link } = answer.value.payment;
  const url = new URL(link);
  url.searchParams.set("redirect_url", returnUrl);
  return { kind: "redirect", url: url.href, checkoutRef: id };
}

/** Stitch requires a name of 3 to 40 characters; payers need not give one. */
function payerName(payer: Payer): string {
  const candidates = [personName(payer) ?? "", payer.email?.split("@", 1)[0] ?? ""];
  return truncate(candidates.find((one) => one.length >= PAYER_NAME_MIN) ?? "Customer", PAYER_NAME_MAX);
}

/** Queries the payment by its own id, or by that of its link; then the link, which has more data of a payment that nobody has made yet. */
async function query({ providerRef, checkoutRef }: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const id = providerRef ?? checkoutRef;
  if (id === null) return null;
  const found =
    (await find(call, SCOPE, `/payment/${encodeURIComponent(id)}`, wire.FoundPayment)) ??
    (checkoutRef === null
      ? null
      : await find(call, SCOPE, `/payment-links/${encodeURIComponent(checkoutRef)}`, wire.FoundPayment));
  return found && paymentFact(found.payment, checkoutRef);
}

/** Its payment tells the fee. */
function read(raw: RawNotification): NotificationReading {
  const body = parsed(Buffer.from(raw.rawBody).toString());
  const notice = wire.Notice.safeParse(body);
  if (!notice.success) {
    const { type, id } = wire.AnyNotice.safeParse(body).data ?? {};
    const reason = "The body is not a message about a payment.";
    return id === undefined ? { kind: "refused", reason } : { kind: "unread", event: type || "unnamed", reason };
  }
  const refund = refundNotice(notice.data);
  return refund ? { kind: "verified", facts: [refund] } : { kind: "confirm", claim: JSON.stringify(body) };
}

/** A verified message counts without an answer about the fee, so the wait for one is short. */
const FEE_TIMEOUT_MS = 4000;

/**
 * Reads the fee of a paid payment; the signed message counts also when Stitch does not answer. Whether a subscription
 * has ended is known from Stitch's list alone: without it the message is unclear.
 */
async function confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification> {
  const notice = wire.Notice.parse(JSON.parse(claim));
  if (endFact(notice, null)) {
    const listed = await findSubscription(notice.merchantReference ?? "", call);
    const end = endFact(notice, listed?.status ?? null);
    if (end) return { kind: "verified", facts: [end] };
  }
  const path = `/payment/${encodeURIComponent(notice.id)}`;
  const found = isPaid(notice.status)
    ? await unlessUnclear(() => find(call, SCOPE, path, wire.FoundPayment, FEE_TIMEOUT_MS))
    : null;
  return { kind: "verified", facts: [noticeFact(notice, found?.payment ?? null)] };
}

/** Null when the answer is unclear. */
async function unlessUnclear<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayUnclear) return null;
    throw error;
  }
}

/** Maps the reason to one of Stitch's own. */
const reasonOf = (reason: string | null): string =>
  /duplicat/i.test(reason ?? "") ? "DUPLICATE" : /fraud/i.test(reason ?? "") ? "FRAUD" : "REQUESTED_BY_CUSTOMER";

/** Stitch has no idempotency key: a request without an answer stays unclear. */
async function refund(request: RefundRequest, call: GatewayCall): Promise<RefundFact> {
  const { payment, refundId, amount } = request;
  const report = { about: "refund", occurredAt: null, refundId, reference: payment.reference, amount } as const;
  const no = (why: string): RefundFact => refusedRefund(request, why);
  const id = payment.providerRef ?? payment.checkoutRef;
  if (id === null) return no("Stitch's id of the payment is not known.");
  const body = { amount, reason: reasonOf(request.reason) };
  const path = `/payment/${encodeURIComponent(id)}/refund`;
  const answer = await ask(call, SCOPE, { method: "POST", path, body }, wire.Refund);
  if (answer.kind !== "answer")
    return no(answer.kind === "refused" ? answer.reason : "Stitch does not know the payment.");
  const { id: providerRefundRef = null, status } = answer.value;
  const kind = refundKind(status);
  const reason = kind === "refused" ? "Stitch could not make the refund." : null;
  return { ...report, kind, gatewayWord: status, providerRefundRef: providerRefundRef ?? null, reason };
}

async function check(call: GatewayCall): Promise<Connection> {
  const token = await accessToken(call, SCOPE);
  return typeof token === "string" ? { kind: "connected", credentials: {} } : token;
}

/** Checks client id and secret, and registers our address as one that payers may return to. */
async function connect({ notifyUrl }: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection> {
  const checked = await check(call);
  if (checked.kind === "refused") return checked;
  const { origin } = new URL(notifyUrl);
  const listed = await ask(call, SCOPE, { method: "GET", path: "/redirect-urls" }, wire.RedirectUrls);
  const known = listed.kind === "answer" && listed.value.redirectUrls.includes(origin);
  // Payments work without it, so an account that already has five addresses is saved too.
  if (listed.kind === "answer" && !known)
    await ask(call, SCOPE, { method: "POST", path: "/redirect-urls", body: { redirectUrl: origin } }, wire.Anything);
  return { kind: "connected", credentials: {} };
}

/** Stitch Express: payment links, refunds, and subscriptions on approval (`subscriptions.ts`). */
export const express: StitchApi = {
  start,
  query,
  read,
  confirm,
  refunds: {
    refund,
    async query() {
      throw new GatewayUnclear("Stitch: it cannot be asked about a refund");
    },
  },
  check,
  connect,
};
