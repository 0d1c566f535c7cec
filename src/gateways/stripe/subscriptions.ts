import type { GatewayCall, SubscriptionAbility, SubscriptionChange, SubscriptionOutcome } from "../contract.ts";
import { collectionTime } from "./checkout.ts";
import { ask } from "./client.ts";
import { subscriptionFact } from "./facts.ts";
import type { FormFields } from "./form.ts";
import { findSubscription } from "./queries.ts";
import * as wire from "./wire.ts";

const UNKNOWN = { kind: "refused", reason: "Stripe does not know it." } as const;

/** Sets the terms of the subscription from now on; setting them again changes nothing. */
async function set(handle: string, fields: FormFields, call: GatewayCall): Promise<SubscriptionOutcome> {
  const path = `/subscriptions/${encodeURIComponent(handle)}`;
  const answer = await ask(call, { method: "POST", path, fields }, wire.Subscription);
  if (answer.kind === "absent") return UNKNOWN;
  if (answer.kind === "refused") return { kind: "refused", reason: answer.reason };
  const nextChargeOn = subscriptionFact(answer.value, null)?.subscription.nextChargeOn ?? null;
  return { kind: "done", nextChargeOn };
}

/** Another price of the same product and period, for whole periods only: nothing is prorated. */
async function priceFields(handle: string, amount: number, call: GatewayCall): Promise<FormFields | null> {
  const item = (await findSubscription(handle, call))?.items?.data[0];
  if (!item?.price?.product || !item.price.recurring) return null;
  const { currency, product, recurring } = item.price;
  return { items: [{ id: item.id, price_data: { currency, product: product.id, unit_amount: amount, recurring } }] };
}

/** Sets the end of the trial, which is when Stripe collects next; later dates are counted from it. */
async function change(handle: string, { amount, nextDate }: SubscriptionChange, call: GatewayCall) {
  const price = amount === undefined ? {} : await priceFields(handle, amount, call);
  if (price === null) return UNKNOWN;
  const date = nextDate === undefined ? {} : { trial_end: collectionTime(nextDate) };
  return set(handle, { ...price, ...date, proration_behavior: "none" }, call);
}

export const subscriptions: SubscriptionAbility = {
  async cancel(handle, call): Promise<SubscriptionOutcome> {
    const path = `/subscriptions/${encodeURIComponent(handle)}`;
    const answer = await ask(call, { method: "DELETE", path }, wire.Subscription);
    // Stripe no longer knows a subscription that was cancelled before.
    return answer.kind === "refused"
      ? { kind: "refused", reason: answer.reason }
      : { kind: "done", nextChargeOn: null };
  },
  pausing: {
    pause: (handle, call) => set(handle, { pause_collection: { behavior: "void" } }, call),
    resume: (handle, call) => set(handle, { pause_collection: "" }, call),
  },
  changing: { amount: true, nextDate: true, change },
  async query({ key }, call) {
    const subscription = await findSubscription(key, call);
    return subscription && subscriptionFact(subscription, null);
  },
};
