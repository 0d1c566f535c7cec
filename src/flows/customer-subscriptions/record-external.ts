import { assert } from "../../kernel/assert.ts";
import { ApiError, invalidField, noSuch } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay, startOfDay } from "../../kernel/time.ts";
import { type ExternalSpan, startExternal } from "../../modules/customer-subscriptions/rules/planner/external.ts";
import { startOfCycleBefore } from "../../modules/customer-subscriptions/rules/planner/periods.ts";
import type { Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import {
  insertCustomerSubscription,
  subscriptionsOfReferences,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription, SubscriptionSource } from "../../modules/customer-subscriptions/types.ts";
import { findIdentifiedCustomers } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { EXTERNAL_SUBSCRIPTION_END } from "../../modules/external-periods/declarations.ts";
import { hasEnded } from "../../modules/external-periods/rules/sync.ts";
import type { ExternalSubscriptionCreateBody } from "../../modules/external-periods/schema.ts";
import { saveExternalPeriod } from "../../modules/external-periods/store.ts";
import type { ReportedStatus } from "../../modules/external-periods/types.ts";
import { findNamedPlans } from "../../modules/packages/store.ts";
import type { Plan } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { namedBy, requireActive, requireKnown } from "../customers/identified-customer.ts";
import { requireCollected } from "./act-on-subscription.ts";
import { itemsAsked, planField, priceAskedOf, requireBillable } from "./asked-terms.ts";
import { comparisonOf } from "./comparison-bill.ts";
import { newSubscription } from "./create-subscription.ts";

const NOT_METERED = { aggregation: null, uniqueBy: null } as const;

/** Ten years: a date further away is a mistake. */
const DAYS_AROUND = 3660;

/** The outcome of a request body: a new record, the existing one with its reference, or a refusal. */
export type ExternalOutcome =
  | { readonly action: "create" | "exists"; readonly subscription: ShownSubscription }
  | ApiError;

/** Like `recordExternals`, for one body, whose refusal is thrown. */
export async function recordExternal(
  tx: Tx,
  ctx: Ctx,
  body: ExternalSubscriptionCreateBody,
): Promise<{ subscription: ShownSubscription; created: boolean }> {
  const { action, subscription } = onlyOne(await recordExternals(tx, ctx, [body], "api"));
  return { subscription, created: action === "create" };
}

/** Previews `recordExternal`; reads only (interface 4.8, dry run). */
export const planExternal = async (tx: Tx, ctx: Ctx, body: ExternalSubscriptionCreateBody) =>
  onlyOne(await planExternals(tx, ctx, [body], "api"));

function onlyOne([outcome]: readonly ExternalOutcome[]): Exclude<ExternalOutcome, ApiError> {
  assert(outcome, "each body has an outcome");
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/**
 * Records subscriptions that another platform bills (interface 4.8, mirror mode): the service never charges, invoices
 * or mails anything for them, and sends no events. A subscription whose reference is known is returned unchanged. Each
 * body has its own outcome, in order. Locks the invoice numbers, which protect the references and the plans
 * (decisions.md#invoice-numbers-before-subscriptions).
 */
export async function recordExternals(
  tx: Tx,
  ctx: Ctx,
  bodies: readonly ExternalSubscriptionCreateBody[],
  source: SubscriptionSource,
): Promise<readonly ExternalOutcome[]> {
  lockNumbers(tx, "invoice");
  const outcomes = await planExternals(tx, ctx, bodies, source);
  for (const outcome of outcomes)
    if (!(outcome instanceof ApiError) && outcome.action === "create") insertExternal(tx, ctx, outcome.subscription);
  return outcomes;
}

/**
 * Previews `recordExternals`; reads only. `known` holds other existing subscriptions by reference; those that would be
 * created are added.
 */
export async function planExternals(
  tx: Tx,
  ctx: Ctx,
  bodies: readonly ExternalSubscriptionCreateBody[],
  source: SubscriptionSource,
  known: Map<string, ShownSubscription> = new Map(),
): Promise<readonly ExternalOutcome[]> {
  const facts = await factsFor(tx, ctx, bodies, known);
  const outcomes: ExternalOutcome[] = [];
  for (const body of bodies)
    try {
      outcomes.push(await plannedExternal(tx, ctx, facts, body, source));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcomes.push(error);
    }
  return outcomes;
}

function insertExternal(tx: Tx, ctx: Ctx, subscription: ShownSubscription): void {
  const { id, status, state } = subscription;
  const { period, terms } = state;
  if (period === null) return;
  insertCustomerSubscription(tx, subscription);
  const { start, next } = period;
  saveExternalPeriod(tx, {
    id: newId("rper"),
    subscriptionId: id,
    status: status as ReportedStatus,
    start,
    next,
    cycle: 0,
    billed: null,
    comparison: comparisonOf(terms, { start, next, isTrial: status === "trialing" }),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  if (state.cancelAtPeriodEnd) enqueue(tx, EXTERNAL_SUBSCRIPTION_END, id, startOfDay(next));
}

/** The records that request bodies name. `known` grows with what they create. */
interface Facts {
  readonly customers: ReadonlyMap<string, Customer>;
  readonly plans: ReadonlyMap<string, { readonly plan: Plan; readonly packageName: string }>;
  readonly known: Map<string, ShownSubscription>;
}

/** Keys of maps that hold ids and references together. */
const byId = (id: string) => `id ${id}`;
const byReference = (reference: string) => `reference ${reference}`;

async function factsFor(
  tx: Tx,
  ctx: Ctx,
  bodies: readonly ExternalSubscriptionCreateBody[],
  known: Facts["known"],
): Promise<Facts> {
  const [customers, plans, existing] = await Promise.all([
    findIdentifiedCustomers(
      tx,
      bodies.map(({ customer }) => customer),
    ),
    findNamedPlans(tx, [...new Set(bodies.map(({ planId, plan }) => planId ?? plan ?? ""))]),
    subscriptionsOfReferences(
      tx,
      bodies.map(({ externalReference }) => externalReference),
      calendarDay(ctx.now),
    ),
  ]);
  for (const one of existing) known.set(one.externalReference ?? "", one);
  return {
    customers: new Map(
      customers.flatMap((one) => [
        [byId(one.id), one] as const,
        ...(one.externalReference === null ? [] : [[byReference(one.externalReference), one] as const]),
      ]),
    ),
    plans: new Map(
      plans.flatMap((one) => [
        ...(one.plan.code === null ? [] : [[byReference(one.plan.code), one] as const]),
        [byId(one.plan.id), one] as const,
      ]),
    ),
    known,
  };
}

/**
 * The new record of a request body, or the known one. Throws 400; 409 `external_reference_conflict`; 409
 * `external_subscription` for items that only the service could bill.
 */
async function plannedExternal(
  tx: Tx,
  ctx: Ctx,
  facts: Facts,
  body: ExternalSubscriptionCreateBody,
  source: SubscriptionSource,
): Promise<Exclude<ExternalOutcome, ApiError>> {
  const { id, externalReference: reference } = body.customer;
  const named = id === null ? byReference(reference ?? "") : byId(id);
  const customer = await requireKnown(tx, facts.customers.get(named) ?? null, "customer", namedBy(body.customer));
  const existing = facts.known.get(body.externalReference);
  if (existing) {
    requireExternalOf(existing, customer);
    return { action: "exists", subscription: existing };
  }
  requireActive(customer, ["customer"]);
  const { plan, packageName } = planOf(facts, body);
  const today = calendarDay(ctx.now);
  const span = spanOf(body, plan, today);
  const addons = (body.items ?? []).flatMap((item) => (item.kind === "addon" ? [{ ...item, ...NOT_METERED }] : []));
  const terms: Terms = {
    price: priceAskedOf(plan, body.currency),
    quantity: body.quantity ?? 1,
    items: itemsAsked(addons, []),
  };
  const state = startExternal(terms, span, body.cancelAtPeriodEnd);
  requireBillable({ bills: [], after: state });
  if (addons.length < (body.items ?? []).length) requireCollected({ collectionMethod: "external" });
  const subscription = newSubscription(ctx, {
    status: body.status,
    customer: { id: customer.id, externalReference: customer.externalReference, email: customer.email },
    plan: { id: plan.id, name: plan.name, packageId: plan.packageId, packageName },
    collectionMethod: "external",
    externalReference: body.externalReference,
    metadata: body.metadata ?? {},
    source,
    state,
    nextDue: span.next,
  });
  facts.known.set(body.externalReference, subscription);
  return { action: "create", subscription };
}

/**
 * Throws 409 `external_reference_conflict` when the service bills the subscription with this reference, or it belongs
 * to another customer.
 */
function requireExternalOf(existing: ShownSubscription, customer: Customer): void {
  const problem =
    existing.collectionMethod === "external"
      ? existing.customer.id === customer.id
        ? null
        : "Another customer's subscription has this externalReference."
      : "A subscription that the service bills has this externalReference.";
  if (problem !== null) throw new ApiError("external_reference_conflict", 409, problem);
}

function planOf({ plans }: Facts, { planId, plan: name }: ExternalSubscriptionCreateBody) {
  const found = plans.get(byId(planId ?? name ?? "")) ?? (planId === null ? plans.get(byReference(name ?? "")) : null);
  if (!found) throw noSuch([planField({ planId, plan: name })], "plan", planId ?? name);
  return found;
}

/** The period that a request body describes. Throws 400 for invalid dates. */
function spanOf(body: ExternalSubscriptionCreateBody, { frequency }: Plan, today: CalendarDay): ExternalSpan {
  const field = body.paidThrough === null ? "trialEnd" : "paidThrough";
  const next = (body.paidThrough ?? body.trialEnd)?.day ?? today;
  requireNear(field, next, today);
  if (body.status !== "past_due" && next <= today) throw invalidField([field], hasEnded(body.status));
  const before = startOfCycleBefore(next, frequency);
  const start = body.currentPeriodStart ?? (before < today ? before : today);
  requireNear("currentPeriodStart", start, today);
  if (start > today) throw invalidField(["currentPeriodStart"], "must not be in the future");
  if (start >= next) throw invalidField(["currentPeriodStart"], `must be before the period's end, ${next}`);
  return { start, next, isTrial: body.status === "trialing" };
}

/** Throws 400 when a day is further away than the service records subscriptions. */
export function requireNear(field: string, day: CalendarDay, today: CalendarDay): void {
  const [earliest, latest] = [addDays(today, -DAYS_AROUND), addDays(today, DAYS_AROUND)];
  if (day < earliest || day > latest) throw invalidField([field], `must be from ${earliest} to ${latest}`);
}
