import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { appendEvents } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import type { CustomerSubscriptionId } from "../../kernel/ids.ts";
import { subtract, sum } from "../../kernel/money.ts";
import { addDays, type CalendarDay, startOfDay } from "../../kernel/time.ts";
import {
  CUSTOMER_SUBSCRIPTION_BILL,
  CUSTOMER_SUBSCRIPTION_TRIAL_ENDING,
} from "../../modules/customer-subscriptions/declarations.ts";
import { invoiceLines, isInvoiced } from "../../modules/customer-subscriptions/rules/planner/bills.ts";
import {
  dueWhilePaused,
  lastPeriodEnd,
  withoutBills,
} from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import { lastDayOf } from "../../modules/customer-subscriptions/rules/planner/periods.ts";
import type { Bill, Credit, Outcome, Price } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { withVat } from "../../modules/customer-subscriptions/rules/planner/worth.ts";
import { awaitsTrialNotice, statusAfter, withStatus } from "../../modules/customer-subscriptions/states.ts";
import { insertBills } from "../../modules/customer-subscriptions/store/bills.ts";
import { type CreditEntry, insertCreditEntries } from "../../modules/customer-subscriptions/store/credits.ts";
import {
  insertPeriodMove,
  saveCustomerSubscriptions,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { CustomerSubscription, ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { INVOICE_CREATED } from "../../modules/invoices/declarations.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { findPackage, findPlan } from "../../modules/packages/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWorks, enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { insertWithNumbers, type NewInvoice } from "../invoices/create-invoice.ts";
import { exchangeKnown } from "../invoices/exchange.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";
import { issueAndMail } from "../invoices/send-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";
import { beginCollecting } from "./begin-collecting.ts";
import type * as events from "./declarations.ts";
import { subscriptionObject, withInvoices } from "./subscription-object.ts";

/** Events about customer subscriptions, among all declared events. */
export type SubscriptionEvent = (typeof events)[keyof typeof events];

/** A bill, with its invoice when an amount is due. */
export interface MadeBill {
  readonly bill: Bill;
  readonly invoice: Invoice | null;
}

/** The planner's outcome for a subscription, with the caller's further changes. */
export interface Answered {
  readonly before: ShownSubscription;
  readonly outcome: Outcome;
}

/** A subscription after the change, and the bills that were made. */
export interface Applied {
  readonly after: ShownSubscription;
  readonly made: readonly MadeBill[];
}

/** The same with the subscription as it was right after each bill, for the events of that bill. */
export interface AppliedInSteps extends Applied {
  readonly steps: readonly ShownSubscription[];
}

/**
 * Stores the planner's outcomes for locked subscriptions, and makes their bills; returns the subscriptions in order.
 * Locks as `makeBills`.
 */
export async function applyOutcomes(
  tx: Tx,
  ctx: Ctx,
  answered: readonly Answered[],
): Promise<readonly AppliedInSteps[]> {
  const plans = await plansAfter(tx, answered);
  const stored = answered.map(({ before, outcome }) => {
    const after = subscriptionAfter(ctx, before, outcome);
    const plan = plans.get(outcome.after.terms.price.planId) ?? before.plan;
    return { after: { ...after, plan, isPastDue: before.isPastDue && after.status === "active" }, outcome };
  });
  saveCustomerSubscriptions(
    tx,
    stored.map(({ after }) => after),
  );
  for (const one of answered) keepPeriodMove(tx, ctx, one);
  takeBackWork(
    tx,
    stored.map(({ after }, place) => ({ before: answered[place]?.before ?? after, after })),
  );
  const applied = await makeAllBills(tx, ctx, stored);
  return applied.flatMap((one, place) => {
    const of = answered[place];
    return of ? { ...one, steps: stepsOf(ctx, of, one, plans) } : [];
  });
}

/**
 * The subscription after each bill, with the invoices that existed by then. The bill that ends it leaves it as it is
 * stored.
 */
function stepsOf(
  ctx: Ctx,
  { before, outcome }: Answered,
  { after, made }: Applied,
  plans: ReadonlyMap<string, ShownSubscription["plan"]>,
): readonly ShownSubscription[] {
  return made.map(({ bill }, place) => {
    const state = outcome.afterEach[place];
    if (!state || (outcome.ends !== null && bill.kind === "proration")) return after;
    const bills = outcome.bills.slice(0, place + 1);
    const then = subscriptionAfter(ctx, before, { ...withoutBills(state), bills });
    const plan = plans.get(state.terms.price.planId) ?? before.plan;
    const isPastDue = before.isPastDue && then.status === "active";
    const invoices = made.slice(0, place + 1).flatMap(({ invoice }) => invoice ?? []);
    return withInvoices({ ...then, plan, isPastDue }, invoices);
  });
}

/** Like `applyOutcomes`, for one subscription. */
export async function applyOutcome(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  outcome: Outcome,
): Promise<AppliedInSteps> {
  const [applied] = await applyOutcomes(tx, ctx, [{ before, outcome }]);
  assert(applied, "one subscription is answered");
  return applied;
}

/** The plans of pending changes that took effect at a renewal, by id. */
async function plansAfter(
  tx: Tx,
  answered: readonly Answered[],
): Promise<ReadonlyMap<string, ShownSubscription["plan"]>> {
  const ids = new Set<string>();
  for (const { before, outcome } of answered) {
    const { planId } = outcome.after.terms.price;
    if (planId !== before.plan.id) ids.add(planId);
  }
  const plans = new Map<string, ShownSubscription["plan"]>();
  for (const id of ids) {
    const plan = await findPlan(tx, id);
    const parent = plan && (await findPackage(tx, plan.packageId));
    assert(parent, "a plan that a subscription changes to is not deleted");
    plans.set(id, { id: plan.id, name: plan.name, packageId: parent.id, packageName: parent.name });
  }
  return plans;
}

/** The subscription after the planner's outcome; the caller stores it. */
export function subscriptionAfter<Of extends CustomerSubscription>(ctx: Ctx, before: Of, outcome: Outcome): Of {
  const status = statusAfter(outcome, before);
  return {
    ...withStatus(before, status, ctx.now),
    state: outcome.after,
    nextDue: nextDueOf(status, outcome),
    updatedAt: ctx.now,
  };
}

function nextDueOf(status: ShownSubscription["status"], { after, nextDue }: Outcome): CalendarDay | null {
  if (status === "paused") return dueWhilePaused(after);
  return hasEnded({ status }) ? null : nextDue;
}

/**
 * Stores how the end of the last billed period moved, so that `verify` can compare the next bill with it
 * (decisions.md#moves-of-a-period-are-kept).
 */
function keepPeriodMove(tx: Tx, ctx: Ctx, { before: { id, state }, outcome: { bills, after } }: Answered): void {
  const { cyclesBilled: cycle } = state;
  const endedOn = lastPeriodEnd(state);
  const endsOn = cycle === after.cyclesBilled ? lastPeriodEnd(after) : bills.find((bill) => bill.cycle > cycle)?.start;
  if (cycle === 0 || endedOn === null || !endsOn || endedOn === endsOn) return;
  insertPeriodMove(tx, { id: newId("csm"), subscriptionId: id, cycle, endedOn, endsOn, createdAt: ctx.now });
}

/** Cancels work that subscriptions no longer need. */
export function takeBackWork(
  tx: Tx,
  changed: readonly { readonly before: ShownSubscription; readonly after: ShownSubscription }[],
): void {
  const notBilled = changed.filter(({ before, after }) => before.nextDue !== null && after.nextDue === null);
  const notNoticed = changed.filter(({ before, after }) => awaitsTrialNotice(before) && !awaitsTrialNotice(after));
  for (const [work, of] of [
    [CUSTOMER_SUBSCRIPTION_BILL, notBilled],
    [CUSTOMER_SUBSCRIPTION_TRIAL_ENDING, notNoticed],
  ] as const)
    if (of.length > 0)
      cancelWorks(
        tx,
        work,
        of.map(({ after }) => after.id),
      );
}

/** The records to write for an outcome of the planner. */
type Made = Pick<Outcome, "bills" | "creditsMade" | "creditsRestated">;

/** A subscription with the planner's bills, which are still to be made. */
interface Billed {
  readonly after: ShownSubscription;
  readonly outcome: Made;
}

/** Like `makeAllBills`, for one subscription. */
export async function makeBills(tx: Tx, ctx: Ctx, after: ShownSubscription, outcome: Made): Promise<Applied> {
  const [applied] = await makeAllBills(tx, ctx, [{ after, outcome }]);
  assert(applied, "one subscription is billed");
  return applied;
}

/**
 * Makes the planner's bills, each with its invoice, in one statement for each table, and enqueues the next due work;
 * returns the subscriptions with their bills, in order. The subscriptions are stored and locked. Locks the invoice
 * numbers and the balances of the customers.
 */
async function makeAllBills(tx: Tx, ctx: Ctx, billed: readonly Billed[]): Promise<readonly Applied[]> {
  const invoiceOf = await makeInvoices(tx, ctx, billed);
  const applied = billed.map(({ after, outcome }) => {
    const made = outcome.bills.map((bill) => ({ bill, invoice: invoiceOf.get(bill) ?? null }));
    const invoices = made.flatMap(({ invoice }) => invoice ?? []);
    return { after: withInvoices(after, invoices), made };
  });
  const bills = applied.flatMap(({ after, made }) =>
    made.map(({ bill, invoice }) => ({
      id: newId("csb"),
      subscriptionId: after.id,
      bill,
      invoiceId: invoice?.id ?? null,
      createdAt: ctx.now,
    })),
  );
  insertBills(tx, bills);
  insertCreditEntries(
    tx,
    billed.flatMap(({ after, outcome }) => creditEntries(after, outcome)),
    ctx.now,
  );
  await beginCollecting(
    tx,
    ctx,
    applied.map(({ after, made }) => ({ sub: after, invoices: made.flatMap(({ invoice }) => invoice ?? []) })),
  );
  await askForDue(
    tx,
    billed.map(({ after }) => after),
  );
  return applied;
}

/** The entries for credits that an outcome changes otherwise than by its bills, which use them. */
export const creditEntries = (
  { id: subscriptionId, state }: Pick<ShownSubscription, "id" | "state">,
  { creditsMade, creditsRestated }: Omit<Made, "bills">,
): readonly CreditEntry[] => [
  ...creditsMade.flatMap((made) => madeOf(subscriptionId, made, state.terms.price)),
  ...creditsRestated.map(
    ({ creditId, from, to }) => ({ subscriptionId, creditId, cause: "restated", amount: subtract(to, from) }) as const,
  ),
];

/**
 * The entries of a credit that a bill or a change made; a credit for unused days has one for each bill that had charged
 * them.
 */
const madeOf = (
  subscriptionId: CustomerSubscriptionId,
  { id, amount, covers = [] }: Credit,
  price: Price,
): readonly CreditEntry[] => {
  const entry = { subscriptionId, creditId: id, cause: "billed" } as const;
  const named = covers.map((cover) => ({
    ...entry,
    amount: cover.amount,
    bill: cover.bill,
    ...(cover.bill && { gross: withVat(cover.amount, price) }),
  }));
  const rest = subtract(amount, sum(named.map((one) => one.amount)));
  return [...named, { ...entry, amount: rest }];
};

/**
 * Enqueues the next due work of stored subscriptions: their bills, and the notice that a trial ends, which is sent at
 * once when the trial is shorter than the notice. A subscription that another platform bills has none.
 */
export async function askForDue(tx: Tx, subscriptions: readonly ShownSubscription[]): Promise<void> {
  const collected = subscriptions.filter(({ collectionMethod }) => collectionMethod !== "external");
  for (const one of collected) askToBill(tx, one);
  const trials = collected.filter(awaitsTrialNotice);
  if (trials.length === 0) return;
  const { trialEndingDays } = await currentSettings(tx);
  for (const { id, state } of trials)
    if (state.period !== null)
      enqueue(tx, CUSTOMER_SUBSCRIPTION_TRIAL_ENDING, id, startOfDay(addDays(state.period.next, -trialEndingDays)));
}

/** Enqueues the next bill, start or end, if there is one. */
export function askToBill(tx: Tx, { id, nextDue }: Pick<ShownSubscription, "id" | "nextDue">): void {
  if (nextDue !== null) enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, id, startOfDay(nextDue));
}

/**
 * The invoices of bills. With collection method `invoice` they are mailed; with `manual` they stay drafts until their
 * payment is recorded (interface 16.13); invoices that the service collects automatically are issued without a mail.
 */
async function makeInvoices(tx: Tx, ctx: Ctx, billed: readonly Billed[]): Promise<ReadonlyMap<Bill, Invoice>> {
  const toInvoice = billed.flatMap(({ after, outcome }) =>
    outcome.bills.filter(isInvoiced).map((bill) => ({ sub: after, bill })),
  );
  if (toInvoice.length === 0) return new Map();
  const settings = await currentSettings(tx);
  const given = toInvoice.map(({ sub, bill }) => invoiceOfBill(settings, sub, bill));
  const { invoices, credits } = await insertWithNumbers(tx, ctx, given);
  appendEvents(
    tx,
    ctx.now,
    INVOICE_CREATED,
    invoices.map((invoice) => ({ subject: invoice.id, data: invoiceObject(ctx, invoice) })),
  );
  const byMail = new Set(
    invoices.flatMap(({ id }, place) => (toInvoice[place]?.sub.collectionMethod === "invoice" ? id : [])),
  );
  const sent = await issueAndMail(
    tx,
    ctx,
    invoices.filter(({ status }) => status === "sent"),
    credits,
    ({ id }) => byMail.has(id),
  );
  const afterSending = new Map(sent.map((invoice) => [invoice.id, invoice]));
  return new Map(
    invoices.flatMap((invoice, place) => {
      const bill = toInvoice[place]?.bill;
      return bill ? [[bill, afterSending.get(invoice.id) ?? invoice] as const] : [];
    }),
  );
}

const invoiceOfBill = (settings: Settings, sub: ShownSubscription, bill: Bill): NewInvoice => ({
  status: sub.collectionMethod === "manual" ? "draft" : "sent",
  customer: sub.customer,
  currency: bill.currency,
  ...exchangeKnown(settings, { currency: bill.currency, issueDate: bill.date }),
  issueDate: bill.date,
  dueDate: addDays(bill.date, settings.dueDays),
  taxInclusive: bill.taxInclusive,
  subtotal: bill.subtotal,
  tax: bill.tax,
  total: bill.total,
  lines: invoiceLines(bill),
  discount: null,
  notes: settings.invoiceTerms,
  metadata: {},
  externalReference: null,
  periodStart: bill.start,
  periodEnd: lastDayOf(bill),
  charge: bill.kind,
  cycle: bill.cycle,
  quoteId: null,
  keepsCard: sub.collectionMethod === "gateway",
});

/** An event of a subscription as it is after the change, and the invoice that it is about. */
export interface EventToAppend {
  readonly event: SubscriptionEvent;
  readonly after: ShownSubscription;
  readonly invoice: Invoice | null;
}

/**
 * Appends events of subscriptions; those of each subscription are given in the order in which they happened. The first
 * events of all subscriptions are appended first, one statement for each kind of event, then the second ones, and so
 * on. A subscription that another platform bills has no events (interface 6.2).
 */
export function appendSubscriptionEvents(tx: Tx, ctx: Ctx, events: readonly EventToAppend[]): void {
  const sent = events.filter(({ after }) => after.collectionMethod !== "external");
  const ofSubscription = [...Map.groupBy(sent, ({ after }) => after.id).values()];
  const most = Math.max(0, ...ofSubscription.map(({ length }) => length));
  for (let place = 0; place < most; place++) {
    const ofPlace = ofSubscription.flatMap((own) => own[place] ?? []);
    for (const [event, same] of Map.groupBy(ofPlace, (one) => one.event))
      appendEvents(
        tx,
        ctx.now,
        event,
        same.map(({ after, invoice }) => ({
          subject: after.id,
          data: { ...subscriptionObject(ctx, after), invoice: invoice && invoiceObject(ctx, invoice) },
        })),
      );
  }
}

/** Like `appendSubscriptionEvents`, for one event. */
export const appendSubscriptionEvent = (
  tx: Tx,
  ctx: Ctx,
  event: SubscriptionEvent,
  after: ShownSubscription,
  invoice: Invoice | null,
): void => appendSubscriptionEvents(tx, ctx, [{ event, after, invoice }]);
