import type { SubscriptionAbility, SubscriptionOutcome } from "../contract.ts";
import { ask } from "./client.ts";
import { handleParts, handleText, storedCard, subscriptionFact } from "./facts.ts";
import { findSubscription } from "./queries.ts";
import * as wire from "./wire.ts";

/** Paystack cannot pause a subscription, and changes neither amount nor date of one (decisions.md#plan-per-paystack-subscription). */
export const subscriptions: SubscriptionAbility = {
  async cancel(handle, call): Promise<SubscriptionOutcome> {
    const body: wire.DisableRequest = handleParts(handle);
    const request = { method: "POST", path: "/subscription/disable", body, repeatable: true } as const;
    const answer = await ask(call, request, wire.Done);
    // For a subscription that is not running, Paystack answers "not found or already inactive".
    const gone = answer.kind === "absent" || (answer.kind === "refused" && /not found|inactive/i.test(answer.reason));
    if (gone || answer.kind === "answer") return { kind: "done", nextChargeOn: null };
    return { kind: "refused", reason: answer.reason };
  },
  async query({ handle }, call) {
    const subscription = handle === null ? null : await findSubscription(handleParts(handle).code, call);
    return subscription && subscriptionFact(subscription);
  },
  async begin({ key, cardToken, nextChargeOn }, call) {
    const { authorization, email } = storedCard(cardToken);
    // In the morning UTC, so that it is the same day at Paystack too.
    const start_date = `${nextChargeOn}T08:00:00+02:00`;
    const body: wire.SubscriptionRequest = { customer: email, plan: key, authorization, start_date };
    const answer = await ask(call, { method: "POST", path: "/subscription", body }, wire.CreatedSubscription);
    if (answer.kind === "answer") {
      const { subscription_code: code, email_token: token } = answer.value.data;
      return { kind: "begun", handle: handleText(code, token) };
    }
    // An earlier call made it, whose answer was lost; a notification brings its code.
    if (answer.kind === "refused" && /already in place/i.test(answer.reason)) return { kind: "begun", handle: null };
    return { kind: "refused", reason: answer.kind === "refused" ? answer.reason : "Paystack does not know the plan." };
  },
};
