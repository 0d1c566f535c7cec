import { newId, type PaymentLinkId } from "../../kernel/ids.ts";
import { fromRand } from "../../kernel/money.ts";
import { isPaidByCard } from "../../modules/customer-subscriptions/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { deactivatePaymentLink, insertPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import { keepsCards } from "../cards/card-gateways.ts";
import { type Ctx, hasFeature } from "../context.ts";
import { checkoutGateways, hasManualTransfer } from "../gateways/accounts.ts";

/** The highest amount of a payment link, in cents (interface 4.2). */
const LINK_MAX = fromRand(10_000_000);

/**
 * Creates the single-use link that collects the invoice's balance (interface 4.5, pay links). Null when the plan has no payment
 * links, no gateway and no Manual EFT account takes the currency, or the balance is over the limit. With `keepsCard` the card that pays is kept
 * for the invoice's subscription, so a gateway has to save and charge cards.
 */
export function makePayLink(
  tx: Tx,
  ctx: Ctx,
  invoice: Invoice,
  accounts: readonly GatewayAccount[],
  keepsCard: boolean,
): PaymentLinkId | null {
  const amount = amountDue(invoice);
  if (!hasFeature(ctx.organisation, "payment_links") || amount > LINK_MAX) return null;
  const { currency } = invoice;
  const gateways = checkoutGateways(accounts, currency);
  const isPayable = keepsCard
    ? gateways.some((gateway) => keepsCards(ctx, gateway))
    : gateways.length > 0 || hasManualTransfer(accounts, currency);
  if (!isPayable) return null;
  const id = newId("plink");
  insertPaymentLink(tx, {
    id,
    title: `Invoice ${invoice.number}`,
    description: null,
    amount,
    currency,
    externalReference: invoice.externalReference,
    returnUrl: null,
    metadata: {},
    recurring: null,
    singleUse: true,
    active: true,
    expiresAt: null,
    paidCount: 0,
    customerId: invoice.customer.id,
    productId: null,
    invoiceId: invoice.id,
    collectsBalance: true,
    keepsCard,
    createdByKey: ctx.actor.kind === "key" ? ctx.actor.id : null,
    gatewaySubscriptionId: null,
    createdAt: ctx.now,
  });
  return id;
}

/**
 * Makes sure that the invoice's pay link collects its present balance (interface 3.3): deactivates a link of another amount and
 * creates a new one. The caller has locked the links.
 */
export async function renewPayLink(tx: Tx, ctx: Ctx, invoice: Invoice, linkAmount: number | null): Promise<Invoice> {
  if (invoice.payLinkId && linkAmount === amountDue(invoice)) return invoice;
  if (invoice.payLinkId) deactivatePaymentLink(tx, invoice.payLinkId);
  return { ...invoice, payLinkId: await makePayLinkAgain(tx, ctx, invoice) };
}

/** As `makePayLink`, for an invoice that had one before. */
export async function makePayLinkAgain(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<PaymentLinkId | null> {
  const [accounts, keepsCard] = await Promise.all([listGatewayAccounts(tx), isPaidByCard(tx, invoice.id)]);
  return makePayLink(tx, ctx, invoice, accounts, keepsCard);
}
