import { z } from "zod";
import { parseCalendarDay } from "../../kernel/time.ts";
import type { GatewayCall, Refusal, SubscriptionAbility, SubscriptionOutcome } from "../contract.ts";
import type { SubscriptionFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { ask } from "./client.ts";
import { subscriptionFact } from "./facts.ts";
import { PAUSE_CYCLES, Subscription } from "./wire.ts";

const at = (token: string, action: string): string => `/subscriptions/${encodeURIComponent(token)}/${action}`;

/** The state of a subscription at the gateway; null when it does not know it. */
export async function standingOf(token: string, call: GatewayCall): Promise<SubscriptionFact | Refusal | null> {
  const answer = await ask(call, { method: "GET", path: at(token, "fetch") }, Subscription);
  if (answer.kind === "absent") return null;
  return answer.kind === "refused" ? answer : subscriptionFact(token, answer.value);
}

/** As `standingOf`. Throws `GatewayUnclear` for a refused question. */
async function askSubscription(token: string, call: GatewayCall): Promise<SubscriptionFact | null> {
  const standing = await standingOf(token, call);
  if (standing?.kind === "refused") throw new GatewayUnclear(`PayFast: ${standing.reason}`);
  return standing;
}

/**
 * Asks for an action. A refused action counts as done when the subscription is already in the requested state: then an earlier request took
 * effect, and its answer was lost.
 */
async function act(
  token: string,
  action: {
    readonly name: string;
    readonly body?: Readonly<Record<string, number>>;
    readonly leaves: readonly SubscriptionFact["kind"][];
  },
  call: GatewayCall,
): Promise<SubscriptionOutcome> {
  const { name, body, leaves } = action;
  const answer = await ask(call, { method: "PUT", path: at(token, name), ...(body ? { body } : {}) }, z.unknown());
  if (answer.kind === "answer" && leaves.includes("cancelled")) return { kind: "done", nextChargeOn: null };
  // After the action the state is queried; when that has no answer, the action still succeeded.
  const stands = await askSubscription(token, call).catch((error: unknown) => {
    if (error instanceof GatewayUnclear) return "unclear" as const;
    throw error;
  });
  if (answer.kind === "answer")
    return { kind: "done", nextChargeOn: stands === "unclear" ? null : (stands?.subscription.nextChargeOn ?? null) };
  if (stands !== "unclear" && leaves.includes(stands?.kind ?? "cancelled"))
    return { kind: "done", nextChargeOn: stands?.subscription.nextChargeOn ?? null };
  return answer.kind === "refused" ? answer : { kind: "refused", reason: "PayFast does not know the subscription." };
}

/** Subscriptions that the gateway runs; the handle is the token. */
export const subscriptions: SubscriptionAbility = {
  cancel: (token, call) => act(token, { name: "cancel", leaves: ["cancelled"] }, call),
  pausing: {
    pause: (token, call) => act(token, { name: "pause", body: { cycles: PAUSE_CYCLES }, leaves: ["paused"] }, call),
    resume: (token, call) => act(token, { name: "unpause", leaves: ["active", "past_due"] }, call),
  },
  changing: {
    amount: true,
    nextDate: true,
    async change(token, { amount, nextDate }, call) {
      const body = {
        ...(amount === undefined ? {} : { amount }),
        ...(nextDate === undefined ? {} : { run_date: nextDate }),
      };
      // The request sets values, so it may be sent again.
      const request = { method: "PATCH", path: at(token, "update"), body, repeatable: true } as const;
      const answer = await ask(call, request, z.unknown());
      if (answer.kind === "refused") return answer;
      if (answer.kind === "absent") return { kind: "refused", reason: "PayFast does not know the subscription." };
      const { run_date } = Subscription.safeParse(answer.value).data ?? {};
      return { kind: "done", nextChargeOn: parseCalendarDay((run_date ?? "").slice(0, 10)) ?? nextDate ?? null };
    },
  },
  query: async ({ handle }, call) => (handle === null ? null : askSubscription(handle, call)),
};
