import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Cents, cents, roundToCents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import type {
  GatewayAdapter,
  GatewayCall,
  PaymentIdentity,
  RawNotification,
  Refusal,
  StartPaymentRequest,
} from "../contract.ts";
import type { GatewayFact } from "../facts.ts";
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from "../http.ts";

// The interface is drawn from the protocols of several gateways. Each file of this folder tries one of them on it: not the whole
// adapter, but every part that is shaped unlike the others, with the examples that are documented. Shared here: the two sides.

export const NOW = instant("2026-11-20T10:00:00Z");

/** A gateway's side of the wire: answers by method and path, and keeps what it was sent. */
export function standIn(answers: Record<string, (request: GatewayRequest) => GatewayAnswer>) {
  const seen: GatewayRequest[] = [];
  const http: GatewayHttp = async (request) => {
    seen.push(request);
    const path = new URL(request.url).pathname;
    const answer =
      answers[`${request.method} ${path}`] ?? assert.fail(`not in the protocol: ${request.method} ${path}`);
    return answer(request);
  };
  return { http, seen };
}

/** What a payment fact says when the gateway says nothing of it. */
export const SILENT = {
  about: "payment",
  occurredAt: null,
  payerEmail: null,
  card: null,
  subscription: null,
} as const;

/** What every adapter of this folder is, but for its abilities. */
export const PLAIN = { credentialFields: [], currencies: ["ZAR"], simulated: false } as const;

/** A checkout's constants. */
export const BARE_CHECKOUT = { needsPayerEmail: false, minimumAmounts: {}, savesCards: false } as const;

/** For what must be told without calling anyone. */
const nobody: GatewayHttp = async ({ url }) => assert.fail(`nobody is to be called, but ${url} was`);

export const answer = (body: unknown, status = 200): GatewayAnswer => ({
  status,
  headers: {},
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const callWith = (credentials: Record<string, string>, http: GatewayHttp = nobody): GatewayCall => ({
  credentials,
  accountId: "gw_1",
  mode: "sandbox",
  baseUrl: "http://gateway.test",
  http,
  now: NOW,
  machineNow: NOW,
});

export const REQUEST: StartPaymentRequest = {
  reference: "TEFO-20261120-9F3C01AB",
  amount: cents(1999),
  currency: "ZAR",
  description: "Sam's test (1)",
  payer: { email: "p@example.com", firstName: "Zoë", lastName: null, phone: null },
  returnUrl: "https://tefo.example/return",
  cancelUrl: "https://tefo.example/cancel",
  notifyUrl: "https://tefo.example/api/webhooks/x?account=gw_1",
  recurring: null,
  saveCard: false,
};

export const IDENTITY: PaymentIdentity = {
  reference: REQUEST.reference,
  checkoutRef: null,
  providerRef: null,
  amount: REQUEST.amount,
  currency: REQUEST.currency,
  startedAt: NOW,
};

/** A notification as it arrives; pairs make a form body, text is taken as it is. */
export const received = (
  body: string | Record<string, string>,
  headers: Record<string, string> = {},
): RawNotification => ({
  method: "POST",
  url: REQUEST.notifyUrl,
  headers,
  rawBody: Buffer.from(typeof body === "string" ? body : new URLSearchParams(body).toString()),
  remoteAddress: "197.97.145.145",
});

/** What the core does with any gateway's notification, whichever it is: reads, and asks back when it is told to. */
export async function take(
  adapter: GatewayAdapter,
  raw: RawNotification,
  call: GatewayCall,
): Promise<readonly GatewayFact[] | Refusal> {
  const { notifications } = adapter;
  assert.ok(notifications, "an adapter that is notified");
  const reading = notifications.read(raw, { ...call, http: nobody });
  const settled =
    reading.kind === "confirm"
      ? await (notifications.confirm ?? assert.fail("no way to confirm"))(reading.claim, call)
      : reading;
  return settled.kind === "verified" ? settled.facts : settled;
}

/**
 * An amount in major units as gateways write it (`299.00`, `5`, `-6.85`), exactly; null for any other text, a part of a cent included.
 * Never through a binary float: 19.99, 4.35, 1.15 and 0.29 go wrong there.
 */
export function amountFromText(text: string): Cents | null {
  return /^-?\d{1,13}(\.\d{1,2}0*)?$/.test(text) ? roundToCents(text) : null;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PREFIX = "TEFO";

/**
 * 16 capital letters and digits for a reference, always the same, for gateways whose fields are too short for it. A checkout reference
 * keeps its date and hex (`TEFO-20261120-9F3C01AB` is `202611209F3C01AB`), so that people find it again; others are hashed
 * and begin with X, which no date does.
 */
export function shortReference(reference: string): string {
  const [, date, hex] = new RegExp(`^${PREFIX}-(\\d{8})-([0-9A-F]{8})$`).exec(reference) ?? [];
  if (date && hex) return date + hex;
  const hash = createHash("sha256").update(reference).digest();
  return `X${Array.from(hash.subarray(0, 15), (byte) => CROCKFORD.charAt(byte % 32)).join("")}`;
}

/** The checkout reference behind a short one; null for any other text, also for a hash. */
export function longReference(short: string): string | null {
  const [, date, hex] = /^(\d{8})([0-9A-F]{8})$/.exec(short) ?? [];
  return date && hex ? `${PREFIX}-${date}-${hex}` : null;
}
