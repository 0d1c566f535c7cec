import type { DebitLine, Payment, Refund } from "../../src/gateways/sandbox/wire.ts";
import { type GatewayCall, type GatewayReply, reportedPayment, type StandIn } from "./payments.ts";

/** What a stand-in has taken, as it would report it. */
export interface Played {
  /** By reference: checkouts, charges of cards and debits. */
  readonly payments: Map<string, Payment>;
  /** Ends a payment that is pending, and answers it as it then is. */
  decide(reference: string, status: Payment["status"]): Payment | null;
}

const created = (json: unknown): GatewayReply => ({ status: 201, json });
const answered = (json: unknown): GatewayReply => ({ status: 200, json });
const UNKNOWN: GatewayReply = { status: 404, json: { error: "not_found", message: "No such thing." } };
const UNCLEAR: GatewayReply = { text: "what?" };

/**
 * Lets a stand-in play a gateway that makes each payment, refund and batch once: a repeated request is answered with
 * the first one. Of charges and refunds some are done at once, some later, some refused; some get an unreadable answer
 * although they were made.
 */
export function playGateway(standIn: StandIn): Played {
  const payments: Played["payments"] = new Map();
  const decide: Played["decide"] = (reference, status) => {
    const payment = payments.get(reference);
    if (payment?.status !== "pending") return payment ?? null;
    const card = status === "complete" && payment.card === null ? cardOf(reference) : payment.card;
    const decided = { ...reportedPayment(reference, status, { amount: payment.amount, fee: null }), card };
    payments.set(reference, decided);
    return decided;
  };
  playPayments(standIn, payments, decide);
  playRefunds(standIn);
  playDebits(standIn, payments);
  standIn.replies.set("POST bank-account-checks", () => answered({ warnings: [] }));
  return { payments, decide };
}

/** A card of one of a few numbers; debits have none. */
function cardOf(reference: string): Payment["card"] {
  if (reference.startsWith("DO")) return null;
  const last4 = String(4240 + (reference.charCodeAt(reference.length - 1) % 3));
  const token = `sct_${"0".repeat(24)}_${last4}`;
  return { token, brand: "visa", last4, expiryMonth: 12, expiryYear: 2040, holderName: null, fingerprint: last4 };
}

const pending = ({ reference, amount, currency }: Record<string, unknown>): Payment =>
  reportedPayment(String(reference), "pending", { amount: Number(amount), currency: String(currency), fee: null });

function playPayments({ replies }: StandIn, payments: Played["payments"], decide: Played["decide"]): void {
  let asked = 0;
  const taken = (body: GatewayCall["body"]): string => {
    const reference = String(body["reference"]);
    if (!payments.has(reference)) payments.set(reference, pending(body));
    return reference;
  };
  replies.set("POST checkouts", ({ body }) =>
    created({ id: `sbc_${taken(body)}`, redirectUrl: "https://pay.example/x" }),
  );
  replies.set("POST charges", ({ body }) => {
    const reference = taken(body);
    asked++;
    if (asked % 3 !== 0) decide(reference, asked % 4 === 0 ? "failed" : "complete");
    return asked % 7 === 0 ? UNCLEAR : created(payments.get(reference));
  });
  replies.set("GET payments", ({ path }) => {
    const reference = decodeURIComponent(path.split("/")[2] ?? "").replace(/^sbp_/, "");
    asked++;
    const payment = asked % 2 ? payments.get(reference) : decide(reference, asked % 6 ? "complete" : "failed");
    return payment ? answered(payment) : UNKNOWN;
  });
}

function playRefunds({ replies }: StandIn): void {
  const refunds = new Map<string, Refund>();
  let asked = 0;
  replies.set("POST refunds", ({ body }) => {
    asked++;
    const refundId = String(body["refundId"]);
    const status = asked % 5 === 0 ? "refused" : asked % 3 === 0 ? "pending" : "processed";
    const refund: Refund = refunds.get(refundId) ?? {
      id: `sbr_${refundId}`,
      refundId,
      reference: String(body["reference"]),
      amount: Number(body["amount"]),
      status,
      reason: status === "refused" ? "No funds." : null,
      occurredAt: "2027-01-01T00:00:00.000Z",
    };
    refunds.set(refundId, refund);
    return asked % 7 === 0 ? UNCLEAR : created(refund);
  });
  replies.set("GET refunds", ({ path }) => {
    const refund = refunds.get(decodeURIComponent(path.split("/")[2] ?? ""));
    if (refund?.status === "pending") refunds.set(String(refund.refundId), { ...refund, status: "processed" });
    return refund ? answered(refund) : UNKNOWN;
  });
}

function playDebits({ replies }: StandIn, payments: Played["payments"]): void {
  const batches = new Map<string, { lines: string[]; status: "open" | "submitted" }>();
  const shown = (reference: string) => {
    const batch = batches.get(reference);
    return batch && { id: `sbb_${reference}`, reference, status: batch.status, lines: batch.lines.length };
  };
  replies.set("POST debit-batches", ({ path, body }) => {
    const [, , reference = String(body["reference"]), action] = path.split("/").map(decodeURIComponent);
    const batch = batches.get(reference) ?? { lines: [], status: "open" };
    if (action === undefined) batches.set(reference, batch);
    if (action === "submit") batch.status = "submitted";
    if (action === "lines")
      for (const line of body["lines"] as DebitLine[]) {
        if (!batch.lines.includes(line.reference)) batch.lines.push(line.reference);
        if (!payments.has(line.reference)) payments.set(line.reference, pending({ ...line, currency: "ZAR" }));
      }
    return { status: action === undefined ? 201 : 200, json: shown(reference) };
  });
  replies.set("GET debit-batches", ({ path }) => {
    const [, , reference = "", action] = (path.split("?")[0] ?? "").split("/").map(decodeURIComponent);
    if (action === undefined) return shown(reference) ? answered(shown(reference)) : UNKNOWN;
    const lines = batches.get(reference)?.lines ?? [];
    return answered({ payments: lines.map((line) => payments.get(line)), next: null });
  });
}
