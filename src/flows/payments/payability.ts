import { type Cents, subtract } from "../../kernel/money.ts";
import { startOfMonth } from "../../kernel/time.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { invoicesByIds } from "../../modules/invoices/store.ts";
import type { InvoiceReference } from "../../modules/invoices/types.ts";
import { type Unavailable, whyUnavailable } from "../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { countPaidSince } from "../../modules/payments/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, hasFeature, isReadOnlyNow, quotaOf } from "../context.ts";
import { checkoutGateways, type Gateway, gatewayOf, manualTransfers } from "../gateways/accounts.ts";

/** Whether a link can be paid now, and through which gateways (spec 3.2). */
export interface Payability {
  readonly unavailable: Unavailable | null;
  readonly gateways: readonly Gateway[];
  /** What it asks for: of an invoice's own link what is open of the invoice (contract 9, pay link after a part payment). */
  readonly amount: Cents;
  /** The invoice it pays. */
  readonly invoice: InvoiceReference | null;
}

/** Spec 3.2; the page shows it, and the start of a payment decides by it again under the link's lock. */
export const payabilityOf = async (tx: Tx, ctx: Ctx, link: PaymentLink): Promise<Payability> =>
  (await payabilityNow(tx, ctx, [link]))(link);

/** As `payabilityOf`, for several links at one moment. */
export async function payabilityNow(
  tx: Tx,
  ctx: Ctx,
  links: readonly PaymentLink[],
): Promise<(link: PaymentLink) => Payability> {
  const limit = quotaOf(ctx.organisation, "monthlyTransactions");
  const [accounts, paid, invoices] = await Promise.all([
    listGatewayAccounts(tx),
    limit === null ? 0 : countPaidSince(tx, startOfMonth(ctx.now), limit),
    invoicesByIds(
      tx,
      links.flatMap(({ invoiceId }) => invoiceId ?? []),
    ),
  ]);
  const accountReadOnly = isReadOnlyNow(ctx) || !hasFeature(ctx.organisation, "payment_links");
  const monthlyLimitReached = limit !== null && paid >= limit;
  return (link) => {
    const invoice = (link.invoiceId && invoices.get(link.invoiceId)) || null;
    const amount = link.collectsBalance && invoice ? subtract(invoice.total, invoice.paid) : link.amount;
    const checkouts = checkoutGateways(accounts, link.currency).filter(({ adapter }) => {
      const minimum = adapter.checkout?.minimumAmounts[link.currency];
      return minimum === undefined || amount >= minimum;
    });
    // A deposit by hand comes once (spec 4.2, behaviour 4).
    const transfers = link.recurring ? [] : manualTransfers(accounts, link.currency).map(gatewayOf);
    const gateways = [...checkouts, ...transfers];
    const gatewayAvailable = gateways.length > 0;
    const facts = { now: ctx.now, accountReadOnly, monthlyLimitReached, gatewayAvailable, invoice };
    return { unavailable: whyUnavailable(link, facts), gateways, amount, invoice };
  };
}
