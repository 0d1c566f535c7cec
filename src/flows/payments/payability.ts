import { startOfMonth } from "../../kernel/time.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { isReadOnly, statusOf } from "../../modules/organisations/states.ts";
import { type Unavailable, whyUnavailable } from "../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { countPaidSince } from "../../modules/payments/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, hasFeature, quotaOf } from "../context.ts";
import { checkoutGateways, type Gateway } from "../gateways/accounts.ts";

/** Whether a link can be paid now, and through which gateways (spec 3.2). */
export interface Payability {
  readonly unavailable: Unavailable | null;
  readonly gateways: readonly Gateway[];
}

/** Spec 3.2; the page shows it, and the start of a payment decides by it again under the link's lock. */
export const payabilityOf = async (tx: Tx, ctx: Ctx, link: PaymentLink): Promise<Payability> =>
  (await payabilityNow(tx, ctx))(link);

/** As `payabilityOf`, for several links at one moment. */
export async function payabilityNow(tx: Tx, ctx: Ctx): Promise<(link: PaymentLink) => Payability> {
  const limit = quotaOf(ctx.organisation, "monthlyTransactions");
  const [accounts, paid] = await Promise.all([
    listGatewayAccounts(tx),
    limit === null ? 0 : countPaidSince(tx, startOfMonth(ctx.now), limit),
  ]);
  const accountReadOnly =
    isReadOnly(statusOf(ctx.organisation, ctx.now)) || !hasFeature(ctx.organisation, "payment_links");
  const monthlyLimitReached = limit !== null && paid >= limit;
  return (link) => {
    const gateways = checkoutGateways(accounts, link.currency).filter(({ adapter }) => {
      const minimum = adapter.checkout?.minimumAmounts[link.currency];
      return minimum === undefined || link.amount >= minimum;
    });
    const gatewayAvailable = gateways.length > 0;
    return {
      unavailable: whyUnavailable(link, { now: ctx.now, accountReadOnly, monthlyLimitReached, gatewayAvailable }),
      gateways,
    };
  };
}
