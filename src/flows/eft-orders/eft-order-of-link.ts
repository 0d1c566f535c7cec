import type { Cents } from "../../kernel/money.ts";
import { addSeconds, DAY_SECONDS } from "../../kernel/time.ts";
import { EXPIRY_DAYS } from "../../modules/eft-orders/rules.ts";
import { openOrderOfLink } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { openEftOrder } from "./open-eft-order.ts";

/**
 * The EFT order for a payer who chose bank transfer on a payment link's page (interface 4.2, behaviour 4). The caller
 * has locked the link. A link that is paid once has one payer, who may return: an open order for the same amount and
 * gateway account is reused. A new order is open for seven days, even when the link expires sooner.
 */
export async function eftOrderOfLink(
  tx: Tx,
  ctx: Ctx,
  account: GatewayAccount,
  link: PaymentLink,
  { amount, payerEmail }: { amount: Cents; payerEmail: string | null },
): Promise<EftOrder> {
  const begun = { paymentLinkId: link.id, gatewayAccountId: account.id, amount };
  const open = link.singleUse || link.collectsBalance ? await openOrderOfLink(tx, begun, ctx.now) : null;
  return (
    open ??
    openEftOrder(tx, ctx, account, {
      amount,
      currency: link.currency,
      description: link.title,
      externalReference: link.externalReference,
      metadata: link.metadata,
      customerId: link.customerId,
      paymentLinkId: link.id,
      invoiceId: link.invoiceId,
      payerEmail,
      expiresAt: addSeconds(ctx.now, EXPIRY_DAYS * DAY_SECONDS),
    })
  );
}
