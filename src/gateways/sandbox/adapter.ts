import { randomBytes } from "node:crypto";
import type {
  ChargeRequest,
  DebitBatchRequest,
  DebitBatchState,
  DebitOrderAbility,
  DisputeAbility,
  EMandateAbility,
  GatewayAdapter,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  RefundAbility,
  RefundRequest,
  Refusal,
  StartedPayment,
  StartPaymentRequest,
  StoredCardAbility,
  SubscriptionAbility,
  SubscriptionChange,
  SubscriptionOutcome,
} from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { type JsonAnswer, parsed } from "../json-api.ts";
import { declinedCharge } from "../refusals.ts";
import { timedSignatureFault } from "../signatures.ts";
import { ask } from "./client.ts";
import { mandateFact, notificationFacts, paymentFact, refundFact, subscriptionFact } from "./facts.ts";
import { SIGNATURE_HEADER } from "./signing.ts";
import * as wire from "./wire.ts";

/** An action on an unknown record is refused like any other refused action. */
const refusal = (answer: Refusal | { readonly kind: "absent" }): Refusal => ({
  kind: "refused",
  reason: answer.kind === "refused" ? answer.reason : "The gateway does not know it.",
});

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const body = request satisfies wire.CheckoutRequest;
  const post = { method: "POST", path: "/checkouts", body, idempotencyKey: request.reference } as const;
  const answer = await ask(call, post, wire.CheckoutAnswer);
  if (answer.kind !== "answer") return refusal(answer);
  const { id, redirectUrl } = answer.value;
  return { kind: "redirect", url: redirectUrl, checkoutRef: id };
}

/** Queries by the gateway's id when it is known, because the gateway does not know the reference of a renewal. */
async function queryPayment(
  { reference, providerRef }: PaymentIdentity,
  call: GatewayCall,
): Promise<PaymentFact | null> {
  const path = `/payments/${encodeURIComponent(providerRef ?? reference)}`;
  return known(await ask(call, { method: "GET", path }, wire.Payment), paymentFact);
}

async function charge(request: ChargeRequest, call: GatewayCall): Promise<PaymentFact> {
  const { reference, amount, currency, description, payer, notifyUrl } = request;
  const { token } = request.card;
  const body = { reference, token, amount, currency, description, payer, notifyUrl } satisfies wire.ChargeRequest;
  const answer = await ask(call, { method: "POST", path: "/charges", body, idempotencyKey: reference }, wire.Payment);
  if (answer.kind === "answer") return paymentFact(answer.value);
  return declinedCharge(request, { reason: refusal(answer).reason, hard: false });
}

const refunds: RefundAbility = {
  async refund(request: RefundRequest, call) {
    const { payment, refundId, amount, reason, notifyUrl } = request;
    const { reference, providerRef: paymentId } = payment;
    const body = { refundId, reference, paymentId, amount, reason, notifyUrl } satisfies wire.RefundRequest;
    const answer = await ask(call, { method: "POST", path: "/refunds", body, idempotencyKey: refundId }, wire.Refund);
    if (answer.kind === "answer") return refundFact(answer.value);
    return {
      about: "refund",
      kind: "refused",
      occurredAt: null,
      gatewayWord: "refused",
      refundId,
      providerRefundRef: null,
      reference,
      amount,
      reason: refusal(answer).reason,
    };
  },
  async query({ refundId }, call) {
    const path = `/refunds/${encodeURIComponent(refundId)}`;
    return known(await ask(call, { method: "GET", path }, wire.Refund), refundFact);
  },
};

const disputes: DisputeAbility = {
  async submit({ payment: { reference, providerRef }, files }, call) {
    const path = `/payments/${encodeURIComponent(providerRef ?? reference)}/evidence`;
    const body = { files: [...files] } satisfies wire.EvidenceRequest;
    const answer = await ask(call, { method: "POST", path, body }, wire.Payment);
    return answer.kind === "answer" ? { kind: "done" } : refusal(answer);
  },
};

/** POST to a path below the subscription; PATCH of the subscription itself when there is a change. */
async function act(handle: string, below: string, call: GatewayCall, change?: SubscriptionChange) {
  const path = `/subscriptions/${encodeURIComponent(handle)}${below}`;
  const request = change ? ({ method: "PATCH", path, body: change } as const) : ({ method: "POST", path } as const);
  const answer = await ask(call, request, wire.Subscription);
  if (answer.kind !== "answer") return refusal(answer);
  const { nextChargeOn } = subscriptionFact(answer.value).subscription;
  return { kind: "done", nextChargeOn } satisfies SubscriptionOutcome;
}

const cancelOnly: SubscriptionAbility = {
  cancel: (handle, call) => act(handle, "/cancel", call),
  async query({ key }, call) {
    const path = `/subscriptions/${encodeURIComponent(key)}`;
    return known(await ask(call, { method: "GET", path }, wire.Subscription), subscriptionFact);
  },
};

const subscriptions: SubscriptionAbility = {
  ...cancelOnly,
  pausing: {
    pause: (handle, call) => act(handle, "/pause", call),
    resume: (handle, call) => act(handle, "/resume", call),
  },
  changing: {
    amount: true,
    nextDate: true,
    change: (handle, change, call) => act(handle, "", call, change),
  },
};

/** Interface 4.11: the two major networks can be charged. */
const storedCards: StoredCardAbility = { brands: ["visa", "mastercard"], charge, query: queryPayment };

/** The lines in arrays of at most `LINES_TOGETHER`. */
async function* inParts(lines: DebitBatchRequest["lines"]): AsyncGenerator<wire.DebitLine[]> {
  let together: wire.DebitLine[] = [];
  for await (const line of lines) {
    together.push(line);
    if (together.length < wire.LINES_TOGETHER) continue;
    yield together;
    together = [];
  }
  if (together.length > 0) yield together;
}

/** A batch that is open was not submitted completely: it may be sent again; lines that it already has are not added again. */
const batchState = ({ id, status }: wire.DebitBatch): DebitBatchState | null =>
  status === "open" ? null : { kind: "submitted", batchRef: id, rejected: [] };

const debitOrders: DebitOrderAbility = {
  most: wire.BATCH_LINES_MAX,
  async submit({ reference, actionDate, notifyUrl, lines }, call) {
    const path = `/debit-batches/${encodeURIComponent(reference)}`;
    const post = (to: string, body: object) =>
      ask(call, { method: "POST", path: to, body, idempotencyKey: reference }, wire.DebitBatch);
    let batch = await post("/debit-batches", { reference, actionDate, notifyUrl } satisfies wire.DebitBatchRequest);
    let from = 0;
    if (batch.kind === "answer" && batch.value.status === "open") {
      for await (const together of inParts(lines)) {
        batch = await post(`${path}/lines`, { from, lines: together } satisfies wire.DebitLines);
        if (batch.kind !== "answer") return refusal(batch);
        from += together.length;
      }
      batch = await post(`${path}/submit`, { lines: from } satisfies wire.DebitBatchClose);
    }
    if (batch.kind !== "answer") return refusal(batch);
    return { kind: "submitted", batchRef: batch.value.id, rejected: [] };
  },
  async query({ reference }, call) {
    const path = `/debit-batches/${encodeURIComponent(reference)}`;
    const batch = known(await ask(call, { method: "GET", path }, wire.DebitBatch), (value) => value);
    return batch && batchState(batch);
  },
  async results({ reference, after }, call) {
    const path = `/debit-batches/${encodeURIComponent(reference)}/payments?after=${after ?? "0"}`;
    return known(await ask(call, { method: "GET", path }, wire.DebitResults), ({ payments, next }) => ({
      facts: payments.map(paymentFact),
      next: next === null ? null : String(next),
    }));
  },
};

const eMandates: EMandateAbility = {
  async create({ idNumber: _, ...body }, call) {
    const request = { method: "POST", path: "/mandates", body, idempotencyKey: body.accountReference } as const;
    const answer = await ask(call, request, wire.Mandate);
    if (answer.kind !== "answer") return refusal(answer);
    const { status, reason, signUrl } = answer.value;
    return status === "rejected"
      ? { kind: "refused", reason: reason ?? "The bank rejected the mandate." }
      : { kind: "created", signUrl };
  },
  async query(accountReference, call) {
    const path = `/mandates/${encodeURIComponent(accountReference)}`;
    return known(await ask(call, { method: "GET", path }, wire.Mandate), mandateFact);
  },
};

async function checkBankAccount(body: wire.BankAccount, call: GatewayCall): Promise<wire.BankAccountWarnings> {
  const answer = await ask(call, { method: "POST", path: "/bank-account-checks", body }, wire.BankAccountWarnings);
  if (answer.kind === "answer") return answer.value;
  throw new GatewayUnclear("sandbox gateway: the bank account could not be checked");
}

/** Checks the signature on the received bytes, then the merchant, then parses the message. */
function readNotification(raw: RawNotification, { credentials, machineNow }: GatewayCall): NotificationReading {
  const { merchantId = "", secret = "" } = credentials;
  const fault = timedSignatureFault(secret, raw.headers[SIGNATURE_HEADER], raw.rawBody, machineNow);
  if (fault) return { kind: "refused", reason: fault };
  const notification = wire.Notification.safeParse(parsed(Buffer.from(raw.rawBody).toString()));
  if (!notification.success) return { kind: "refused", reason: "The body is not a notification." };
  if (notification.data.merchantId !== merchantId)
    return { kind: "refused", reason: "The notification is for another merchant." };
  return { kind: "verified", facts: notificationFacts(notification.data) };
}

/** The translated answer; null when the gateway does not know the record. Throws `GatewayUnclear` for a refused query. */
function known<T, U>(answer: JsonAnswer<T>, translate: (value: T) => U): U | null {
  if (answer.kind === "refused") throw new GatewayUnclear(`sandbox gateway: ${answer.reason}`);
  return answer.kind === "absent" ? null : translate(answer.value);
}

const common = {
  credentialFields: [
    {
      name: "merchantId",
      label: "Merchant id",
      namesMerchant: true,
      secret: false,
      required: false,
      pattern: "[A-Za-z0-9_.-]{1,100}",
      hint: "letters, digits, dot, dash and underscore; made for you when left out.",
      fallback: () => `sbm_${randomBytes(8).toString("hex")}`,
    },
    {
      name: "secret",
      label: "Secret",
      secret: true,
      required: false,
      pattern: "[\\x21-\\x7e]{16,200}",
      hint: "16 to 200 letters, digits and signs; made for you when left out.",
      fallback: () => randomBytes(32).toString("base64url"),
    },
  ],
  currencies: "any",
  simulated: true,
  checkout: { needsPayerEmail: false, minimumAmounts: {}, savesCards: true, start, query: queryPayment },
  notifications: { urlIsSet: "per payment", read: readNotification },
  refunds,
  disputes,
} as const satisfies Partial<GatewayAdapter>;

/** Interface 13.6: the gateway whose outcomes are chosen, with every ability there is (decisions.md#the-sandbox-is-a-gateway). */
export const sandbox: GatewayAdapter = {
  ...common,
  type: "sandbox",
  name: "Sandbox gateway",
  subscriptions,
  storedCards,
  debitOrders,
  eMandates,
  bankAccountCheck: checkBankAccount,
};

/** Interface 13.6: the variant whose subscriptions can only be cancelled, and whose cards cannot be charged without the payer. */
export const sandboxCancelOnly: GatewayAdapter = {
  ...common,
  type: "sandbox_cancel_only",
  name: "Sandbox gateway, cancel only",
  subscriptions: cancelOnly,
};
