import type { Cents } from "../../kernel/money.ts";
import { boundary } from "../../kernel/periods.ts";
import { addSeconds, type CalendarDay, type Instant, isSameInstant } from "../../kernel/time.ts";
import type { GatewaySubscription, GatewaySubscriptionStatus, Reported } from "./types.ts";

/** The status in a gateway's report of a subscription. */
export type ReportedStatus = Exclude<GatewaySubscriptionStatus, "pending">;

type Standing = Pick<GatewaySubscription, "status" | "paused" | "pastDue">;

/** The newer of two reports; when both have the same time, the one with the value `first`. */
function newer(known: Reported, value: boolean, asOf: Instant, first: boolean): Reported {
  if (asOf > known.asOf) return { value, asOf };
  return isSameInstant(asOf, known.asOf) && value === first ? { value, asOf } : known;
}

const withStatus = <S extends Standing>(subscription: S): S => {
  const { status, paused, pastDue } = subscription;
  if (status === "cancelled" || status === "pending") return subscription;
  return { ...subscription, status: paused.value ? "paused" : pastDue.value ? "past_due" : "active" };
};

/**
 * The subscription after a report of its status at the gateway, of the time `asOf`. Reports in any order, and repeated,
 * have the same result: for each fact the newest report counts, and a cancellation is final
 * (decisions.md#pause-and-miss-are-two-facts).
 */
export function afterReport<S extends Standing>(subscription: S, status: ReportedStatus, asOf: Instant): S {
  if (subscription.status === "pending") return subscription;
  if (status === "cancelled") return { ...subscription, status };
  const paused = newer(subscription.paused, status === "paused", asOf, true);
  const pastDue =
    status === "paused" ? subscription.pastDue : newer(subscription.pastDue, status === "past_due", asOf, false);
  return withStatus({ ...subscription, paused, pastDue });
}

/**
 * The time for a report of collections that has none: its arrival, or just after every report before it, since only the order of arrival is
 * known.
 */
export const arrivedAt = ({ pastDue }: Pick<GatewaySubscription, "pastDue">, now: Instant): Instant =>
  now > pastDue.asOf ? now : addSeconds(pastDue.asOf, 0.001);

/** The subscription after a collection that succeeded or was missed at `asOf`. Whether it is paused does not change. */
export const afterCollection = <S extends Standing>(subscription: S, missed: boolean, asOf: Instant): S =>
  withStatus({ ...subscription, pastDue: newer(subscription.pastDue, missed, asOf, false) });

/** The subscription after an action that the gateway has confirmed at `now`, which is newer than every report before it. */
export function afterAction<S extends Standing>(
  subscription: S,
  action: "pause" | "resume" | "cancel",
  now: Instant,
): S {
  if (action === "cancel") return { ...subscription, status: "cancelled" };
  return withStatus({ ...subscription, paused: { value: action === "pause", asOf: now } });
}

/** Whether its gateway collects it on its date. */
export const isRunning = ({ status }: Pick<GatewaySubscription, "status">): boolean =>
  status === "active" || status === "past_due";

/** The later of the known next date and the one that a collection reports: reports may come in any order. */
export const laterDate = (known: CalendarDay | null, reported: CalendarDay | null): CalendarDay | null =>
  known === null || (reported !== null && reported > known) ? reported : known;

/** The date on which a collection is expected after one that was missing. */
export function dateAfter(
  { frequency }: Pick<GatewaySubscription, "frequency">,
  missing: CalendarDay,
  atGateway: CalendarDay | null,
): CalendarDay {
  return atGateway !== null && atGateway > missing ? atGateway : boundary(missing, frequency, 1);
}

/**
 * The amount of a collection that the gateway reports, in cents: the subscription's, or the other one that a change
 * allows at that time. Null for a report with any other amount.
 */
export function amountOfCollection(
  { amount, otherAmount }: Pick<GatewaySubscription, "amount" | "otherAmount">,
  reported: { readonly amount: Cents | null; readonly at: Instant },
): Cents {
  const isOther = otherAmount !== null && reported.amount === otherAmount.amount;
  return isOther && (otherAmount.until === null || reported.at <= otherAmount.until) ? otherAmount.amount : amount;
}

/** Reference of a later collection (interface 2.2). */
export const collectionReference = (firstReference: string, providerRef: string): string =>
  `${firstReference}-${providerRef}`.slice(0, 190);

/** Whether this payment was recorded because the payer paid the page of another one, `reportedReference`, a second time. */
export const isSecondOfPage = (
  { reference, providerRef }: { readonly reference: string; readonly providerRef: string | null },
  reportedReference: string | null,
): boolean =>
  reportedReference !== null &&
  providerRef !== null &&
  reference === collectionReference(reportedReference, providerRef);

/** The subscription with a flag that it was changed in the gateway's own dashboard. */
export const changedElsewhere = <S extends Pick<GatewaySubscription, "flags">>(subscription: S): S =>
  subscription.flags.includes("made_elsewhere")
    ? subscription
    : { ...subscription, flags: [...subscription.flags, "made_elsewhere"] };

/**
 * The subscription after a report, of the time `at`, of what its gateway collects from now on. An amount for which the
 * gateway was asked here is ours; any other was set in its own dashboard. A report that is older than the last change,
 * and one of a subscription that collects an invoice's total, changes nothing.
 */
export function afterPrice<S extends Pick<GatewaySubscription, "amount" | "otherAmount" | "flags" | "invoiceId">>(
  subscription: S,
  reported: Cents | null,
  at: Instant,
): S {
  const { amount, otherAmount, invoiceId } = subscription;
  if (reported === null || reported <= 0 || reported === amount || invoiceId !== null) return subscription;
  const isAsked = otherAmount !== null && otherAmount.until === null && otherAmount.amount === reported;
  if (!isAsked && otherAmount?.until && at <= otherAmount.until) return subscription;
  const after = { ...subscription, amount: reported, otherAmount: { amount, until: at } };
  return isAsked ? after : changedElsewhere(after);
}
