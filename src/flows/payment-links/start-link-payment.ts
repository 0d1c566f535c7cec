import type { EftOrderId, PaymentLinkId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { Unavailable } from "../../modules/payment-links/rules.ts";
import { lockPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { eftOrderOfLink } from "../eft-orders/eft-order-of-link.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { savesCards } from "../gateways/card-gateways.ts";
import { payabilityAtStart } from "../payments/payability.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";
import {
  type Attempt,
  type AttemptPages,
  recordAttempt,
  type StartedAttempt,
  startPayment,
} from "../payments/start-payment.ts";
import type { Services } from "../services.ts";

/** The payer's choice and entries on the page. */
export interface PayerChoice {
  readonly gatewayId: string;
  /** The amount in cents, a part of an invoice's balance; null pays all of it. */
  readonly amount: Cents | null;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

type NoAttempt =
  | { readonly kind: "unavailable"; readonly why: Unavailable }
  | { readonly kind: "not_offered" }
  /** A bank transfer: the next page is the EFT order's, which shows the bank details. */
  | { readonly kind: "transfer"; readonly order: EftOrderId };

/** Where the payer's browser goes next, or why there is no payment. */
export type LinkPaymentStart = StartedAttempt | NoAttempt;

/** Starts the payment of a link as `startPayment` does. Locks the payment link, and what `payabilityAtStart` locks. */
export const startLinkPayment = (
  services: Services,
  ctx: Ctx,
  linkId: PaymentLinkId,
  choice: PayerChoice,
  pages: (reference: string) => AttemptPages,
): Promise<LinkPaymentStart> => startPayment(services, ctx, (tx) => attemptOn(tx, ctx, linkId, choice), pages);

async function attemptOn(tx: Tx, ctx: Ctx, linkId: PaymentLinkId, choice: PayerChoice): Promise<Attempt | NoAttempt> {
  const link = await lockPaymentLink(tx, linkId);
  if (!link) return { kind: "unavailable", why: "deactivated" };
  const { unavailable, gateways, amount } = await payabilityAtStart(tx, ctx, link);
  if (unavailable) return { kind: "unavailable", why: unavailable };
  const gateway = gateways.find(({ account }) => account.id === choice.gatewayId);
  if (!gateway) return { kind: "not_offered" };
  const customer = link.customerId ? await findCustomer(tx, link.customerId) : null;
  const asked = {
    amount: partOf(amount, link, choice),
    payerEmail: choice.email ?? customer?.email ?? null,
  };
  if (gateway.adapter.manualBankTransfer)
    return { kind: "transfer", order: (await eftOrderOfLink(tx, ctx, gateway.account, link, asked)).id };
  return attemptOf(tx, ctx, { link, gateway, customer, choice, asked });
}

interface Chosen {
  readonly link: PaymentLink;
  readonly gateway: Gateway;
  readonly customer: Customer | null;
  readonly choice: PayerChoice;
  readonly asked: { readonly amount: Cents; readonly payerEmail: string | null };
}

const attemptOf = async (tx: Tx, ctx: Ctx, { link, gateway, customer, choice, asked }: Chosen): Promise<Attempt> => ({
  transaction: recordAttempt(tx, ctx, gateway, {
    ...asked,
    currency: link.currency,
    type: link.invoiceId ? "invoice" : link.recurring || link.gatewaySubscriptionId ? "recurring" : "once",
    ...(await chargeOfLink(tx, link)),
    description: link.title,
    paymentLinkId: link.id,
    invoiceId: link.invoiceId,
    customerId: link.customerId,
    externalReference: link.externalReference,
    metadata: link.metadata,
  }),
  gateway,
  payer: {
    firstName: choice.firstName ?? customer?.firstName ?? null,
    lastName: choice.lastName ?? customer?.lastName ?? null,
    phone: customer?.phone ?? null,
  },
  recurring: link.recurring && { ...link.recurring, nextChargeOn: null },
  // Only a customer's card is saved, and never for a recurring link (interface 4.11).
  saveCard: link.customerId !== null && !link.recurring && savesCards(ctx, gateway),
  startsSubscription: link.keepsCard,
});

/** The part of an invoice that a payer may pay on the invoice's own page; the amount of any other link is fixed. */
const partOf = (asked: Cents, { collectsBalance }: PaymentLink, { amount }: PayerChoice): Cents =>
  collectsBalance && amount !== null && amount < asked ? amount : asked;

/**
 * The subscription's charge that a link pays. A payment of a link for a subscription's invoice, or of one that was
 * mailed for a charge, is one of the subscription's (interface 4.7, 16.14).
 */
async function chargeOfLink(
  tx: Tx,
  { gatewaySubscriptionId, recurring, invoiceId }: PaymentLink,
): Promise<Partial<Transaction>> {
  if (invoiceId) return paymentOfInvoice(tx, invoiceId);
  if (!gatewaySubscriptionId || recurring) return {};
  const subscription = await findGatewaySubscription(tx, gatewaySubscriptionId);
  return {
    subscriptionId: gatewaySubscriptionId,
    renewal: true,
    parentReference: subscription?.firstReference ?? null,
  };
}
