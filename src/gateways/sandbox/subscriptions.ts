import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { boundary } from "../../kernel/periods.ts";
import { addDays, type CalendarDay, calendarDay, type Instant, toTimestamp } from "../../kernel/time.ts";
import { newSandboxId, renewalOutcome, type SandboxPayment, settle, WITHOUT_PAGE } from "./server.ts";
import type { Card, CheckoutRequest, Subscription, SubscriptionChange } from "./wire.ts";

/** A subscription that the sandbox gateway runs (interface 13.6). Pure, like `server.ts`. */
export interface SandboxSubscription {
  /** `sbs_` and hex. */
  readonly id: string;
  /** Of the payment that started it; renewals repeat it. */
  readonly reference: string;
  readonly status: Subscription["status"];
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  /** Dates of collections are counted from it; `cycle` says which of them is the next. */
  readonly anchor: CalendarDay;
  readonly cycle: number;
  readonly card: Card | null;
  readonly payer: CheckoutRequest["payer"];
  readonly description: string;
  readonly notifyUrl: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

type Schedule = Pick<SandboxSubscription, "anchor" | "frequency" | "cycle">;

/** The date of the next collection, paused or not. */
export const nextChargeOf = ({ anchor, frequency, cycle }: Schedule): CalendarDay => boundary(anchor, frequency, cycle);

/** The schedule advanced to its first date after `day`. */
function after<Scheduled extends Schedule>(schedule: Scheduled, day: CalendarDay): Scheduled {
  let { cycle } = schedule;
  while (nextChargeOf({ ...schedule, cycle }) <= day) cycle++;
  return { ...schedule, cycle };
}

/** When a recurring payment that completes on `today` is collected again: on the requested date, else one period later. */
function scheduleOf(
  { frequency, nextChargeOn }: NonNullable<CheckoutRequest["recurring"]>,
  today: CalendarDay,
): Schedule {
  const anchor = nextChargeOn as CalendarDay | null;
  return after({ frequency, anchor: anchor ?? today, cycle: 0 }, today);
}

/** What a recurring payment starts when it completes at `now`, as its notification names it; null for any other payment. */
export const subscriptionToStart = (
  { recurring }: Pick<SandboxPayment, "recurring">,
  now: Instant,
): SandboxPayment["subscription"] =>
  recurring && {
    id: newSandboxId("sbs"),
    nextChargeOn: nextChargeOf(scheduleOf(recurring, calendarDay(now))),
  };

/** The subscription that a completed payment has started; null when it started none. */
export function startedBy(payment: SandboxPayment, now: Instant): SandboxSubscription | null {
  const { subscription, recurring, reference, currency, card, payer, description, notifyUrl } = payment;
  if (!subscription || !recurring) return null;
  return {
    ...scheduleOf(recurring, calendarDay(now)),
    id: subscription.id,
    reference,
    status: "active",
    amount: cents(recurring.amount),
    currency,
    card,
    payer,
    description,
    notifyUrl,
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether a due collection is made: not while it is paused or cancelled. */
export const isRunning = ({ status }: Pick<SandboxSubscription, "status">): boolean =>
  status === "active" || status === "past_due";

/** The next collection, settled at once (interface 13.6): a payment with an id of its own. */
export function renewalOf(subscription: SandboxSubscription, now: Instant): SandboxPayment {
  const { id, reference, amount, currency, description, payer, notifyUrl, card } = subscription;
  const ending = renewalOutcome(card?.token ?? null);
  const nextChargeOn = nextChargeOf({ ...subscription, cycle: subscription.cycle + 1 });
  const facts = { reference, amount, currency, description, payer, notifyUrl, card, ending };
  const renewal: SandboxPayment = {
    ...WITHOUT_PAGE,
    ...facts,
    id: newSandboxId("sbp"),
    kind: "renewal",
    subscription: { id, nextChargeOn },
    settlesAt: null,
    createdAt: now,
  };
  return settle(renewal, ending, now);
}

/** The subscription after its next collection ended as `renewal`. */
export const renewedBy = (
  subscription: SandboxSubscription,
  renewal: Pick<SandboxPayment, "status">,
  now: Instant,
): SandboxSubscription => ({
  ...subscription,
  cycle: subscription.cycle + 1,
  status: renewal.status === "complete" ? "active" : "past_due",
  updatedAt: now,
});

export type SubscriptionAction = "pause" | "resume" | "cancel";

/** The subscription after an action; the same one when it had taken effect before. Null: it is cancelled, which is final. */
export function acted(
  subscription: SandboxSubscription,
  action: SubscriptionAction,
  now: Instant,
): SandboxSubscription | null {
  const { status } = subscription;
  if (action === "cancel")
    return status === "cancelled" ? subscription : { ...subscription, status: "cancelled", updatedAt: now };
  if (status === "cancelled") return null;
  if (action === "pause")
    return status === "paused" ? subscription : { ...subscription, status: "paused", updatedAt: now };
  // Dates that passed during the pause are not collected.
  return status === "paused"
    ? { ...after(subscription, addDays(calendarDay(now), -1)), status: "active", updatedAt: now }
    : subscription;
}

/** The subscription with another amount or next date, from which dates are then counted. Null: it is cancelled. */
export function changed(
  subscription: SandboxSubscription,
  { amount, nextDate }: SubscriptionChange,
  now: Instant,
): SandboxSubscription | null {
  if (subscription.status === "cancelled") return null;
  return {
    ...subscription,
    ...(amount === undefined ? {} : { amount: cents(amount) }),
    ...(nextDate === undefined ? {} : { anchor: nextDate as CalendarDay, cycle: 0 }),
    updatedAt: now,
  };
}

/** The subscription as API and notifications show it. */
export const subscriptionView = (subscription: SandboxSubscription): Subscription => ({
  id: subscription.id,
  status: subscription.status,
  amount: subscription.amount,
  currency: subscription.currency,
  nextChargeOn: isRunning(subscription) ? nextChargeOf(subscription) : null,
  updatedAt: toTimestamp(subscription.updatedAt),
});
