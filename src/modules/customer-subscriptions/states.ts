import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { ApiError } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay, type Instant } from "../../kernel/time.ts";
import { isInvoiced } from "./rules/planner/bills.ts";
import { endsWithPeriod } from "./rules/planner/due.ts";
import { isBeforeFirstBill } from "./rules/planner/terms.ts";
import type { Outcome } from "./rules/planner/types.ts";
import type { CustomerSubscription, CustomerSubscriptionStatus, ShownSubscription } from "./types.ts";

/**
 * The status of a subscription after the planner's outcome (interface 3.11). A subscription with `paidThrough` is
 * active at once; one whose first charge is zero is active without a payment. One that is collected from a card is
 * pending until its first charge is paid, unless it has a card by then (interface 16.14). One that is paused or has
 * ended stays so; the caller that resumes or reactivates it sets `active`.
 */
export function statusAfter(
  { after, ends, bills }: Pick<Outcome, "after" | "ends" | "bills">,
  before: Pick<CustomerSubscription, "status" | "collectionMethod" | "card">,
): CustomerSubscriptionStatus {
  if (ends) return ends.why;
  if (before.status === "paused" || hasEnded(before)) return before.status;
  if (after.period === null) return "scheduled";
  if (isBeforeFirstBill(after)) return "trialing";
  const charged = bills.some((bill) => bill.kind === "first" && isInvoiced(bill));
  const waits = before.status === "pending" || (charged && before.card === null);
  return before.collectionMethod === "gateway" && waits ? "pending" : "active";
}

/** The subscription with a status, and the time since when it has it. */
export const withStatus = <Of extends CustomerSubscription>(of: Of, status: Of["status"], now: Instant): Of => ({
  ...of,
  status,
  pausedAt: status === "paused" ? (of.pausedAt ?? now) : null,
  cancelledAt: status === "cancelled" ? (of.cancelledAt ?? now) : null,
});

/** Whether the service bills it by itself when a bill falls due; not before its first charge was paid. */
export const isBilled = (of: Pick<CustomerSubscription, "status" | "collectionMethod">): boolean =>
  !hasEnded(of) && of.status !== "paused" && of.status !== "pending" && of.collectionMethod !== "external";

/**
 * Whether it waits for its payer to confirm a card, after which it is charged: what a migration makes (interface 4.7).
 * Any other pending one has a first bill.
 */
export const awaitsCard = ({ status, state }: Pick<CustomerSubscription, "status" | "state">): boolean =>
  status === "pending" && state.cyclesBilled === 0;

/** What a pending subscription waits for, in a sentence. */
export const awaitedOf = (of: Pick<CustomerSubscription, "status" | "state">): string =>
  awaitsCard(of) ? "Its payer has not confirmed the card yet." : "Its first payment is awaited.";

/** The status that clients see. */
export const shownStatus = ({ status, isPastDue }: ShownSubscription): CustomerSubscriptionStatus =>
  isPastDue ? "past_due" : status;

/** Whether the payer was not yet notified that the trial ends. */
export const awaitsTrialNotice = ({
  collectionMethod,
  status,
  state,
  trialNoticedFor,
}: CustomerSubscription): boolean =>
  collectionMethod !== "external" &&
  status === "trialing" &&
  !state.cancelAtPeriodEnd &&
  state.period?.next !== trialNoticedFor;

/** Whether the trial of a subscription has ended by itself between two moments. */
export const isTrialOver = ({ state }: CustomerSubscription, after: CustomerSubscription): boolean =>
  state.trialDays > 0 && isBeforeFirstBill(state) && (hasEnded(after) || !isBeforeFirstBill(after.state));

/** Whether a subscription ended with its trial, which was announced then. */
export const endedWithTrial = (of: CustomerSubscription): boolean =>
  of.cancelledAt !== null &&
  of.state.period !== null &&
  isBeforeFirstBill(of.state) &&
  calendarDay(of.cancelledAt) >= of.state.period.next;

/**
 * The last day of the running period; null before the start, after the last period, and while a period that is billed
 * waits for its payment.
 */
export const endOfRunningPeriod = (
  { state: { period, awaiting } }: Pick<CustomerSubscription, "state">,
  today: CalendarDay,
): CalendarDay | null => (period !== null && awaiting === null && period.next > today ? period.next : null);

/**
 * The day of the next bill (interface 2.13, `nextBillingAt`); null when the service makes no further bill by itself, or
 * when the subscription ends with its period. For a scheduled one with a trial it is the day after the trial.
 * `NEXT_BILLING` of the store is the same condition in SQL.
 */
export function nextBillingOn({
  collectionMethod,
  status,
  nextDue,
  state,
}: Pick<CustomerSubscription, "collectionMethod" | "status" | "nextDue" | "state">): CalendarDay | null {
  if (endsWithPeriod(state) && collectionMethod !== "external") return null;
  return status === "scheduled" ? addDays(state.startsOn, state.trialDays) : nextDue;
}

/** Whether it has ended without a payment of its first charge, whose invoice was cancelled with it. */
const neverBegan = (of: ShownSubscription): boolean =>
  hasEnded(of) &&
  of.collectionMethod === "gateway" &&
  of.state.cyclesBilled === 1 &&
  of.lastInvoice?.status === "cancelled";

/** An action on a subscription. */
export type SubscriptionAction = "pause" | "resume" | "cancel" | "reactivate" | "move";

/** `acts`: the action is done. `stays`: it was done before, and the subscription is answered unchanged. */
type Answer = "acts" | "stays";

const ANSWERS: Readonly<Record<CustomerSubscriptionStatus, Readonly<Partial<Record<SubscriptionAction, Answer>>>>> = {
  scheduled: { pause: "acts", resume: "stays", cancel: "acts", reactivate: "stays", move: "acts" },
  pending: { resume: "stays", cancel: "acts", reactivate: "stays" },
  trialing: { pause: "acts", resume: "stays", cancel: "acts", reactivate: "stays", move: "acts" },
  active: { pause: "acts", resume: "stays", cancel: "acts", reactivate: "stays", move: "acts" },
  past_due: { pause: "acts", resume: "stays", cancel: "acts", reactivate: "stays", move: "acts" },
  paused: { pause: "stays", resume: "acts", cancel: "acts", move: "acts" },
  cancelled: { cancel: "stays", reactivate: "acts" },
  expired: { reactivate: "acts" },
};

const DONE: Readonly<Record<SubscriptionAction, string>> = {
  pause: "paused",
  resume: "resumed",
  cancel: "cancelled",
  reactivate: "reactivated",
  move: "billed on another day",
};

/** The action to suggest instead of the refused one. */
const INSTEAD: Readonly<Partial<Record<CustomerSubscriptionStatus, string>>> = {
  paused: "Resume it.",
  cancelled: "Reactivate it first.",
  expired: "Reactivate it first.",
};

/**
 * Whether a subscription takes an action (interface 3.11). One that is to be cancelled at its period's end is
 * reactivated by undoing that. Throws 409 `invalid_state`.
 */
export function answerTo(of: ShownSubscription, action: SubscriptionAction): Answer {
  const status = shownStatus(of);
  if (action === "reactivate" && of.state.cancelAtPeriodEnd && !hasEnded(of)) return "acts";
  const answer = ANSWERS[status][action];
  if (action === "reactivate" && neverBegan(of))
    throw new ApiError(
      "invalid_state",
      409,
      "The first charge was never paid, so nothing can go on. Create another subscription.",
    );
  if (answer) return answer;
  throw new ApiError(
    "invalid_state",
    409,
    `A subscription that is ${status} cannot be ${DONE[action]}. ${status === "pending" ? awaitedOf(of) : (INSTEAD[status] ?? "")}`.trim(),
  );
}
