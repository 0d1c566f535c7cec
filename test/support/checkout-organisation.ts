import { completeCheckout } from "../../src/flows/checkout/complete-checkout.ts";
import { createCheckoutSession } from "../../src/flows/checkout/create-session.ts";
import { identifyPayer } from "../../src/flows/checkout/identify-payer.ts";
import { endOtherSubscriptions } from "../../src/flows/checkout/other-subscriptions.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { createCoupon, redeemCoupon } from "../../src/flows/coupons/coupon-steps.ts";
import { createSubscription } from "../../src/flows/customer-subscriptions/create-subscription.ts";
import { gatewayOf } from "../../src/flows/gateways/accounts.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { recordAttempt } from "../../src/flows/payments/start-payment.ts";
import { createProduct } from "../../src/flows/products/save-product.ts";
import type { Services } from "../../src/flows/services.ts";
import { internalFact } from "../../src/gateways/facts.ts";
import { assert } from "../../src/kernel/assert.ts";
import { cents } from "../../src/kernel/money.ts";
import { CHECKOUT_END_OTHERS } from "../../src/modules/checkout-sessions/declarations.ts";
import { CheckoutSessionCreate } from "../../src/modules/checkout-sessions/schema.ts";
import {
  insertCheckoutPayment,
  insertSessionSubscription,
  lockCheckoutSession,
  updateCheckoutSession,
} from "../../src/modules/checkout-sessions/store.ts";
import { CouponCreate } from "../../src/modules/coupons/schema.ts";
import { CustomerSubscriptionCreate } from "../../src/modules/customer-subscriptions/schema/subscriptions.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import { findPlanByCode } from "../../src/modules/packages/store.ts";
import { ProductCreate } from "../../src/modules/products/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import { cancelWork } from "../../src/platform/due-work.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds checkouts of a product by the product's own flows, known by their metadata `is`: `paid`, `failed`, and `waiting`
 * with a pending payment, each of a customer of its own; and `subscribed`, as `addSubscribed`.
 */
export async function addCheckouts(services: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => services.db.transaction(ctx.organisation.id, work);
  const { id } = await write((tx) => createProduct(tx, ctx, ProductCreate.parse({ name: "Book", amount: 100 })));
  const coupon = await write((tx) => createCoupon(tx, ctx, CouponCreate.parse({ code: "BOOK", amount: 10 })));
  const [account] = (await write(listGatewayAccounts)).filter(({ type }) => type === "sandbox");
  assert(account, "the organisation has a sandbox account");
  for (const is of ["paid", "failed", "waiting"] as const) {
    const body = CheckoutSessionCreate.parse({ productId: id, metadata: { is } });
    const session = await write((tx) => createCheckoutSession(tx, ctx, body));
    const details = { email: `${is}@checkout.example`, firstName: "Thandi", ...BLANK };
    const { session: used, customer } = await write((tx) => identifyPayer(tx, ctx, session, details));
    assert(customer, "the session is open");
    const sale = {
      subject: used.id,
      customerId: customer.id,
      sold: { productId: id, recurring: false },
      currency: "ZAR",
    };
    const payment = await write(async (tx) => {
      const { couponId } = await redeemCoupon(tx, ctx, { couponId: coupon.id, ...sale });
      const asked = { amount: cents(11_500), currency: "ZAR", type: "once", description: "Book" } as const;
      const begun = recordAttempt(tx, ctx, gatewayOf(account), { ...asked, customerId: customer.id });
      const terms = {
        discount: cents(1_000),
        taxExempt: false,
        tax: cents(1_500),
        couponId,
        couponSubject: used.id,
        frequency: null,
      };
      insertCheckoutPayment(tx, { transactionId: begun.id, sessionId: used.id, ...terms });
      updateCheckoutSession(tx, { ...used, transactionId: begun.id });
      return begun;
    });
    if (is === "waiting") continue;
    await write(async (tx) => {
      const { amount, currency, reference } = payment;
      const told = internalFact(reference, is);
      const fact =
        is === "paid"
          ? ({ ...told, kind: "paid", amount, currency, fee: null, card: null } as const)
          : ({ ...told, kind: "declined", amount: null, currency: null, reason: "declined", hard: false } as const);
      await settlePayment(tx, ctx, { accountId: account.id, source: "notification" }, fact);
    });
  }
  await addSubscribed(services, ctx);
}

/**
 * Adds a checkout of the plan `fixed` of `addCatalogue` by the product's own flows, with the metadata `is: subscribed`:
 * its payer has begun to pay for the plan, and has then taken its trial in place of that.
 */
async function addSubscribed(services: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => services.db.transaction(ctx.organisation.id, work);
  const fixed = await write((tx) => findPlanByCode(tx, "fixed"));
  assert(fixed, "the catalogue was added");
  const body = CheckoutSessionCreate.parse({ planId: fixed.id, metadata: { is: "subscribed" } });
  const session = await write((tx) => createCheckoutSession(tx, ctx, body));
  const details = { email: "subscribed@checkout.example", firstName: "Thandi", ...BLANK };
  const { session: used, customer } = await write((tx) => identifyPayer(tx, ctx, session, details));
  assert(customer, "the session is open");
  for (const trialDays of [0, 30])
    await write(async (tx) => {
      const asked = { customer: { id: customer.id }, plan: "fixed", collectionMethod: "gateway", trialDays };
      const made = CustomerSubscriptionCreate.parse(asked);
      const { subscription } = await createSubscription(tx, ctx, made, "checkout");
      insertSessionSubscription(tx, used.id, subscription.id);
      const named = { ...used, subscriptionId: subscription.id };
      if (subscription.status === "trialing") await completeCheckout(tx, ctx, named);
      else updateCheckoutSession(tx, named);
    });
  await write(async (tx) => {
    const completed = await lockCheckoutSession(tx, used.id);
    assert(completed, "the session stays");
    await endOtherSubscriptions(tx, ctx, completed);
    cancelWork(tx, CHECKOUT_END_OTHERS, completed.id);
  });
}

const BLANK = { lastName: null, phone: null, company: null, address: null, vatNumber: null };

const of = (is: string) => `(select id from checkout_sessions where metadata ->> 'is' = '${is}')`;
const change = (is: string, columns: string) =>
  `update checkout_sessions set ${columns} where metadata ->> 'is' = '${is}'`;

/** Of what `addCheckouts` made: at least one for every rule about checkouts. */
export const CHECKOUT_FAULTS: readonly PlantedFault[] = [
  [
    "checkout_sessions.checkout_payment",
    of("waiting"),
    `update checkout_payments set checkout_session_id = ${of("paid")} where checkout_session_id = ${of("waiting")}`,
  ],
  [
    "checkout_sessions.checkout_customer",
    of("failed"),
    change("failed", `customer_id = (select customer_id from checkout_sessions where metadata ->> 'is' = 'paid')`),
  ],
  ["checkout_sessions.checkout_paid", of("waiting"), change("waiting", "status = 'completed'")],
  ["checkout_sessions.checkout_completed", of("paid"), change("paid", "status = 'failed'")],
  ["checkout_sessions.checkout_plan", of("subscribed"), change("subscribed", "package_id = 'pkg_other'")],
  ["checkout_sessions.checkout_expires", of("waiting"), change("waiting", "expires_at = expires_at + interval '1 s'")],
  [
    "checkout_sessions.checkout_coupon",
    of("paid"),
    `update coupon_redemptions set customer_id = (select min(id) from customers) where subject = ${of("paid")}`,
  ],
  [
    "checkout_sessions.checkout_discount",
    of("failed"),
    `update checkout_payments set discount_cents = 0 where checkout_session_id = ${of("failed")}`,
  ],
  [
    "checkout_sessions.checkout_recurring",
    of("paid"),
    change("paid", "subscription_id = (select min(id) from gateway_subscriptions)"),
  ],
  [
    "checkout_sessions.checkout_vat",
    of("paid"),
    `update checkout_payments set tax_cents = tax_cents + 1 where checkout_session_id = ${of("paid")}`,
  ],
  [
    "checkout_sessions.checkout_exempt",
    of("paid"),
    `update transactions set tax_exempt = true where id = (select transaction_id from checkout_sessions where id = ${of("paid")})`,
  ],
  ["checkout_sessions.checkout_subscription", of("subscribed"), `delete from checkout_subscriptions`],
  [
    "checkout_sessions.checkout_subscription",
    of("subscribed"),
    `update customer_subscriptions set customer_id = (select min(id) from customers) where id = (select subscription_id from checkout_sessions where id = ${of("subscribed")})`,
  ],
  [
    "checkout_sessions.checkout_sold_once",
    of("subscribed"),
    "update customer_subscriptions set status = 'pending' where source = 'checkout' and status = 'cancelled'",
  ],
  [
    "checkout_sessions.checkout_expiry_awaited",
    of("failed"),
    `delete from due_work where kind = 'checkout_session.expire' and subject = ${of("failed")}`,
  ],
];
