import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { signedHeaders } from "../../src/gateways/sandbox/signing.ts";
import { API_PATH, type Dispute, type Payment, type Refund, type Reversal } from "../../src/gateways/sandbox/wire.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { newId } from "../../src/platform/new-id.ts";
import type { Answer, ApiMerchant, TestApi } from "./api.ts";

/** Credentials of every sandbox account in these tests. */
export const CREDENTIALS = { merchantId: "sbm_1", secret: "the-secret-of-this-account" };

/** One call that the stand-in received. */
export interface GatewayCall {
  readonly method: string;
  /** Path below the gateway's API. */
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly idempotencyKey: string | undefined;
}

/** An answer of the stand-in: a status and JSON, plain text, or "hang up": it closes the connection without an answer. */
export type GatewayReply = { readonly status: number; readonly json: unknown } | { readonly text: string } | "hang up";

/** A stand-in for the sandbox gateway, over HTTP (interface 11.1, GATEWAY_URL_SANDBOX). */
export interface StandIn {
  readonly url: string;
  readonly calls: GatewayCall[];
  /** By `<method> <first part of the path>`; other calls are answered 404. */
  readonly replies: Map<string, (call: GatewayCall) => GatewayReply>;
  close(): Promise<void>;
}

/** Listens on a port of its own. */
export async function openStandIn(): Promise<StandIn> {
  const calls: GatewayCall[] = [];
  const replies: StandIn["replies"] = new Map();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = (request.url ?? "").replace(API_PATH, "");
    const call = {
      method: request.method ?? "",
      path,
      body: JSON.parse(body || "{}") as Record<string, unknown>,
      idempotencyKey: request.headers["idempotency-key"] as string | undefined,
    };
    calls.push(call);
    const reply = replies.get(`${call.method} ${path.split("/")[1]}`)?.(call) ?? NOT_KNOWN;
    if (reply === "hang up") return void request.socket.destroy();
    if ("text" in reply) return void response.end(reply.text);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.json));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    replies,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const NOT_KNOWN = { status: 404, json: { error: "not_found", message: "No such thing." } };

/** The answer to a request for a refund. */
export const refundAnswer = ({ body }: GatewayCall, status: Refund["status"]): GatewayReply => ({
  status: 201,
  json: {
    id: `sbr_${body["refundId"]}`,
    refundId: body["refundId"],
    reference: body["reference"],
    amount: body["amount"],
    status,
    reason: status === "refused" ? "No funds." : null,
    occurredAt: "2027-01-01T00:00:00.000Z",
  },
});

/** Columns of a payment that a test inserts itself. */
export interface PaymentRow {
  readonly reference?: string;
  readonly status?: string;
  readonly cents?: number;
  readonly currency?: string;
  readonly linkId?: string | null;
  readonly invoiceId?: string | null;
  readonly customerId?: string | null;
  readonly paidAt?: string | null;
  readonly createdAt?: string;
}

/** Inserts a payment; answers its reference. */
export async function addPayment(
  api: TestApi,
  shop: ApiMerchant,
  account: GatewayAccount,
  row: PaymentRow = {},
): Promise<string> {
  const reference = row.reference ?? `TEFO-20270101-${randomBytes(4).toString("hex").toUpperCase()}`;
  const status = row.status ?? "pending";
  const paidAt = row.paidAt ?? (["pending", "failed", "cancelled"].includes(status) ? null : "2027-01-01T10:00:00Z");
  await api.query(
    `insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox,
       payment_link_id, customer_id, paid_at, created_at, invoice_id)
     values ($1, $2, $3, $4, $5, $6, case when $13::text is null then 'once' else 'invoice' end, $7, $8, true, $9, $10, $11, $12, $13)`,
    shop.organisation.id,
    newId("txn"),
    reference,
    status,
    row.cents ?? 10_000,
    row.currency ?? "ZAR",
    account.id,
    account.type,
    row.linkId ?? null,
    row.customerId ?? null,
    paidAt,
    row.createdAt ?? "2027-01-01T09:00:00Z",
    row.invoiceId ?? null,
  );
  return reference;
}

/** A payment as the gateway reports it. */
export const reportedPayment = (
  reference: string,
  status: Payment["status"],
  facts: Partial<Payment> = {},
): Payment => ({
  id: `sbp_${reference}`,
  reference,
  status,
  amount: 10_000,
  currency: "ZAR",
  fee: status === "complete" ? 390 : null,
  payerEmail: null,
  card: null,
  decline: status === "failed" ? { code: "declined", message: "Declined.", hard: false } : null,
  subscription: null,
  occurredAt: "2027-01-01T10:00:00.000Z",
  ...facts,
});

/** A reversal as the gateway reports it. */
export const reportedReversal = (reference: string, facts: Partial<Reversal> = {}): Reversal => ({
  paymentId: `sbp_${reference}`,
  reference,
  amount: 10_000,
  reason: "Not provided for.",
  code: "02",
  hard: false,
  occurredAt: "2027-01-03T10:00:00.000Z",
  ...facts,
});

type Notified =
  | { readonly payment: Payment }
  | { readonly refund: Refund }
  | { readonly reversal: Reversal }
  | { readonly dispute: Dispute };

/** Sends the service a notification, signed as by the account's gateway. */
export function notify(
  api: TestApi,
  account: GatewayAccount,
  report: Notified,
  secret = CREDENTIALS.secret,
): Promise<Answer<unknown>> {
  const [type] = Object.keys(report);
  const body = JSON.stringify({
    id: `sbn_${randomBytes(8).toString("hex")}`,
    merchantId: CREDENTIALS.merchantId,
    type,
    ...report,
  });
  return api.call("POST", `/api/webhooks/${account.type}?account=${account.id}`, {
    body,
    headers: signedHeaders(secret, body, new Date()),
  });
}
