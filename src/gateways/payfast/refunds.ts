import { z } from "zod";
import { singleLine, truncate } from "../../kernel/text.ts";
import type { GatewayCall, RefundAbility, RefundRequest } from "../contract.ts";
import type { RefundFact } from "../facts.ts";
import { beforehand, GatewayUnclear } from "../http.ts";
import { ask } from "./client.ts";
import { apiAmount } from "./facts.ts";
import { REASON, Refundable, RefundEntry } from "./wire.ts";

const factOf = (
  { refundId, payment, amount }: RefundRequest,
  outcome: { readonly kind: "processed" | "refused"; readonly gatewayWord: string; readonly reason: string | null },
): RefundFact => ({
  about: "refund",
  occurredAt: null,
  refundId,
  providerRefundRef: null,
  reference: payment.reference,
  amount,
  ...outcome,
});

/** The gateway stores no reference of ours, so the refund's id is put before the reason and the refund can be found by it. */
const reasonOf = ({ refundId, reason }: RefundRequest): string =>
  truncate([refundId, singleLine(reason ?? "")].join(" ").trim(), REASON.max);

/** Why the gateway cannot refund this amount to where it came from; null when it can. Throws `GatewayUnclear`. */
async function obstacle(id: string, { amount, payment }: RefundRequest, call: GatewayCall): Promise<string | null> {
  const answer = await ask(call, { method: "GET", path: `/refunds/query/${encodeURIComponent(id)}` }, Refundable);
  if (answer.kind === "absent") return "PayFast does not know the payment.";
  if (answer.kind === "refused") return answer.reason;
  const { status, refund_full, refund_partial } = answer.value;
  if (status.toUpperCase() === "NOT_AVAILABLE") return "PayFast does not refund this payment.";
  const method = (amount === payment.amount ? refund_full : refund_partial)?.method?.toUpperCase();
  if (method === "BANK_PAYOUT")
    return (
      "PayFast refunds this payment only to a bank account, which is entered in its dashboard. " +
      "Refund it there, and record it here by hand."
    );
  return method === "NOT_AVAILABLE" ? "PayFast does not refund this amount of this payment." : null;
}

const FAILED = /fail|reject|declin|cancel|revers/i;

/** The objects in an answer that are refunds, in the lists that it holds. */
function entriesIn(value: unknown): readonly RefundEntry[] {
  if (Array.isArray(value)) return value.flatMap(entriesIn);
  if (typeof value !== "object" || value === null) return [];
  const entry = RefundEntry.safeParse(value).data;
  return entry ? [entry] : Object.values(value).flatMap((one) => (typeof one === "object" ? entriesIn(one) : []));
}

/** Whether an entry is the refund that was asked for: its reason begins with our id, and it is of the same amount. */
const isOf =
  ({ refundId, amount }: RefundRequest) =>
  (entry: RefundEntry): boolean =>
    entry.reason.trim().split(/\s/, 1)[0] === refundId &&
    apiAmount(String(entry.amount).replace(/^-/, ""))?.amount === amount;

/** Refunds to where the payment came from. */
export const refunds: RefundAbility = {
  async refund(request, call) {
    const id = request.payment.providerRef;
    if (id === null)
      return factOf(request, {
        kind: "refused",
        gatewayWord: "no id",
        reason: "PayFast has told no id of this payment.",
      });
    const why = await beforehand(() => obstacle(id, request, call));
    if (why !== null) return factOf(request, { kind: "refused", gatewayWord: "not refundable", reason: why });
    const body = { amount: request.amount, reason: reasonOf(request), notify_buyer: 1, notify_merchant: 0 };
    const answer = await ask(call, { method: "POST", path: `/refunds/${encodeURIComponent(id)}`, body }, z.unknown());
    if (answer.kind === "answer") return factOf(request, { kind: "processed", gatewayWord: "success", reason: null });
    const reason = answer.kind === "refused" ? answer.reason : "PayFast does not know the payment.";
    return factOf(request, { kind: "refused", gatewayWord: "refused", reason });
  },
  /** Never null: the gateway cannot distinguish our requests, so that asking again might refund twice. */
  async query(request, call) {
    const id = request.payment.providerRef;
    if (id !== null) {
      const answer = await ask(call, { method: "GET", path: `/refunds/${encodeURIComponent(id)}` }, z.unknown());
      const entry = answer.kind === "answer" ? entriesIn(answer.value).find(isOf(request)) : undefined;
      if (entry && FAILED.test(entry.status ?? ""))
        return factOf(request, {
          kind: "refused",
          gatewayWord: "listed",
          reason: `PayFast lists it as ${entry.status}.`,
        });
      if (entry) return factOf(request, { kind: "processed", gatewayWord: "listed", reason: null });
    }
    throw new GatewayUnclear("PayFast: it does not say whether the refund was made");
  },
};
