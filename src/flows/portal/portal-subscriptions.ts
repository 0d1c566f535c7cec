import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { inListOrder } from "../../modules/cards/rules.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { nextBill } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import type { Addon, Bill, TaxTerms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { endOfRunningPeriod, isBilled } from "../../modules/customer-subscriptions/states.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { priceIn } from "../../modules/packages/rules.ts";
import { findPackage, listPlans } from "../../modules/packages/store.ts";
import type { Plan } from "../../modules/packages/types.ts";
import { findProducts } from "../../modules/products/store.ts";
import type { Product } from "../../modules/products/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, isReadOnlyNow } from "../context.ts";
import { requireCollected } from "../customer-subscriptions/act-on-subscription.ts";
import { cancelSubscription } from "../customer-subscriptions/cancel-subscription.ts";
import { pauseSubscription } from "../customer-subscriptions/pause-subscription.ts";
import { reactivateSubscription } from "../customer-subscriptions/reactivate-subscription.ts";
import { resumeSubscription } from "../customer-subscriptions/resume-subscription.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import { changePaymentMethod } from "../mandates/change-payment-method.ts";
import { currentSettings, taxedToday } from "../organisations/settings.ts";
import { actAsCustomer, readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

const PLANS_SHOWN = 100;

/** The actions of a customer on a subscription in the portal that its state and the settings allow (interface 14.2). */
export type PortalAction = "change" | "addOns" | "pause" | "resume" | "cancel" | "undo" | "card";

/** The add-ons that a customer may change. */
export interface PortalAddOns {
  /** The add-ons that the subscription has, with the product's id as their code. */
  readonly current: readonly Addon[];
  /** Products that the subscription does not have, with the same frequency, currency and VAT terms. */
  readonly offered: readonly Product[];
}

/** A subscription as its customer sees it. */
export interface PortalSubscription {
  readonly settings: Settings;
  readonly subscription: ShownSubscription;
  /** The next bill, if nothing changes until then; null when there is none. */
  readonly next: Bill | null;
  /** The last paid day, when it is in the future. */
  readonly endOfPeriod: CalendarDay | null;
  readonly may: Readonly<Record<PortalAction, boolean>>;
  /** The plans to which the subscription can be changed. */
  readonly plans: readonly Plan[];
  readonly addOns: PortalAddOns;
  /** The card that is charged now; null when there is none, or when the subscription is not collected from a card. */
  readonly card: Card | null;
  /**
   * The saved cards that can be charged for the subscription, the default first; empty when it is not collected from a
   * card.
   */
  readonly cards: readonly Card[];
  /** The mandate that collects it, if one does. */
  readonly mandate: MandateRecord | null;
  readonly readOnly: boolean;
}

/**
 * Reads a subscription of the customer. Null when nobody is signed in. Throws 404 for a subscription that is not the
 * customer's.
 */
export const readPortalSubscription = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
): Promise<PortalSubscription | null> =>
  readAsCustomer(services, ctx, session, (tx, customer) => portalSubscription(tx, ctx, customer.id, id));

async function portalSubscription(tx: Tx, ctx: Ctx, customerId: string, id: string): Promise<PortalSubscription> {
  const today = calendarDay(ctx.now);
  const [settings, subscription] = await Promise.all([currentSettings(tx), findCustomerSubscription(tx, id, today)]);
  if (subscription?.customer.id !== customerId) throw notFound("subscription");
  const { collectionMethod, mandateId, state } = subscription;
  const [plans, addOns, cards, mandate] = await Promise.all([
    settings.portal.changePlan ? plansFor(tx, ctx, subscription) : [],
    addOnsFor(tx, ctx, settings, subscription),
    collectionMethod === "gateway" ? chargeableCards(tx, ctx, customerId) : [],
    mandateId === null ? null : findMandate(tx, mandateId),
  ]);
  return {
    settings,
    subscription,
    next: isBilled(subscription) && !state.cancelAtPeriodEnd ? nextBill(state) : null,
    endOfPeriod: endOfRunningPeriod(subscription, today),
    may: actionsOf(settings, subscription, { plans, addOns, cards }),
    plans,
    addOns,
    card: cards.find(({ id }) => id === subscription.card?.id) ?? cards.find(({ isDefault }) => isDefault) ?? null,
    cards,
    mandate,
    readOnly: isReadOnlyNow(ctx),
  };
}

function actionsOf(
  { portal }: Settings,
  { collectionMethod, status, state }: ShownSubscription,
  { plans, addOns, cards }: Pick<PortalSubscription, "plans" | "addOns" | "cards">,
): PortalSubscription["may"] {
  const goesOn = collectionMethod !== "external" && status !== "pending" && !hasEnded({ status });
  const ends = state.cancelAtPeriodEnd;
  const isPaused = status === "paused";
  const changes = goesOn && !ends && !isPaused;
  const hasAddOns = addOns.current.length + addOns.offered.length > 0;
  return {
    change: changes && portal.changePlan && plans.length > 0,
    // A change would replace a pending one that the merchant has made.
    addOns: changes && hasAddOns && state.pendingChange === null,
    pause: changes && portal.pause,
    resume: goesOn && portal.pause && isPaused,
    cancel: goesOn && portal.cancel && !ends,
    undo: goesOn && portal.cancel && ends,
    card: goesOn && portal.changeCard && cards.length > 0,
  };
}

/** Whether two prices have the same frequency and VAT terms, so that an amount means the same in both. */
const haveSameTerms = (
  one: Pick<Plan, "frequency" | "taxRate" | "taxExempt" | "taxInclusive">,
  other: TaxTerms & Pick<Plan, "frequency">,
): boolean =>
  one.frequency === other.frequency &&
  one.taxInclusive === other.taxInclusive &&
  one.taxExempt === (other.taxExempt ?? false) &&
  Number(one.taxRate) === Number(other.taxRate);

/**
 * The plans of its package that are sold without contact, in its currency; for a subscription with add-ons, whose
 * amounts stay, only plans with the same terms.
 */
async function plansFor(tx: Tx, ctx: Ctx, { plan, state: { terms } }: ShownSubscription): Promise<readonly Plan[]> {
  const { items } = terms;
  const price = taxedToday(ctx, terms.price);
  const hasAddOns = items.some(({ kind }) => kind === "addon");
  const [parent, plans] = await Promise.all([
    findPackage(tx, plan.packageId),
    listPlans(tx, { limit: PLANS_SHOWN }, plan.packageId),
  ]);
  if (!parent?.enabled) return [];
  return plans
    .flatMap((one) => {
      const inCurrency = priceIn(one, price.currency);
      return inCurrency ? taxedToday(ctx, { ...one, ...inCurrency }) : [];
    })
    .filter(
      (one) =>
        one.enabled && one.callToAction === "none" && one.id !== plan.id && (!hasAddOns || haveSameTerms(one, price)),
    );
}

async function addOnsFor(
  tx: Tx,
  ctx: Ctx,
  { portal }: Settings,
  { state: { terms } }: ShownSubscription,
): Promise<PortalAddOns> {
  const products = await findProducts(tx, portal.addOns);
  const { items } = terms;
  const price = taxedToday(ctx, terms.price);
  const codes = new Set(items.map(({ code }) => code));
  return {
    current: items
      .filter((item) => item.kind === "addon")
      .filter(({ code }) => portal.addOns.some((id) => id === code)),
    offered: portal.addOns
      .flatMap((id) => products.get(id) ?? [])
      .map((one) => taxedToday(ctx, one))
      .filter(
        ({ id, enabled, currency, recurring, ...tax }) =>
          enabled &&
          recurring !== null &&
          !codes.has(id) &&
          currency === price.currency &&
          haveSameTerms({ ...tax, ...recurring }, price),
      ),
  };
}

/**
 * Charges a subscription of the customer to another of their cards. Null when nobody is signed in. Throws 400, 403,
 * 404, 409.
 */
export const choosePortalCard = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  cardId: string,
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, customer) => {
    await requireAllowed(tx, ctx, customer.id, id, "card");
    await changePaymentMethod(tx, ctx, id, { collectionMethod: "gateway", cardId, mandateId: null });
    return true;
  });

async function chargeableCards(tx: Tx, ctx: Ctx, customerId: string): Promise<readonly Card[]> {
  const cards = await cardsOfCustomer(tx, customerId);
  return cards.length === 0 ? [] : inListOrder(cards.filter(await chargeableNow(tx, ctx)));
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

/**
 * Cancels a subscription of the customer at the end of the paid period. Null when nobody is signed in. Throws 403, 404,
 * 409.
 */
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

/** The customer's subscription, if this action is allowed now. Throws 403, 404, 409 `external_subscription`. */
export async function requireAllowed(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  id: string,
  action: PortalAction,
): Promise<PortalSubscription> {
  const found = await portalSubscription(tx, ctx, customerId, id);
  requireCollected(found.subscription);
  if (!found.may[action])
    throw new ApiError("permission_required", 403, "This cannot be done here now. Please write to us.");
  return found;
}
