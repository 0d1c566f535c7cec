import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";
import {
  type Attempt,
  type AttemptPages,
  recordAttempt,
  type StartedAttempt,
  startPayment,
} from "../payments/start-payment.ts";
import type { Services } from "../services.ts";
import {
  type CheckoutRequest,
  type Chosen,
  chosenOn,
  closed,
  isOverQuota,
  type NoAttempt,
  noteAttempt,
  type Paying,
  payingOf,
  subscribe,
} from "./choose.ts";
import { identifyPayer, type NamedSession, type PayerDetails } from "./identify-payer.ts";
import { isPaidNow } from "./offers.ts";
import type { CheckoutAsked } from "./read-checkout.ts";

/** The payer's choice on the page. */
export interface CheckoutChoice {
  /** Null when there is nothing to pay now. */
  readonly gatewayId: string | null;
  readonly couponCode: string | null;
}

/** Where the payer's browser goes next, or why it stays. */
export type CheckedOut = StartedAttempt | NoAttempt;

/**
 * Checks out (interface 4.12): stores the payer in one transaction, and redeems the coupon and starts the payment in
 * the next. Throws 400 at `email` or `couponCode`, 403 `plan_limit`.
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
  const { customer } = identified;
  if (!customer) return closed(identified.session);
  const wanted = { asked, sessionId: session.id, customer, couponCode: choice.couponCode };
  if (session.packageId !== null) {
    const subscribed = await services.db.transaction(ctx.organisation.id, (tx) =>
      payableOn(tx, ctx, wanted, choice, (chosen) => subscribe(tx, ctx, chosen)),
    );
    if (subscribed !== "to_pay") return subscribed;
  }
  return startPayment(
    services,
    ctx,
    (tx) =>
      payableOn(tx, ctx, wanted, choice, async (chosen, gateway): Promise<Attempt | NoAttempt> => {
        const paying = await payingOf(tx, ctx, chosen);
        if (!gateway || !paying) return { kind: "not_offered" };
        if (await isOverQuota(tx, ctx, chosen, paying)) return { kind: "unavailable", why: "quota" };
        return attemptOf(tx, ctx, { ...chosen, paying, details }, gateway);
      }),
    pages,
  );
}

/** Like `chosenOn`, with the chosen gateway; null when there is nothing to pay. */
const payableOn = <Done>(
  tx: Tx,
  ctx: Ctx,
  wanted: CheckoutRequest,
  { gatewayId }: CheckoutChoice,
  goOn: (chosen: Chosen, gateway: Gateway | null) => Promise<Done>,
): Promise<Done | NoAttempt> =>
  chosenOn(tx, ctx, wanted, async (chosen): Promise<Done | NoAttempt> => {
    const gateway = chosen.offer.gateways.find(({ account }) => account.id === gatewayId) ?? null;
    return isPaidNow(chosen.offer) && !gateway ? { kind: "not_offered" } : goOn(chosen, gateway);
  });

interface Payable extends Chosen {
  readonly paying: Paying;
  readonly details: PayerDetails;
}

/** Records the payment. */
async function attemptOf(tx: Tx, ctx: Ctx, payable: Payable, gateway: Gateway): Promise<Attempt> {
  const { session, customer, details, offer, title, paying } = payable;
  const { amount, invoiceId } = paying;
  const transaction = recordAttempt(tx, ctx, gateway, {
    amount,
    currency: offer.currency,
    type: invoiceId ? "invoice" : offer.later ? "recurring" : "once",
    description: title,
    payerEmail: details.email,
    customerId: customer.id,
    metadata: session.metadata,
    ...(invoiceId && { invoiceId, ...(await paymentOfInvoice(tx, invoiceId)) }),
  });
  await noteAttempt(tx, ctx, payable, { id: transaction.id, customerId: customer.id, paying });
  return { transaction, gateway, ...askedOf(payable) };
}

/**
 * What the gateway is asked to do besides the payment: save a plan's card for its later charges, or run the charges of
 * a recurring product.
 */
const askedOf = ({ details: { firstName, lastName, phone }, offer, paying: { invoiceId } }: Payable) => ({
  payer: { firstName, lastName, phone },
  recurring:
    offer.later && !invoiceId
      ? {
          frequency: offer.later.frequency,
          amount: offer.later.charges[0]?.total ?? offer.today.total,
          nextChargeOn: null,
        }
      : null,
  saveCard: invoiceId !== null,
  startsSubscription: invoiceId !== null,
});
