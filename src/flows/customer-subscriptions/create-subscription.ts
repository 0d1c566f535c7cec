import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { isInvoiced } from "../../modules/customer-subscriptions/rules/planner/bills.ts";
import { nextBill } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { create } from "../../modules/customer-subscriptions/rules/planner/start.ts";
import type { Bill, Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { CustomerSubscriptionCreateBody } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import {
  insertCustomerSubscription,
  subscriptionOfReference,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription, SubscriptionSource } from "../../modules/customer-subscriptions/types.ts";
import { findIdentifiedCustomer } from "../../modules/customers/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, requireFeature } from "../context.ts";
import { namedBy, requireCustomer } from "../customers/identified-customer.ts";
import { currentSettings } from "../organisations/settings.ts";
import { appendSubscriptionEvent, makeBills, subscriptionAfter } from "./apply-outcome.ts";
import { itemsAsked, planNamed, priceAskedOf, requireBillable } from "./asked-terms.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_CREATED } from "./declarations.ts";
import { firstChargePaid } from "./first-charge.ts";
import { couponAsked, lockNamedCoupon, redeemForSubscription } from "./subscription-coupon.ts";

/** Ten years: a later date is a mistake. */
const DAYS_AHEAD = 3660;

/** The preview of a create: the existing subscription when the reference is known. */
export interface Planned {
  readonly action: "create" | "exists";
  readonly subscription: ShownSubscription;
  readonly invoice: Bill | null;
  readonly nextInvoice: Bill | null;
}

/**
 * Creates a customer subscription and the bill of its first day (interface 4.8, create). When one with the
 * `externalReference` exists, returns that one unchanged. Locks the coupon, the invoice numbers, which also protects
 * the reference and the plan (decisions.md#invoice-numbers-before-subscriptions), and the customer's balance. Throws
 * 400; 403 `plan_restricted` for a coupon when the organisation's plan has none.
 */
export async function createSubscription(
  tx: Tx,
  ctx: Ctx,
  body: CustomerSubscriptionCreateBody,
  source: SubscriptionSource = "api",
): Promise<{ subscription: ShownSubscription; created: boolean }> {
  await lockNamedCoupon(tx, body);
  lockNumbers(tx, "invoice");
  const existing = await existingOne(tx, ctx, body);
  if (existing) return { subscription: existing, created: false };
  const { subscription: created, outcome } = await planned(tx, ctx, body, source);
  insertCustomerSubscription(tx, created);
  await redeemForSubscription(tx, ctx, created);
  const { after: billed, made } = await makeBills(tx, ctx, created, outcome);
  const invoice = made[0]?.invoice ?? null;
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_CREATED, billed, invoice);
  if (billed.status === "active") appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_ACTIVATED, billed, invoice);
  // Credit notes may have paid the first charge already.
  return { subscription: await firstChargePaid(tx, ctx, billed), created: true };
}

/** Previews `createSubscription`; reads only (interface 4.8, dry run). Throws 400 as `createSubscription`. */
export async function planSubscription(tx: Tx, ctx: Ctx, body: CustomerSubscriptionCreateBody): Promise<Planned> {
  const existing = await existingOne(tx, ctx, body);
  if (existing) {
    return {
      action: "exists",
      subscription: existing,
      invoice: null,
      nextInvoice: hasEnded(existing) ? null : nextBill(existing.state),
    };
  }
  const { subscription, outcome } = await planned(tx, ctx, body, "api");
  return {
    action: "create",
    subscription,
    invoice: outcome.bills.find(isInvoiced) ?? null,
    nextInvoice: nextBill(subscription.state),
  };
}

/** The subscription that has the reference. Throws 409 `external_reference_conflict` when another platform bills it. */
async function existingOne(tx: Tx, ctx: Ctx, { externalReference }: CustomerSubscriptionCreateBody) {
  if (externalReference === null) return null;
  const found = await subscriptionOfReference(tx, externalReference, calendarDay(ctx.now));
  if (found?.collectionMethod !== "external") return found;
  throw new ApiError(
    "external_reference_conflict",
    409,
    "A subscription that another platform bills has this externalReference.",
  );
}

async function planned(tx: Tx, ctx: Ctx, body: CustomerSubscriptionCreateBody, source: SubscriptionSource) {
  if (body.collectionMethod === "gateway") requireFeature(ctx.organisation, "recurring_card_billing");
  if (body.collectionMethod === "debit_order") requireFeature(ctx.organisation, "debit_orders");
  // Read at once with the customer; an invalid customer is refused first.
  const named = planNamed(tx, body);
  const settings = currentSettings(tx);
  for (const read of [named, settings]) read.catch(() => {});
  const customer = await requireCustomer(
    tx,
    await findIdentifiedCustomer(tx, body.customer),
    "customer",
    namedBy(body.customer),
  );
  const { plan, parent } = await named;
  const price = priceAskedOf(plan, body.currency);
  if (body.collectionMethod === "debit_order" && price.currency !== MANDATE_CURRENCY)
    throw invalidField(
      ["collectionMethod"],
      `debit orders are collected in ${MANDATE_CURRENCY}; the ${body.currency === null ? "plan" : "subscription"} is in ${price.currency}`,
    );
  const today = calendarDay(ctx.now);
  const days = checkedDays(body, today);
  const terms: Terms = { price, quantity: body.quantity ?? 1, items: itemsAsked(body.items ?? [], []) };
  const trialDays = days.paidThrough === null ? (body.trialDays ?? plan.trialDays) : 0;
  const periodMoves = body.collectionMethod === "manual" ? "when_paid" : "when_billed";
  const { billingAnchorDay } = body;
  const coupon = await couponAsked(tx, ctx, body, {
    customerId: customer.id,
    planId: plan.id,
    currency: price.currency,
  });
  const outcome = create({ terms, periodMoves, ...days, trialDays, billingAnchorDay, coupon, credits: [] }, today);
  requireBillable(outcome);
  const blank = newSubscription(ctx, {
    status: "scheduled",
    customer: { id: customer.id, externalReference: customer.externalReference, email: customer.email },
    plan: { id: plan.id, name: plan.name, packageId: parent.id, packageName: parent.name },
    collectionMethod: body.collectionMethod,
    externalReference: body.externalReference,
    metadata: body.metadata ?? {},
    source,
    state: outcome.after,
    nextDue: null,
  });
  return { subscription: subscriptionAfter(ctx, blank, outcome), outcome };
}

type Described =
  | "status"
  | "customer"
  | "plan"
  | "collectionMethod"
  | "externalReference"
  | "metadata"
  | "source"
  | "state"
  | "nextDue";

/** A subscription that is created now and has no bills yet. */
export const newSubscription = (ctx: Ctx, facts: Pick<ShownSubscription, Described>): ShownSubscription => ({
  id: newId("csub"),
  ...facts,
  pausedAt: null,
  cancelledAt: null,
  cancelReason: null,
  trialNoticedFor: null,
  card: null,
  createdAt: ctx.now,
  updatedAt: ctx.now,
  isPastDue: false,
  lastInvoice: null,
  openInvoice: null,
  mandateId: null,
});

function checkedDays({ startDate, paidThrough }: CustomerSubscriptionCreateBody, today: CalendarDay) {
  const latest = addDays(today, DAYS_AHEAD);
  for (const [field, day] of [
    ["startDate", startDate],
    ["paidThrough", paidThrough],
  ] as const)
    if (day !== null && day > latest) throw invalidField([field], `must be at most ten years ahead: ${latest}`);
  if (startDate !== null && startDate < today) throw invalidField(["startDate"], "must not be in the past");
  if (paidThrough !== null && paidThrough <= today) throw invalidField(["paidThrough"], "must be in the future");
  return { startsOn: startDate ?? today, paidThrough };
}
