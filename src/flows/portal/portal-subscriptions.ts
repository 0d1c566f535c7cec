import { ApiError, notFound } from "../../kernel/errors.ts";
import { type BusinessDay, businessDay } from "../../kernel/time.ts";
import type { ChangePreview } from "../../modules/customer-subscriptions/rules/planner/change.ts";
import { nextBill } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import type { Bill } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { endOfRunningPeriod, hasEnded, isBilled } from "../../modules/customer-subscriptions/states.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { findPackage, listPlans } from "../../modules/packages/store.ts";
import type { Plan } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, isReadOnlyNow } from "../context.ts";
import { requireCollected } from "../customer-subscriptions/act-on-subscription.ts";
import { cancelSubscription } from "../customer-subscriptions/cancel-subscription.ts";
import { changeSubscription, previewChange } from "../customer-subscriptions/change-subscription.ts";
import { pauseSubscription } from "../customer-subscriptions/pause-subscription.ts";
import { reactivateSubscription } from "../customer-subscriptions/reactivate-subscription.ts";
import { resumeSubscription } from "../customer-subscriptions/resume-subscription.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { actAsCustomer, readAsCustomer } from "./session.ts";

const PLANS_SHOWN = 100;

/** What a customer may do with a subscription in the portal: what its state allows, of what the settings leave to customers (interface 14.2). */
export type PortalAction = "change" | "pause" | "resume" | "cancel" | "undo";

/** A subscription as its customer sees it. */
export interface PortalSubscription {
  readonly settings: Settings;
  readonly subscription: ShownSubscription;
  /** The next bill, if nothing changes until then; null when none is to come. */
  readonly next: Bill | null;
  /** The last day that is paid for, if it is to come. */
  readonly endOfPeriod: BusinessDay | null;
  readonly may: Readonly<Record<PortalAction, boolean>>;
  /** The plans that it can be changed to. */
  readonly plans: readonly Plan[];
  readonly readOnly: boolean;
}

/** Null when nobody is signed in. Throws 404 for a subscription that is not the customer's. */
export const readPortalSubscription = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
): Promise<PortalSubscription | null> =>
  readAsCustomer(services, ctx, session, (tx, customer) => portalSubscription(tx, ctx, customer.id, id));

async function portalSubscription(tx: Tx, ctx: Ctx, customerId: string, id: string): Promise<PortalSubscription> {
  const today = businessDay(ctx.now);
  const [settings, subscription] = await Promise.all([currentSettings(tx), findCustomerSubscription(tx, id, today)]);
  if (subscription?.customer.id !== customerId) throw notFound("subscription");
  const plans = settings.portal.changePlan ? await plansFor(tx, subscription) : [];
  const { state } = subscription;
  return {
    settings,
    subscription,
    next: isBilled(subscription) && !state.cancelAtPeriodEnd ? nextBill(state) : null,
    endOfPeriod: endOfRunningPeriod(subscription, today),
    may: actionsOf(settings, subscription, plans.length > 0),
    plans,
    readOnly: isReadOnlyNow(ctx),
  };
}

function actionsOf(
  { portal }: Settings,
  { collectionMethod, status, state }: ShownSubscription,
  hasPlans: boolean,
): PortalSubscription["may"] {
  const goesOn = collectionMethod !== "external" && status !== "pending" && !hasEnded({ status });
  const ends = state.cancelAtPeriodEnd;
  const isPaused = status === "paused";
  return {
    change: goesOn && portal.changePlan && hasPlans && !ends && !isPaused,
    pause: goesOn && portal.pause && !ends && !isPaused,
    resume: goesOn && portal.pause && isPaused,
    cancel: goesOn && portal.cancel && !ends,
    undo: goesOn && portal.cancel && ends,
  };
}

/** Those of its package that are sold without asking, in its currency. */
async function plansFor(tx: Tx, { plan, state }: ShownSubscription): Promise<readonly Plan[]> {
  const { currency } = state.terms.price;
  const [parent, plans] = await Promise.all([
    findPackage(tx, plan.packageId),
    listPlans(tx, { limit: PLANS_SHOWN }, plan.packageId),
  ]);
  if (!parent?.enabled) return [];
  return plans.filter(
    (one) => one.enabled && one.callToAction === "none" && one.currency === currency && one.id !== plan.id,
  );
}

const ACTIONS = {
  pause: pauseSubscription,
  resume: resumeSubscription,
  undo: (tx: Tx, ctx: Ctx, id: string) => reactivateSubscription(tx, ctx, id, { nextBillingAt: null, chargeNow: null }),
};

/** Pauses, resumes or keeps a subscription of the customer. Null when nobody is signed in. Throws 403, 404, 409. */
export const actOnPortalSubscription = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  action: keyof typeof ACTIONS,
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, customer) => {
    await requireAllowed(tx, ctx, customer.id, id, action);
    await ACTIONS[action](tx, ctx, id);
    return true;
  });

/** Cancels a subscription of the customer at the end of what is paid. Null when nobody is signed in. Throws 403, 404, 409. */
export const cancelPortalSubscription = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  reason: string | null,
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, customer) => {
    await requireAllowed(tx, ctx, customer.id, id, "cancel");
    await cancelSubscription(tx, ctx, id, { when: "period_end", reason, sendEmail: true });
    return true;
  });

/** What a change of plan would do and cost, with a text that identifies this offer. */
export interface Offer {
  readonly preview: ChangePreview;
  readonly seal: string;
}

const askedFor = (planId: string) =>
  ({ planId, plan: null, quantity: null, items: null, proration: "now", invoiceNow: true }) as const;

/** What changing to a plan would cost today. Null when nobody is signed in. Throws 400, 403, 404, 409. */
export const previewPortalChange = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  planId: string,
): Promise<Offer | null> =>
  readAsCustomer(services, ctx, session, async (tx, customer) => {
    await requireAllowed(tx, ctx, customer.id, id, "change", planId);
    return offerOf(tx, ctx, id, planId);
  });

/**
 * Changes to a plan as it was previewed: false, and nothing changes, when that would cost something else by now. Null when nobody is signed in. Throws
 * 400, 403, 404, 409.
 */
export const changePortalPlan = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  { planId, seal }: { readonly planId: string; readonly seal: string },
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, customer) => {
    await requireAllowed(tx, ctx, customer.id, id, "change", planId);
    if ((await offerOf(tx, ctx, id, planId)).seal !== seal) return false;
    await changeSubscription(tx, ctx, id, askedFor(planId));
    return true;
  });

async function offerOf(tx: Tx, ctx: Ctx, id: string, planId: string): Promise<Offer> {
  const { preview } = await previewChange(tx, ctx, id, askedFor(planId));
  const { next, prorationInvoice, nextInvoice } = preview;
  const seal = [next.price.id, prorationInvoice?.dueNow ?? 0, nextInvoice?.total ?? 0].join(" ");
  return { preview, seal };
}

async function requireAllowed(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  id: string,
  action: PortalAction,
  planId: string | null = null,
): Promise<void> {
  const { may, subscription, plans } = await portalSubscription(tx, ctx, customerId, id);
  requireCollected(subscription);
  if (!may[action]) throw new ApiError("permission_required", 403, "This cannot be done here now. Please write to us.");
  if (planId !== null && plans.every((plan) => plan.id !== planId))
    throw new ApiError("invalid_request", 400, "Choose one of the plans.");
}
