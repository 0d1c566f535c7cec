import { assert } from "../../kernel/assert.ts";
import type { CheckoutSessionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { CheckoutDesign } from "../../modules/checkout-pages/schema.ts";
import { readDesign } from "../../modules/checkout-pages/store.ts";
import { asOf, isOpen } from "../../modules/checkout-sessions/states.ts";
import { findCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import { REFUSALS } from "../../modules/coupons/rules.ts";
import { findCouponByCode, findRedemption } from "../../modules/coupons/store.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { planIn } from "../../modules/packages/rules.ts";
import { findPackage } from "../../modules/packages/store.ts";
import type { Package, Plan } from "../../modules/packages/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Product } from "../../modules/products/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, hasFeature, isReadOnlyNow } from "../context.ts";
import { checkoutGateways, type Gateway, takesAmount } from "../gateways/accounts.ts";
import { keepsCards } from "../gateways/card-gateways.ts";
import { currentSettings } from "../organisations/settings.ts";
import { monthlyLimitReached } from "../payments/monthly-limit.ts";
import { type SignedIn, signedInCustomer } from "../portal-access/portal-session.ts";
import { isPaidNow, type Offer, planOffer, productOffer } from "./offers.ts";
import { isCheckoutOf, savedCardsOf, takesSavedCard, underWayOn } from "./saved-cards.ts";

/** Why nobody can check out on the page now. */
export type CheckoutUnavailable = "not_sold" | "account" | "quota" | "gateway" | "completed" | "confirming" | "expired";

/** The parameters of a request to a checkout page. */
export interface CheckoutAsked {
  readonly kind: "package" | "product";
  readonly id: string;
  /** The session in the URL; null without one. */
  readonly sessionId: CheckoutSessionId | null;
  /** The id of the session of a submission, which may not exist yet. */
  readonly namedId: CheckoutSessionId;
  /** The plan chosen in URL or form; empty when none is. */
  readonly planId: string;
  /** The currency in the URL, in which plans are offered where they have a price in it; empty without one. */
  readonly currency: string;
  /** The coupon code in the form, which may be empty; undefined when the session's applies. */
  readonly couponCode: string | undefined;
  /** The token of the portal session in which a customer is signed in, not verified; empty without one. */
  readonly portalSession: string;
}

/** The facts from which offers are made. */
interface ForOffers {
  readonly sold: Sold;
  readonly coupon: Coupon | null;
  /** In which plans are offered; null: each plan's own. */
  readonly currency: string | null;
  readonly accounts: readonly GatewayAccount[];
  /** Whether the organisation has reached its plan's monthly limit of payments. */
  readonly isLimitReached: boolean;
}

/** The facts on a checkout page, and whether it accepts a submission. */
export interface CheckoutFacts {
  readonly settings: Settings;
  readonly design: CheckoutDesign;
  /** In which plans are offered; null: each plan's own. */
  readonly currency: string | null;
  /** The session, with its present status. */
  readonly session: CheckoutSession | null;
  readonly title: string;
  readonly description: string | null;
  /** The products and plans that can be bought now. */
  readonly offers: readonly Offer[];
  /** Plans that cannot be bought here: they ask the payer to write, or link to another page. */
  readonly elsewhere: readonly Plan[];
  /** The chosen one of `offers`; null when there is none, or when the form names something else. */
  readonly chosen: Offer | null;
  /** Whether the page has a box for a coupon. */
  readonly takesCoupons: boolean;
  readonly coupon: { readonly code: string; readonly problem: string | null } | null;
  /** The customer who is signed in to the portal and checks out here; null when nobody does. */
  readonly customer: Customer | null;
  /** The customer's saved cards that can pay, in the order of lists. */
  readonly savedCards: readonly Card[];
  /** The charge of a saved card for the session that its bank has not yet answered. */
  readonly underWay: Transaction | null;
  readonly unavailable: CheckoutUnavailable | null;
}

/** The product or package of a page. */
type Sold = { readonly product: Product } | { readonly parent: Package };

/**
 * Reads a checkout page. Null when there is no such package, product or session, or the session is for another product
 * or package.
 */
export async function readCheckout(tx: Tx, ctx: Ctx, asked: CheckoutAsked): Promise<CheckoutFacts | null> {
  // Queries that need no earlier result are sent at once, in one packet.
  const [sold, found, settings, design, accounts, isLimitReached] = await Promise.all([
    findSold(tx, asked),
    asked.sessionId && findCheckoutSession(tx, asked.sessionId),
    currentSettings(tx),
    readDesign(tx),
    listGatewayAccounts(tx),
    monthlyLimitReached(tx, ctx),
  ]);
  if (!sold || (asked.sessionId && !found)) return null;
  const session = found ? asOf(found, ctx.now) : null;
  if (session && (session.packageId ?? session.productId) !== asked.id) return null;
  const takesCoupons = hasFeature(ctx.organisation, "coupons");
  const code = takesCoupons ? (asked.couponCode ?? session?.couponCode ?? "") : "";
  const coupon = code === "" ? null : await couponFor(tx, code, asked.namedId);
  const { currency, offers, elsewhere, blocked } = offersIn(
    ctx,
    { sold, coupon, accounts, isLimitReached },
    session ? [session.currency] : [...currencyAsked(sold, asked), null],
  );
  const wanted = asked.planId || session?.planId;
  const chosen = offers.find(({ id }) => id === wanted) ?? (asked.planId === "" ? offers[0] : undefined) ?? null;
  const what = "product" in sold ? sold.product : sold.parent;
  const [who, { underWay, confirming }] = await Promise.all([
    payerHere(tx, ctx, asked, session),
    underWayOn(tx, session),
  ]);
  const noOffer = offers.length > 0 ? null : blocked;
  const savedCards = underWay || !offers.some(takesSavedCard) ? [] : await savedCardsOf(tx, ctx, who);
  return {
    settings,
    design,
    currency,
    session,
    title: what.name,
    description: what.description,
    offers,
    elsewhere,
    chosen,
    takesCoupons,
    coupon: code === "" ? null : { code, problem: coupon ? (chosen?.couponProblem ?? null) : REFUSALS.disabled },
    customer: who?.customer ?? null,
    savedCards,
    underWay,
    unavailable: whyUnavailable(ctx, sold, session, confirming ? "confirming" : noOffer),
  };
}

/** The currency of the URL, unless the plan of the URL has no price in it. */
function currencyAsked(sold: Sold, { currency, planId }: CheckoutAsked): readonly string[] {
  if (currency === "" || "product" in sold) return [];
  const plan = sold.parent.plans.find(({ id }) => id === planId);
  return plan && !planIn(plan, currency) ? [] : [currency];
}

/** The offers in the first of these currencies in which there are any, else in the last; null: each plan's own. */
function offersIn(ctx: Ctx, facts: Omit<ForOffers, "currency">, currencies: readonly (string | null)[]) {
  const found = currencies.map((currency) => ({ currency, ...offersOf(ctx, { ...facts, currency }) }));
  const last = found.at(-1);
  assert(last, "there is a currency");
  return found.find(({ offers }) => offers.length > 0) ?? last;
}

/** The signed-in customer, when the session's checkout is theirs. */
async function payerHere(
  tx: Tx,
  ctx: Ctx,
  { portalSession }: CheckoutAsked,
  session: CheckoutSession | null,
): Promise<SignedIn | null> {
  const signedIn = portalSession === "" ? null : await signedInCustomer(tx, ctx, portalSession);
  return signedIn && (await isCheckoutOf(tx, session, signedIn.customer)) ? signedIn : null;
}

/** The coupon with this code; its redemption by this same checkout does not count against it. */
async function couponFor(tx: Tx, code: string, id: CheckoutSessionId): Promise<Coupon | null> {
  const [coupon, session] = await Promise.all([findCouponByCode(tx, code), findCheckoutSession(tx, id)]);
  if (!coupon || !session) return coupon;
  const own = await findRedemption(tx, coupon.id, session.subscriptionId ?? session.id);
  return own?.releasedAt === null ? { ...coupon, redemptions: coupon.redemptions - 1 } : coupon;
}

async function findSold(tx: Tx, { kind, id }: CheckoutAsked): Promise<Sold | null> {
  if (kind === "product") {
    const product = await findProduct(tx, id);
    return product && { product };
  }
  const parent = await findPackage(tx, id);
  return parent && { parent };
}

function whyUnavailable(
  ctx: Ctx,
  sold: Sold,
  session: CheckoutSession | null,
  blocked: CheckoutUnavailable | null,
): CheckoutUnavailable | null {
  if (session && !isOpen(session)) return session.status === "completed" ? "completed" : "expired";
  const [{ enabled }, feature] =
    "product" in sold ? ([sold.product, "payment_links"] as const) : ([sold.parent, "recurring_card_billing"] as const);
  if (isReadOnlyNow(ctx) || !hasFeature(ctx.organisation, feature)) return "account";
  return enabled ? blocked : "not_sold";
}

/**
 * The offers that can be bought now: those that are free at first, and those that a gateway accepts while the monthly
 * limit of payments is not reached. `blocked` says why there are none.
 */
function offersOf(
  ctx: Ctx,
  { sold, coupon, currency, accounts, isLimitReached }: ForOffers,
): {
  readonly offers: readonly Offer[];
  readonly elsewhere: readonly Plan[];
  readonly blocked: CheckoutUnavailable;
} {
  const plans = "product" in sold ? [] : sold.parent.plans.filter(({ enabled }) => enabled);
  const inGeneral =
    "product" in sold
      ? [productOffer(ctx, sold.product, coupon, (total) => gatewaysOfProduct(ctx, accounts, sold.product, total))]
      : plans
          .filter(({ callToAction }) => callToAction === "none")
          .flatMap((plan) => planIn(plan, currency) ?? [])
          .map((plan) => planOffer(ctx, plan, coupon, (total) => gatewaysOfPlan(ctx, accounts, plan, total)));
  const offers = inGeneral.filter((offer) => !isPaidNow(offer) || (offer.gateways.length > 0 && !isLimitReached));
  const blocked = inGeneral.length === 0 ? "not_sold" : isLimitReached ? "quota" : "gateway";
  return { offers, elsewhere: plans.filter(({ callToAction }) => callToAction !== "none"), blocked };
}

/**
 * The gateways for a product. A recurring product is paid through gateways that run subscriptions, while the plan has
 * recurring billing (interface 4.12).
 */
function gatewaysOfProduct(
  ctx: Ctx,
  accounts: readonly GatewayAccount[],
  { currency, recurring }: Product,
  total: Cents,
): Gateway[] {
  const runs = ({ adapter }: Gateway) =>
    adapter.subscriptions !== undefined && hasFeature(ctx.organisation, "recurring_card_billing");
  return checkoutGateways(accounts, currency).filter(
    (gateway) => takesAmount(gateway, total, currency) && (!recurring || runs(gateway)),
  );
}

/** Gateways that accept the first charge of a plan, `total`, and save its card for the later ones. */
export const gatewaysOfPlan = (
  ctx: Ctx,
  accounts: readonly GatewayAccount[],
  { currency }: Pick<Plan, "currency">,
  total: Cents,
): Gateway[] =>
  checkoutGateways(accounts, currency).filter(
    (gateway) => takesAmount(gateway, total, currency) && keepsCards(ctx, gateway),
  );
