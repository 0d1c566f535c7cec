import { toRand } from "../../kernel/money.ts";
import { personName } from "../../kernel/person-name.ts";
import type {
  Connection,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { refused } from "../refusals.ts";
import { openUntil, type StitchApi } from "./api.ts";
import { accessToken, ask } from "./v2-client.ts";
import { findRefund, v2Refunds } from "./v2-refunds.ts";
import * as wire from "./v2-wire.ts";

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, currency, payer, returnUrl, cancelUrl, recurring } = request;
  if (recurring) return refused("Subscriptions are for clients of Stitch Express.");
  const name = personName(payer);
  const { merchantId } = call.credentials;
  const body = {
    amount: { currency, quantity: toRand(amount) },
    externalReference: reference,
    expireAt: openUntil(call),
    payer: {
      identifier: payer.email ?? reference,
      ...(payer.email ? { email: payer.email } : {}),
      ...(name ? { fullName: name } : {}),
      ...(payer.phone && /^\+\d{8,15}$/.test(payer.phone) ? { mobileNumber: payer.phone } : {}),
    },
    // A payment by bank needs the bank account that it is for.
    paymentMethods: { card: { enabled: true }, eft: { enabled: merchantId !== undefined } },
    ...(merchantId ? { merchantId } : {}),
  };
  const answer = await ask(call, { method: "POST", path: "/payment-requests", body, answer: wire.Created });
  if (answer.kind === "absent") return refused("Stitch offers no payment requests to this client.");
  if (answer.kind === "refused") return refused(answer.reason);
  const { id, interaction } = answer.value;
  const url = new URL(interaction.url);
  url.searchParams.set("redirect_uri", returnUrl);
  url.searchParams.set("failure_redirect_uri", cancelUrl);
  return { kind: "redirect", url: url.href, checkoutRef: id };
}

async function query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const id = payment.providerRef ?? payment.checkoutRef;
  return id === null ? null : find(id, call);
}

/** Throws `GatewayUnclear` also for a refusal, which gives no information about the payment. */
async function find(id: string, call: GatewayCall): Promise<PaymentFact | null> {
  const path = `/payment-requests/${encodeURIComponent(id)}`;
  const found = await ask(call, { method: "GET", path, answer: wire.PaymentRequest });
  if (found.kind === "refused") throw new GatewayUnclear(`Stitch: ${found.reason}`);
  return found.kind === "absent" ? null : paymentFact(found.value);
}

const KINDS = new Map<string, "paid" | "abandoned" | "declined">([
  ["completed", "paid"],
  ["complete", "paid"],
  ["paid", "paid"],
  ["cancelled", "abandoned"],
  ["canceled", "abandoned"],
  ["expired", "abandoned"],
  ["failed", "declined"],
]);

function paymentFact({ id, status, externalReference, amount: money }: wire.PaymentRequest): PaymentFact {
  const kind = KINDS.get(status) ?? "pending";
  const report = {
    about: "payment",
    occurredAt: null,
    gatewayWord: status,
    reference: externalReference ?? null,
    providerRef: id,
    payerEmail: null,
    card: null,
    subscription: null,
  } as const;
  if (kind === "paid") {
    if (!money) throw new GatewayUnclear("Stitch: a paid payment without its amount");
    return { ...report, kind, ...money, fee: null };
  }
  const asked = { amount: null, currency: null, ...money };
  if (kind !== "declined") return { ...report, kind, ...asked };
  return { ...report, kind, ...asked, reason: "The payment was declined.", hard: false };
}

/** A message names what has changed; what it is now is asked for, in the words of the API that payments are queried by. */
function read(raw: RawNotification): NotificationReading {
  const body = parsed(Buffer.from(raw.rawBody).toString());
  const plain = wire.PlainNotice.safeParse(body).data;
  const of = (type: string) => (plain?.type === type ? plain.data.id : undefined);
  const payment = wire.PaymentNotice.safeParse(body).data?.data.client.paymentInitiationRequests.node.id;
  const refund = wire.RefundNotice.safeParse(body).data?.data.client.refunds.node.id;
  const claim = { payment: payment ?? of("payment"), refund: refund ?? of("refund") };
  if (claim.payment || claim.refund) return { kind: "confirm", claim: JSON.stringify(claim) };
  const event = wire.AnyNotice.safeParse(body).data;
  const reason = "The body is not a message about a payment or a refund.";
  return event ? { kind: "unread", event, reason } : { kind: "refused", reason };
}

async function confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification> {
  const { payment, refund } = JSON.parse(claim) as { payment?: string; refund?: string };
  const fact = payment ? await find(payment, call) : await findRefund(refund ?? "", call);
  if (fact) return { kind: "verified", facts: [fact] };
  return { kind: "verified", facts: [], leftOut: "Stitch does not know what its message is about." };
}

/** Stitch has no other call that costs nothing. */
async function check(call: GatewayCall): Promise<Connection> {
  const token = await accessToken(call, "client_paymentrequest");
  return typeof token === "string" ? { kind: "connected", credentials: {} } : token;
}

/** Payment requests of Stitch's API (REST, version 2), and refunds of them. */
export const v2: StitchApi = {
  start,
  query,
  read,
  confirm,
  refunds: v2Refunds,
  check,
  connect: (_request, call) => check(call),
};
