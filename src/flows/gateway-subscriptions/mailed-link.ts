import { UNSTATED } from "../../kernel/exemption.ts";
import type { Cents } from "../../kernel/money.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { findPaymentLink, insertPaymentLinks } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newShortCode } from "../../platform/tokens.ts";
import { type Ctx, issuerOf } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { mailSubscriptionLink } from "./subscription-mail.ts";

/** A link that was mailed to the payer of a subscription. */
export interface MailedLink {
  readonly link: PaymentLink;
  readonly url: string;
  /** False when the payer has no known address. */
  readonly emailed: boolean;
}

/**
 * Makes a single-use link for a subscription, with the VAT of the link that began it: a recurring link replaces the
 * subscription, any other collects one charge of it.
 */
export async function makeSubscriptionLink(
  tx: Tx,
  ctx: Ctx,
  subscription: GatewaySubscription,
  { amount, recurring }: { readonly amount: Cents; readonly recurring: boolean },
): Promise<PaymentLink> {
  const first = subscription.paymentLinkId && (await findPaymentLink(tx, subscription.paymentLinkId));
  const { productId, vat } = first || { productId: null, vat: UNSTATED };
  const link: PaymentLink = {
    id: newId("plink"),
    shortCode: newShortCode(),
    title: (subscription.description ?? "Subscription").slice(0, 100),
    description: null,
    amount,
    currency: subscription.currency,
    externalReference: subscription.externalReference,
    returnUrl: null,
    metadata: subscription.metadata,
    recurring: recurring ? { frequency: subscription.frequency, amount } : null,
    singleUse: true,
    active: true,
    expiresAt: null,
    paidCount: 0,
    customerId: subscription.customerId,
    productId,
    vat,
    invoiceId: null,
    collectsBalance: false,
    keepsCard: false,
    issuedBy: issuerOf(ctx),
    gatewaySubscriptionId: subscription.id,
    createdAt: ctx.now,
  };
  insertPaymentLinks(tx, [link]);
  return link;
}

/** Mails a link to the payer of the subscription, each time that it is called. */
export async function mailLink(
  tx: Tx,
  ctx: Ctx,
  subscription: GatewaySubscription,
  link: PaymentLink,
): Promise<MailedLink> {
  const emailed = await mailSubscriptionLink(tx, ctx, subscription, link);
  return { link, url: hostedUrl(ctx, PAY_PAGE, link.id), emailed };
}
