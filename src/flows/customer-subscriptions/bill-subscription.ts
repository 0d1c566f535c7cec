import { hasEnded } from "../../domain/customer-subscriptions.ts";
import type { CustomerSubscriptionId } from "../../kernel/ids.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_BILL } from "../../modules/customer-subscriptions/declarations.ts";
import { isInvoiced } from "../../modules/customer-subscriptions/rules/planner/bills.ts";
import { billDue, billPaid, end, withPaidPeriod } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { dueWhilePaused, nextDue, withoutBills } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import { isBeforeFirstBill } from "../../modules/customer-subscriptions/rules/planner/terms.ts";
import type { Bill, Outcome } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { awaitsCard, isBilled, isTrialOver } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscriptions,
  invoicesOfPeriods,
  subscriptionsAwaiting,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { CustomerSubscription, ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findInvoices } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { mailInvoices } from "../invoices/invoice-mails.ts";
import {
  type Answered,
  type Applied,
  type AppliedInSteps,
  appendSubscriptionEvents,
  applyOutcomes,
  askToBill,
  type EventToAppend,
  type SubscriptionEvent,
  subscriptionAfter,
} from "./apply-outcome.ts";
import { awaitCard } from "./await-migrated-card.ts";
import { collectingCard, subscriptionCard } from "./collecting-card.ts";
import {
  SUBSCRIPTION_ACTIVATED,
  SUBSCRIPTION_CANCELLED,
  SUBSCRIPTION_EXPIRED,
  SUBSCRIPTION_PAST_DUE,
  SUBSCRIPTION_PLAN_CHANGED,
  SUBSCRIPTION_RENEWED,
  SUBSCRIPTION_TRIAL_ENDED,
  SUBSCRIPTION_UPDATED,
} from "./declarations.ts";
import { endUnpaid, firstChargePaid } from "./first-charge.ts";

/**
 * `customer_subscription.bill`: brings a set of one organisation's subscriptions up to date, each as `bringUpToDate`
 * does. The caller has locked them. Locks as `makeBills`.
 */
export async function billSubscriptions(tx: Tx, ctx: Ctx, ids: readonly CustomerSubscriptionId[]): Promise<void> {
  const today = calendarDay(ctx.now);
  const found = await findCustomerSubscriptions(tx, ids, today);
  // Work for a subscription that is not due yet was enqueued too early; `makeBills` enqueues the next work after a
  // bill.
  for (const one of found) if (isOurs(one) && one.nextDue !== null && one.nextDue > today) askToBill(tx, one);
  const pending = found.filter(({ status }) => status === "pending");
  // Several customers are locked.
  if (pending.length > 0) lockNumbers(tx, "invoice");
  // Before the bills: ending a subscription locks its links and its invoice, which come in `LOCK_ORDER` before the
  // customers that bills lock.
  const after: ShownSubscription[] = [];
  for (const one of pending) after.push(await firstCharge(tx, ctx, one));
  const active = after.filter(({ status }) => status === "active");
  await billAll(tx, ctx, [...found.filter(({ status }) => status !== "pending"), ...active]);
}

/**
 * A subscription that waits for its first charge becomes active once that is paid, and ends when it can no longer be
 * paid; one that waits for a card keeps waiting.
 */
async function firstCharge(tx: Tx, ctx: Ctx, pending: ShownSubscription): Promise<ShownSubscription> {
  if (awaitsCard(pending)) return awaitCard(tx, ctx, pending);
  const after = await firstChargePaid(tx, ctx, pending);
  return after.status === "pending" ? endUnpaid(tx, ctx, after) : after;
}

/**
 * Starts, bills or ends a subscription that is due: each missed period gets its own bill, oldest first. Moves the
 * period of a subscription with collection method `manual` whose bill is paid (interface 16.13, 16.19). A paused or
 * ended subscription is not billed; one that is pending or billed elsewhere is returned unchanged. The caller has
 * locked the subscription. Locks as `makeBills`.
 */
export async function bringUpToDate(tx: Tx, ctx: Ctx, before: ShownSubscription): Promise<ShownSubscription> {
  const [after] = await billAll(tx, ctx, [before]);
  return after ?? before;
}

/** Like `bringUpToDate`, in one statement for each table; returns the subscriptions that were due, in order. */
async function billAll(tx: Tx, ctx: Ctx, locked: readonly ShownSubscription[]): Promise<readonly ShownSubscription[]> {
  const today = calendarDay(ctx.now);
  const ours = locked.filter(isOurs);
  const paidOf = await settledInvoices(tx, ours);
  const answered = ours.flatMap((before) => {
    const paid = paidOf.get(before.id) ?? null;
    const outcome = dueOf(before, paid, today);
    return outcome ? { before, paid, outcome } : [];
  });
  return (await billAnswered(tx, ctx, answered)).map(({ after }) => after);
}

/** The planner's outcome for a subscription, and the reason for the call. */
export interface ToBill extends Answered {
  /** The invoice whose payment has moved the period. */
  readonly paid?: Invoice | null;
  /** The event that is appended before those of the bills, with their first invoice. */
  readonly event?: SubscriptionEvent;
  /** The invoice that has made the subscription past due without an announcement: it is announced after that event. */
  readonly pastDueBy?: Invoice | null;
  /** Whether the end of its trial was announced earlier. */
  readonly trialTold?: boolean;
}

/**
 * Stores the planner's outcomes for locked subscriptions, makes their bills, and appends their events; returns the
 * subscriptions in order. A subscription without a card for its first charge becomes pending, and its payer is asked to
 * pay it. Locks as `makeBills`.
 */
export async function billAnswered(tx: Tx, ctx: Ctx, toBill: readonly ToBill[]): Promise<readonly Applied[]> {
  if (toBill.length === 0) return [];
  const answered = await withCards(tx, ctx, toBill);
  const applied = await applyOutcomes(tx, ctx, answered);
  appendSubscriptionEvents(
    tx,
    ctx,
    answered.flatMap(({ before, paid = null, event, pastDueBy = null, trialTold = false }, place) => {
      const own = applied[place];
      if (!own) return [];
      const begins = before.status === "scheduled" && own.after.status === "trialing";
      const cause = event ?? (begins ? SUBSCRIPTION_UPDATED : undefined);
      const after = own.steps[0] ?? own.after;
      const first = cause ? [{ event: cause, after, invoice: own.made[0]?.invoice ?? null }] : [];
      const late = pastDueBy ? [{ event: SUBSCRIPTION_PAST_DUE, after, invoice: pastDueBy }] : [];
      return [...first, ...late, ...eventsOf({ ...own, before, paid, trialTold })];
    }),
  );
  const after = await askForFirst(tx, ctx, applied);
  return applied.map((one, place) => ({ ...one, after: after[place] ?? one.after }));
}

/** Gives subscriptions that have not been charged yet the card that can pay their first charge. */
const withCards = <One extends { readonly before: ShownSubscription }>(tx: Tx, ctx: Ctx, due: readonly One[]) =>
  Promise.all(
    due.map(async (one): Promise<One> => {
      if (one.before.collectionMethod !== "gateway" || !isBeforeFirstBill(one.before.state)) return one;
      const card = await collectingCard(tx, ctx, one.before);
      return { ...one, before: { ...one.before, card: card && subscriptionCard(card) } };
    }),
  );

/** Mails the invoice, whose page saves the card, when a first charge waits for its payer and nobody is on a page. */
async function askForFirst(tx: Tx, ctx: Ctx, applied: readonly Applied[]): Promise<readonly ShownSubscription[]> {
  const pending = applied.filter(({ after }) => after.status === "pending");
  const asked = pending.flatMap(({ made }) => made.flatMap(({ invoice }) => invoice ?? []));
  mailInvoices(
    tx,
    ctx,
    asked.filter(({ status }) => status !== "paid"),
  );
  const after: ShownSubscription[] = [];
  for (const one of applied) after.push(await firstChargePaid(tx, ctx, one.after));
  return after;
}

/**
 * Whether due work changes the subscription here: not while its first payment is awaited, which `firstCharge` handles,
 * nor in mirror mode.
 */
const isOurs = ({ collectionMethod, status }: CustomerSubscription): boolean =>
  collectionMethod !== "external" && status !== "pending";

/**
 * The outcome of everything that is due for a subscription, or of the payment of the invoice for which it waited; null
 * when there is none. While the subscription is paused, and after its end, a payment moves the period and nothing else
 * is billed.
 */
function dueOf(of: CustomerSubscription, paid: Invoice | null, today: CalendarDay): Outcome | null {
  if (paid === null && (of.nextDue === null || of.nextDue > today)) return null;
  if (isBilled(of)) return paid ? billPaid(of.state, today) : billDue(of.state, today);
  const state = paid ? withPaidPeriod(of.state) : of.state;
  const endsOn = of.status === "paused" ? dueWhilePaused(state) : null;
  return endsOn !== null && endsOn <= today ? end(state, endsOn, "cancelled") : withoutBills(state);
}

/** The subscription as `bringUpToDate` would leave it; reads only. */
export async function previewUpToDate(tx: Tx, ctx: Ctx, before: CustomerSubscription): Promise<CustomerSubscription> {
  if (!isOurs(before)) return before;
  const paid = (await settledInvoices(tx, [before])).get(before.id) ?? null;
  const outcome = dueOf(before, paid, calendarDay(ctx.now));
  return outcome ? subscriptionAfter(ctx, before, outcome) : before;
}

/**
 * The paid or cancelled invoices for which periods waited (decisions.md#cancelled-bills-end-the-wait), by subscription.
 */
async function settledInvoices(
  tx: Tx,
  subscriptions: readonly CustomerSubscription[],
): Promise<ReadonlyMap<CustomerSubscriptionId, Invoice>> {
  const waiting = subscriptions.flatMap(({ id, state: { awaiting } }) =>
    awaiting === null ? [] : { id, start: awaiting.start },
  );
  if (waiting.length === 0) return new Map();
  const invoiceOf = await invoicesOfPeriods(tx, waiting);
  const invoices = new Map((await findInvoices(tx, [...invoiceOf.values()])).map((invoice) => [invoice.id, invoice]));
  return new Map(
    [...invoiceOf].flatMap(([id, invoiceId]) => {
      const invoice = invoices.get(invoiceId);
      return invoice?.status === "paid" || invoice?.status === "cancelled" ? [[id, invoice] as const] : [];
    }),
  );
}

/** The changes that billing makes. */
interface Billed extends AppliedInSteps {
  readonly before: ShownSubscription;
  /** The invoice whose payment has moved the period. */
  readonly paid: Invoice | null;
  readonly trialTold: boolean;
}

/**
 * The events in order, each with the subscription as it was then. A `manual` subscription is renewed when its bill is
 * paid, any other when it is billed.
 */
function eventsOf({ before, after, paid, made, steps, trialTold }: Billed): EventToAppend[] {
  const events: EventToAppend[] = [];
  if (hasEnded(before)) return events;
  if (!trialTold && isTrialOver(before, after))
    events.push({ event: SUBSCRIPTION_TRIAL_ENDED, after: steps[0] ?? after, invoice: made[0]?.invoice ?? null });
  if (paid)
    events.push({
      event: SUBSCRIPTION_RENEWED,
      after: made.length === 0 ? after : afterPayment(before),
      invoice: paid,
    });
  let last = before;
  for (const [place, { bill, invoice }] of made.entries()) {
    const then = steps[place] ?? after;
    events.push(...eventsOfBill(last, then, bill, invoice));
    last = then;
  }
  const closing = made.at(-1)?.bill.kind === "proration" ? made.at(-1) : undefined;
  if (hasEnded(after)) {
    const event = after.status === "expired" ? SUBSCRIPTION_EXPIRED : SUBSCRIPTION_CANCELLED;
    events.push({ event, after, invoice: closing?.invoice ?? null });
  }
  return events;
}

/** The events of one bill: for the pending change that took effect with it, and for the period that it begins. */
function eventsOfBill(
  before: ShownSubscription,
  after: ShownSubscription,
  bill: Bill,
  invoice: Invoice | null,
): EventToAppend[] {
  const events: EventToAppend[] = [];
  const hasChanged = before.state.pendingChange !== null && after.state.pendingChange === null && !hasEnded(after);
  if (hasChanged) events.push({ event: SUBSCRIPTION_PLAN_CHANGED, after, invoice: null });
  if (bill.kind === "first" && after.status !== "pending")
    events.push({ event: SUBSCRIPTION_ACTIVATED, after, invoice });
  const waits = after.state.periodMoves === "when_paid" && isInvoiced(bill);
  // A reactivation that is charged at once begins a period with a proration.
  const begins = bill.kind === "cycle" || (bill.kind === "proration" && bill.cycle > before.state.cyclesBilled);
  if (begins && !waits) events.push({ event: SUBSCRIPTION_RENEWED, after, invoice });
  return events;
}

/** The subscription right after the payment that moved its period, before anything else was billed. */
function afterPayment(before: ShownSubscription): ShownSubscription {
  const state = withPaidPeriod(before.state);
  return { ...before, state, nextDue: nextDue(state) };
}

/** Enqueues the renewal of subscriptions that waited for one of these invoices, after it was paid or cancelled. */
export async function renewSettled(tx: Tx, ctx: Ctx, invoices: readonly string[]): Promise<void> {
  for (const id of await subscriptionsAwaiting(tx, invoices)) enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, id, ctx.now);
}
