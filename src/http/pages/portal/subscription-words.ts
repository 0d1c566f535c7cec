import { addDays } from "../../../kernel/time.ts";
import { lastDayOf } from "../../../modules/customer-subscriptions/rules/planner/periods.ts";
import { promisedCharges } from "../../../modules/customer-subscriptions/rules/planner/promise.ts";
import { awaitsCard, isBilled, shownStatus } from "../../../modules/customer-subscriptions/states.ts";
import type { CustomerSubscriptionStatus, ShownSubscription } from "../../../modules/customer-subscriptions/types.ts";
import { dayInWords } from "../../../templates/wording.ts";

const WORDS: Readonly<Record<CustomerSubscriptionStatus, string>> = {
  scheduled: "Starts later",
  pending: "Waits for your first payment",
  trialing: "Trial",
  active: "Active",
  past_due: "Payment overdue",
  paused: "Paused",
  cancelled: "Cancelled",
  expired: "Ended",
};

/**
 * What the customer will be charged; nothing while the subscription is paused, after its end, and when another platform
 * bills it.
 */
export const chargesShown = (of: ShownSubscription): ReturnType<typeof promisedCharges> =>
  isBilled(of) || of.status === "pending" ? promisedCharges(of.state) : [];

/** The status of a subscription, in words for its customer. */
export function standingOf(of: ShownSubscription): string {
  const { period, startsOn, cancelAtPeriodEnd } = of.state;
  const status = shownStatus(of);
  if (cancelAtPeriodEnd && period && status !== "cancelled") return `Ends after ${dayInWords(lastDayOf(period))}`;
  if (awaitsCard(of)) return "Waits for you to confirm your card";
  if (status === "scheduled") return `Starts on ${dayInWords(startsOn)}`;
  if (status === "trialing" && period) return `Trial until ${dayInWords(addDays(period.next, -1))}`;
  return WORDS[status];
}
