import { assert } from "../../kernel/assert.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { type Cents, subtract } from "../../kernel/money.ts";
import { asOf, isOpen } from "../../modules/checkout-sessions/states.ts";
import {
  insertCheckoutPayment,
  lockCheckoutSession,
  updateCheckoutSession,
} from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import { REFUSALS } from "../../modules/coupons/rules.ts";
import { findCouponByCode, lockCoupon } from "../../modules/coupons/store.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import { lockCustomerSubscription } from "../../modules/customer-subscriptions/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { hasPendingPayment } from "../../modules/payments/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { redeemCoupon, releaseRedemption } from "../coupons/coupon-steps.ts";
import { paymentOfInvoice } from "../customer-subscriptions/payment-of-invoice.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { monthlyLimitReachedAtStart } from "../payments/monthly-limit.ts";
import {
  type Attempt,
  type AttemptPages,
  recordAttempt,
  type StartedAttempt,
  startPayment,
} from "../payments/start-payment.ts";
import type { Services } from "../services.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { identifyPayer, type NamedSession, type PayerDetails } from "./identify-payer.ts";
import { isPaidNow } from "./offers.ts";
import { type CheckoutAsked, type CheckoutUnavailable, readCheckout } from "./read-checkout.ts";
import { openInvoiceOf, type Subscribing, subscriptionOf } from "./subscribe.ts";

/** What the payer chose on the page. */
export interface CheckoutChoice {
  /** Null when nothing is to be paid now. */
  readonly gatewayId: string | null;
  readonly couponCode: string | null;
}

type NoAttempt =
  /** The session was completed before. */
  | { readonly kind: "completed"; readonly session: CheckoutSession }
  | { readonly kind: "unavailable"; readonly why: CheckoutUnavailable }
  | { readonly kind: "not_offered" };

/** Where the payer's browser goes next, or why it stays. */
export type CheckedOut = StartedAttempt | NoAttempt;

/**
 * Checks out (interface 4.12): notes who the payer is in one transaction, and redeems the coupon and starts the payment in the next. Throws 400
 * at `email` or `couponCode`, 403 `plan_limit`.
 */
export async function checkOut(
  services: Services,
  ctx: Ctx,
  asked: CheckoutAsked & {
    readonly session: NamedSession;
    readonly details: PayerDetails;
    readonly choice: CheckoutChoice;
  },
  pages: (reference: string) => AttemptPages,
): Promise<CheckedOut> {
  const { session, details, choice } = asked;
  const identified = await services.db.transaction(ctx.organisation.id, (tx) =>
    identifyPayer(tx, ctx, session, details),
  );
  if (!identified.customer) return closed(identified.session);
  const wanted = {
    asked: { ...asked, sessionId: session.id, couponCode: choice.couponCode ?? "" },
    sessionId: session.id,
    customer: identified.customer,
    details,
    choice,
  };
  if (session.packageId === null)
    return startPayment(services, ctx, (tx) => attemptOn(tx, ctx, wanted, payProduct), pages);
  const subscribed = await services.db.transaction(ctx.organisation.id, (tx) => chosenOn(tx, ctx, wanted, subscribe));
  if (subscribed !== "to_pay") return subscribed;
  return startPayment(services, ctx, (tx) => attemptOn(tx, ctx, wanted, payFirstCharge), pages);
}

const closed = (session: CheckoutSession): NoAttempt =>
  session.status === "completed" ? { kind: "completed", session } : { kind: "unavailable", why: "expired" };

interface Wanted {
  readonly asked: CheckoutAsked;
  readonly sessionId: CheckoutSession["id"];
  readonly customer: Customer;
  readonly choice: CheckoutChoice;
  readonly details: PayerDetails;
}

interface Chosen extends Subscribing {
  readonly details: PayerDetails;
  /** What is paid for, in words. */
  readonly title: string;
  /** Null when nothing is to be paid now. */
  readonly gateway: Gateway | null;
}

/** Goes on with what the payer chose, as it stands now, or answers why it cannot be had. Locks the session and the coupon. */
async function chosenOn<Done>(
  tx: Tx,
  ctx: Ctx,
  { asked, sessionId, customer, choice, details }: Wanted,
  goOn: (tx: Tx, ctx: Ctx, chosen: Chosen) => Promise<Done>,
): Promise<Done | NoAttempt> {
  const locked = await lockCheckoutSession(tx, sessionId);
  assert(locked, "a session stays");
  const session = asOf(locked, ctx.now);
  if (!isOpen(session)) return closed(session);
  const coupon = await lockedCoupon(tx, choice.couponCode);
  const facts = await readCheckout(tx, ctx, asked);
  if (!facts || facts.unavailable) return { kind: "unavailable", why: facts?.unavailable ?? "not_sold" };
  const offer = facts.chosen;
  if (!offer) return { kind: "not_offered" };
  const gateway = offer.gateways.find(({ account }) => account.id === choice.gatewayId) ?? null;
  if (isPaidNow(offer) && !gateway) return { kind: "not_offered" };
  const title = session.packageId === null ? offer.name : `${facts.title}, ${offer.name}`;
  if (facts.coupon?.problem) throw invalidField(["couponCode"], facts.coupon.problem);
  return goOn(tx, ctx, { session, customer, details, offer, coupon, title, gateway });
}

/** As `chosenOn`, with a payment, which counts towards the month. Locks the organisation's payment starts. */
const attemptOn = (tx: Tx, ctx: Ctx, wanted: Wanted, paying: (tx: Tx, ctx: Ctx, chosen: Chosen) => Promise<Paying>) =>
  chosenOn(tx, ctx, wanted, async (_tx, _ctx, chosen): Promise<Attempt | NoAttempt> => {
    const paid = await paying(tx, ctx, chosen);
    if (await monthlyLimitReachedAtStart(tx, ctx)) {
      await giveCouponBack(tx, ctx, chosen, paid);
      return { kind: "unavailable", why: "quota" };
    }
    return chosen.gateway ? attemptOf(tx, ctx, { ...chosen, ...paid }, chosen.gateway) : { kind: "not_offered" };
  });

/** Gives back the coupon that a plan's subscription has redeemed, unless an earlier attempt to pay its first charge is under way. */
async function giveCouponBack(tx: Tx, ctx: Ctx, { coupon }: Chosen, { invoiceId, subject }: Paying): Promise<void> {
  if (!coupon || !invoiceId || (await hasPendingPayment(tx, invoiceId))) return;
  await releaseRedemption(tx, ctx, { couponId: coupon.id, subject });
}

/** The coupon of the code, locked: it is redeemed in this transaction. Throws 400 at `couponCode` when there is none. */
async function lockedCoupon(tx: Tx, code: string | null): Promise<Coupon | null> {
  const found = code === null ? null : await findCouponByCode(tx, code);
  if (code !== null && !found) throw invalidField(["couponCode"], REFUSALS.disabled);
  return found && lockCoupon(tx, found.id);
}

/** Subscribes to a plan, and redeems the coupon for it; what is free at first completes the session. Locks as `subscriptionOf`. */
async function subscribe(tx: Tx, ctx: Ctx, chosen: Chosen): Promise<NoAttempt | "to_pay"> {
  const { session, customer, coupon } = chosen;
  const subscription = await subscriptionOf(tx, ctx, chosen);
  if (coupon) await redeem(tx, ctx, chosen, coupon, subscription.id);
  const subscribed: CheckoutSession = {
    ...session,
    customerId: customer.id,
    planId: subscription.plan.id,
    subscriptionId: subscription.id,
    couponCode: coupon?.code ?? null,
    updatedAt: ctx.now,
  };
  if (subscription.status !== "pending")
    return { kind: "completed", session: await completeCheckout(tx, ctx, subscribed) };
  updateCheckoutSession(tx, subscribed);
  return "to_pay";
}

/** What of it is paid. */
interface Paying {
  readonly amount: Cents;
  /** What a redeemed coupon is counted for. */
  readonly subject: string;
  /** The invoice of a plan's first charge; null for a product. */
  readonly invoiceId: InvoiceId | null;
}

const payProduct = async (_tx: Tx, _ctx: Ctx, { session, offer }: Chosen): Promise<Paying> => ({
  amount: offer.today.total,
  subject: session.id,
  invoiceId: null,
});

/** Locks the subscription. */
async function payFirstCharge(tx: Tx, ctx: Ctx, { session }: Chosen): Promise<Paying> {
  const id = session.subscriptionId && (await lockCustomerSubscription(tx, session.subscriptionId));
  const invoice = id ? await openInvoiceOf(tx, ctx, id) : null;
  assert(id && invoice, "a plan that is to pay has an open invoice");
  return { amount: subtract(invoice.total, invoice.paid), subject: id, invoiceId: invoice.id };
}

interface Paid extends Chosen, Paying {}

/** Records the payment, and redeems a product's coupon, once however often the payer tries. */
async function attemptOf(tx: Tx, ctx: Ctx, paid: Paid, gateway: Gateway): Promise<Attempt> {
  const { session, customer, details, offer, coupon, subject, invoiceId } = paid;
  const couponId = coupon && (await redeem(tx, ctx, paid, coupon, subject)).couponId;
  const transaction = recordAttempt(tx, ctx, gateway, {
    amount: paid.amount,
    currency: offer.currency,
    type: invoiceId ? "invoice" : offer.later ? "recurring" : "once",
    description: paid.title,
    payerEmail: details.email,
    customerId: customer.id,
    metadata: session.metadata,
    ...(invoiceId && { invoiceId, ...(await paymentOfInvoice(tx, invoiceId)) }),
  });
  insertCheckoutPayment(tx, {
    transactionId: transaction.id,
    sessionId: session.id,
    discount: offer.discount,
    tax: Number(offer.taxRate) === 0 ? null : offer.today.tax,
    couponId,
    couponSubject: couponId && subject,
    frequency: invoiceId ? null : (offer.later?.frequency ?? null),
  });
  updateCheckoutSession(tx, {
    ...session,
    customerId: customer.id,
    couponCode: coupon?.code ?? null,
    transactionId: transaction.id,
    updatedAt: ctx.now,
  });
  return { transaction, gateway, ...askedOf(paid) };
}

/** What a gateway is asked for beside the payment: a plan's card is kept for its later charges, a recurring product is charged by the gateway. */
const askedOf = ({ details: { firstName, lastName, phone }, offer, invoiceId }: Paid) => ({
  payer: { firstName, lastName, phone },
  recurring:
    offer.later && !invoiceId
      ? { frequency: offer.later.frequency, amount: offer.later.total, nextChargeOn: null }
      : null,
  saveCard: invoiceId !== null,
  startsSubscription: invoiceId !== null,
});

const redeem = (tx: Tx, ctx: Ctx, { customer, offer }: Chosen, { id }: Coupon, subject: string) =>
  redeemCoupon(tx, ctx, {
    couponId: id,
    subject,
    customerId: customer.id,
    sold: offer.sold,
    currency: offer.currency,
  });
