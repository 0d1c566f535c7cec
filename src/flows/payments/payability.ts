import type { GatewayAdapter } from "../../gateways/contract.ts";
import { type Cents, subtract } from "../../kernel/money.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { invoicesByIds } from "../../modules/invoices/store/invoices.ts";
import type { InvoiceReference } from "../../modules/invoices/types.ts";
import { type Unavailable, whyUnavailable } from "../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { beingConfirmed } from "../../modules/payments/store/not-on-statement.ts";
import { invoicesBeingCollected } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, hasFeature, isReadOnlyNow } from "../context.ts";
import {
  checkoutGateways,
  type Gateway,
  gatewayOf,
  manualTransferAccounts,
  takesAmount,
} from "../gateways/accounts.ts";
import { keepsCards } from "../gateways/card-gateways.ts";
import { attemptsSoon } from "./attempts-soon.ts";
import { monthlyLimitReached, monthlyLimitReachedAtStart } from "./monthly-limit.ts";

/** Whether a link can be paid now, and through which gateways (interface 3.2). */
export interface Payability {
  readonly unavailable: Unavailable | null;
  readonly gateways: readonly Gateway[];
  /**
   * The amount to pay, in cents: for an invoice's own link, the invoice's balance (interface 3.3, pay link after a part
   * payment).
   */
  readonly amount: Cents;
  /** The invoice that the link pays. */
  readonly invoice: InvoiceReference | null;
}

/** Whether the link can be paid, as its page shows it (interface 3.2). */
export const payabilityOf = async (tx: Tx, ctx: Ctx, link: PaymentLink): Promise<Payability> =>
  (await payabilityNow(tx, ctx, [link]))(link);

/** Like `payabilityOf`, for several links at the same moment. */
export const payabilityNow = (
  tx: Tx,
  ctx: Ctx,
  links: readonly PaymentLink[],
): Promise<(link: PaymentLink) => Payability> => decide(tx, ctx, links, monthlyLimitReached);

/**
 * Like `payabilityOf`, when a payment starts. The caller has locked the link. Locks the organisation's payment starts
 * when the plan has a monthly limit.
 */
export const payabilityAtStart = async (tx: Tx, ctx: Ctx, link: PaymentLink): Promise<Payability> =>
  (await decide(tx, ctx, [link], monthlyLimitReachedAtStart))(link);

/**
 * Recurring links are paid through gateways that run subscriptions, while the plan has recurring billing
 * (interface 4.2).
 */
const takesRecurring = ({ organisation }: Ctx, { subscriptions }: GatewayAdapter): boolean =>
  subscriptions !== undefined && hasFeature(organisation, "recurring_card_billing");

async function decide(
  tx: Tx,
  ctx: Ctx,
  links: readonly PaymentLink[],
  isLimitReached: (tx: Tx, ctx: Ctx) => Promise<boolean>,
): Promise<(link: PaymentLink) => Payability> {
  const invoiceIds = links.flatMap(({ invoiceId }) => invoiceId ?? []);
  const paidThrough = { links: links.map(({ id }) => id), invoices: invoiceIds };
  const [accounts, limitReached, invoices, collected, confirmed, soon] = await Promise.all([
    listGatewayAccounts(tx),
    isLimitReached(tx, ctx),
    invoicesByIds(tx, invoiceIds),
    invoicesBeingCollected(tx, invoiceIds),
    beingConfirmed(tx, paidThrough),
    attemptsSoon(tx, ctx, invoiceIds),
  ]);
  const organisationReadOnly = isReadOnlyNow(ctx) || !hasFeature(ctx.organisation, "payment_links");
  return (link) => {
    const invoice = (link.invoiceId && invoices.get(link.invoiceId)) || null;
    const amount = link.collectsBalance && invoice ? subtract(invoice.total, invoice.paid) : link.amount;
    const checkouts = checkoutGateways(accounts, link.currency).filter(
      (gateway) =>
        (link.recurring === null || takesRecurring(ctx, gateway.adapter)) &&
        (!link.keepsCard || keepsCards(ctx, gateway)) &&
        takesAmount(gateway, amount, link.currency),
    );
    // A manual transfer is one payment, never recurring (interface 4.2, behaviour 4), and no charge of a subscription.
    const transfers =
      link.recurring || link.gatewaySubscriptionId || link.keepsCard
        ? []
        : manualTransferAccounts(accounts, link.currency).map(gatewayOf);
    const gateways = [...checkouts, ...transfers];
    const gatewayAvailable = gateways.length > 0;
    const collecting = invoice !== null && collected.has(invoice.id);
    const confirming = (link.singleUse && confirmed.has(link.id)) || (invoice !== null && confirmed.has(invoice.id));
    const now = { now: ctx.now, organisationReadOnly, monthlyLimitReached: limitReached };
    const attemptSoon = invoice !== null && soon.has(invoice.id);
    const facts = { ...now, gatewayAvailable, collecting, attemptSoon, confirming, invoice };
    return { unavailable: whyUnavailable(link, facts), gateways, amount, invoice };
  };
}
