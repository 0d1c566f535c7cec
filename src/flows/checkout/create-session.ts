import { invalid, invalidField, noSuch } from "../../kernel/errors.ts";
import { addSeconds, DAY_SECONDS } from "../../kernel/time.ts";
import { CHECKOUT_EXPIRE } from "../../modules/checkout-sessions/declarations.ts";
import type { CheckoutSessionCreateBody } from "../../modules/checkout-sessions/schema.ts";
import { insertCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession, ShownSession } from "../../modules/checkout-sessions/types.ts";
import { findCouponByCode } from "../../modules/coupons/store.ts";
import { currenciesOf } from "../../modules/packages/rules.ts";
import { findPackage, findPlan } from "../../modules/packages/store.ts";
import type { Plan } from "../../modules/packages/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import { checkReturnUrl } from "../check-return-url.ts";
import { type Ctx, hasFeature, requireFeature } from "../context.ts";

/** How long a session may be used (interface 4.12). */
const SESSION_SECONDS = DAY_SECONDS;

type Sold = Pick<CheckoutSession, "packageId" | "planId" | "productId" | "currency">;

/**
 * Creates a pre-filled link to checkout (interface 4.12). Throws 400 for a product or plan that it cannot sell, a
 * `returnUrl` that is not allowed and a coupon that is not enabled; 403 `plan_restricted`.
 */
export async function createCheckoutSession(tx: Tx, ctx: Ctx, body: CheckoutSessionCreateBody): Promise<ShownSession> {
  const sold = await soldOf(tx, ctx, body);
  const returnUrl = await checkReturnUrl(tx, ctx, body.returnUrl);
  const session = newSession(ctx, newId("chk"), sold, {
    source: "api",
    returnUrl,
    couponCode: body.couponCode === null ? null : await enabledCoupon(tx, ctx, body.couponCode),
    prefill: body.customer ?? body.client ?? {},
    metadata: body.metadata ?? {},
  });
  await openCheckoutSession(tx, session);
  return { ...session, payment: null };
}

/** A session that is about to be made. */
export const newSession = (
  { now }: Pick<Ctx, "now">,
  id: CheckoutSession["id"],
  sold: Sold,
  more: Pick<CheckoutSession, "source" | "returnUrl" | "couponCode" | "prefill" | "metadata">,
): CheckoutSession => ({
  id,
  status: "pending",
  ...sold,
  ...more,
  entered: {},
  customerId: null,
  subscriptionId: null,
  transactionId: null,
  expiresAt: addSeconds(now, SESSION_SECONDS),
  usedAt: null,
  createdAt: now,
  updatedAt: now,
});

/** Inserts a session, with the due work that expires it, unless a session with its id exists. */
export async function openCheckoutSession(tx: Tx, session: CheckoutSession): Promise<void> {
  if (await insertCheckoutSession(tx, session)) enqueue(tx, CHECKOUT_EXPIRE, session.id, session.expiresAt);
}

function soldOf(tx: Tx, ctx: Ctx, body: CheckoutSessionCreateBody): Promise<Sold> {
  const { packageId, planId, productId, currency } = body;
  const ofPackage = packageId !== null || planId !== null;
  if (ofPackage && productId !== null)
    throw invalid("Send packageId or planId, or productId, not both.", [
      { code: "custom", path: ["productId"], message: "must not be sent with packageId or planId" },
    ]);
  if (ofPackage) return packageSold(tx, ctx, body);
  if (productId === null)
    throw invalid("Send packageId, planId or productId.", [
      { code: "custom", path: ["packageId"], message: "is required, or planId, or productId" },
    ]);
  if (currency !== null)
    throw invalidField(["currency"], "must be left out: a product is sold in its own currency. It is for plans.");
  return productSold(tx, ctx, productId);
}

async function packageSold(
  tx: Tx,
  ctx: Ctx,
  { packageId, planId, currency }: Pick<CheckoutSessionCreateBody, "packageId" | "planId" | "currency">,
): Promise<Sold> {
  requireFeature(ctx.organisation, "recurring_card_billing");
  const plan = planId === null ? null : await findPlan(tx, planId);
  if (planId !== null && !plan) throw noSuch(["planId"], "plan", planId);
  if (plan && !plan.enabled) throw invalidField(["planId"], "The plan is disabled.");
  const field = packageId === null ? "planId" : "packageId";
  const parent = await findPackage(tx, packageId ?? plan?.packageId ?? "");
  if (!parent) throw noSuch([field], "package", packageId);
  if (!parent.enabled) throw invalidField([field], "The package is disabled.");
  if (plan && plan.packageId !== parent.id) throw invalidField(["planId"], "The plan is not of this package.");
  if (plan && plan.callToAction !== "none")
    throw invalidField(["planId"], "This plan is not sold through checkout: it asks customers to get in touch.");
  const sellable = plan ? [plan] : parent.plans.filter((one) => one.enabled && one.callToAction === "none");
  if (currency !== null) requireCurrency(sellable, currency);
  return { packageId: parent.id, planId: plan?.id ?? null, currency, productId: null };
}

/** Throws 400 at `currency` when none of the plans has a price in it. */
function requireCurrency(plans: readonly Plan[], currency: string): void {
  const known = [...new Set(plans.flatMap(currenciesOf))];
  if (!known.includes(currency))
    throw invalidField(
      ["currency"],
      `There is no price in ${currency}. Send one of the plans' currencies: ${known.join(", ")}.`,
    );
}

async function productSold(tx: Tx, ctx: Ctx, id: string): Promise<Sold> {
  requireFeature(ctx.organisation, "payment_links");
  const product = await findProduct(tx, id);
  if (!product) throw noSuch(["productId"], "product", id);
  if (!product.enabled) throw invalidField(["productId"], "The product is disabled.");
  return { packageId: null, planId: null, currency: null, productId: product.id };
}

/** The coupon with this code. Its other rules are checked when the page opens (interface 4.12). Throws 400. */
async function enabledCoupon(tx: Tx, { organisation }: Ctx, code: string): Promise<string> {
  if (!hasFeature(organisation, "coupons"))
    throw invalidField(["couponCode"], "Your plan does not include coupons. Upgrade it, or leave the code out.");
  const coupon = await findCouponByCode(tx, code);
  if (!coupon) throw noSuch(["couponCode"], "coupon", code);
  if (!coupon.enabled) throw invalidField(["couponCode"], "The coupon is disabled.");
  return coupon.code;
}
