import { assert } from "../../kernel/assert.ts";
import { UNSTATED } from "../../kernel/exemption.ts";
import type { PaymentLinkId } from "../../kernel/ids.ts";
import { fromRand } from "../../kernel/money.ts";
import { subscriptionOfInvoice } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { deactivatePaymentLink, insertPaymentLinks } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newShortCode } from "../../platform/tokens.ts";
import { type Ctx, hasFeature, issuerOf } from "../context.ts";
import { checkoutGateways, hasManualTransfer } from "../gateways/accounts.ts";
import { keepsCards } from "../gateways/card-gateways.ts";

/** The highest amount of a payment link, in cents (interface 4.2). */
const LINK_MAX = fromRand(10_000_000);

/** An invoice that needs a pay link; with `keepsCard` the card that pays is saved for its subscription. */
interface ToLink {
  readonly invoice: Invoice;
  readonly keepsCard: boolean;
}

/**
 * Returns the invoices, each with a new single-use link that collects its balance (interface 4.5, pay links). An
 * invoice gets no link when the plan has no payment links, when no gateway and no Manual EFT account accepts the
 * currency, or when the balance exceeds the limit; a link that saves the card needs a gateway that saves and charges
 * cards.
 */
export function withPayLinks(
  tx: Tx,
  ctx: Ctx,
  toLink: readonly ToLink[],
  accounts: readonly GatewayAccount[],
): Invoice[] {
  const linked = toLink.map(({ invoice, keepsCard }) => ({
    keepsCard,
    invoice: { ...invoice, payLinkId: canBeLinked(ctx, { invoice, keepsCard }, accounts) ? newId("plink") : null },
  }));
  const links = linked.flatMap((one) => (one.invoice.payLinkId ? payLinkOf(ctx, one, one.invoice.payLinkId) : []));
  insertPaymentLinks(tx, links);
  return linked.map(({ invoice }) => invoice);
}

function canBeLinked(ctx: Ctx, { invoice, keepsCard }: ToLink, accounts: readonly GatewayAccount[]): boolean {
  if (!hasFeature(ctx.organisation, "payment_links") || amountDue(invoice) > LINK_MAX) return false;
  const { currency } = invoice;
  const gateways = checkoutGateways(accounts, currency);
  return keepsCard
    ? gateways.some((gateway) => keepsCards(ctx, gateway))
    : gateways.length > 0 || hasManualTransfer(accounts, currency);
}

const payLinkOf = (ctx: Ctx, { invoice, keepsCard }: ToLink, id: PaymentLinkId): PaymentLink => ({
  id,
  shortCode: newShortCode(),
  title: `Invoice ${invoice.number}`,
  description: null,
  amount: amountDue(invoice),
  currency: invoice.currency,
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
  vat: UNSTATED,
  invoiceId: invoice.id,
  collectsBalance: true,
  keepsCard,
  issuedBy: issuerOf(ctx),
  gatewaySubscriptionId: null,
  createdAt: ctx.now,
});

/**
 * Makes sure that the invoice's pay link collects its present balance (interface 3.3): deactivates a link for another
 * amount and creates a new one. The caller has locked the links.
 */
export async function renewPayLink(tx: Tx, ctx: Ctx, invoice: Invoice, linkAmount: number | null): Promise<Invoice> {
  if (invoice.payLinkId && linkAmount === amountDue(invoice)) return invoice;
  if (invoice.payLinkId) deactivatePaymentLink(tx, invoice.payLinkId);
  return makePayLinkAgain(tx, ctx, invoice);
}

/** Gives an invoice that had a pay link a new one, as `withPayLinks` does. */
export async function makePayLinkAgain(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<Invoice> {
  const [accounts, of] = await Promise.all([listGatewayAccounts(tx), subscriptionOfInvoice(tx, invoice.id)]);
  const keepsCard = of?.collectionMethod === "gateway";
  const [linked] = withPayLinks(tx, ctx, [{ invoice, keepsCard }], accounts);
  assert(linked, "one invoice is answered");
  return linked;
}
