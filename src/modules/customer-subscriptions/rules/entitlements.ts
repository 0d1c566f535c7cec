import { isDeepStrictEqual } from "node:util";
import type { CustomerSubscriptionId, PlanId } from "../../../kernel/ids.ts";

/** A feature of a plan, as the plan has it. */
export interface PlanFeature {
  readonly key: string;
  readonly type: "boolean" | "limit";
  /** Of a limit null: without limit. */
  readonly value: boolean | number | null;
}

/** What a customer is entitled to, and the subscription that gives it (interface 4.8). */
export interface Entitlement extends PlanFeature {
  readonly planId: PlanId;
  readonly subscriptionId: CustomerSubscriptionId;
}

/** A subscription that entitles its customer to the features of its plan. */
export interface Entitling {
  readonly subscriptionId: CustomerSubscriptionId;
  readonly planId: PlanId;
  readonly features: readonly PlanFeature[];
}

/** How much a value gives: nothing, a number, everything. */
const worth = ({ value }: PlanFeature): number => {
  if (typeof value === "number") return value;
  return value === false ? -1 : Number.POSITIVE_INFINITY;
};

/**
 * The entitlements from these subscriptions, oldest first, in the order of their keys. Of several values of one key the best
 * one is in force: true, the larger limit, no limit; of equal ones that of the oldest subscription.
 */
export function entitlementsOf(subscriptions: readonly Entitling[]): readonly Entitlement[] {
  const best = new Map<string, Entitlement>();
  for (const { features, planId, subscriptionId } of subscriptions)
    for (const { key, type, value } of features) {
      const found = { key, type, value, planId, subscriptionId };
      const known = best.get(key);
      if (!known || worth(found) > worth(known)) best.set(key, found);
    }
  return [...best.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** What is granted, without its origin: only this is news. */
export const granted = (entitlements: readonly PlanFeature[]): readonly PlanFeature[] =>
  entitlements.map(({ key, type, value }) => ({ key, type, value }));

/** Whether two lists, both in the order of their keys, grant the same. */
export const grantTheSame = (one: readonly PlanFeature[], other: readonly PlanFeature[]): boolean =>
  isDeepStrictEqual(granted(one), granted(other));
