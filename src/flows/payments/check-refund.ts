import type { RefundRequest } from "../../gateways/contract.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { findTransaction } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findRefund } from "../../modules/refunds/store.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { identityOf } from "./payment-identity.ts";

/** Seconds after which the gateway is asked about a refund; the intervals then grow. */
export const CHECK_AFTER_SECONDS = 60;

/** A refund that is not decided, with its payment and gateway account. */
interface OpenRefund {
  readonly refund: Refund;
  readonly transaction: Transaction;
  readonly account: GatewayAccount;
}

/** Null when the refund is processed or failed. */
function findOpenRefund(services: Services, ctx: Ctx, refundId: string): Promise<OpenRefund | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const refund = await findRefund(tx, refundId);
    if (!refund || refund.status === "processed" || refund.status === "failed") return null;
    const transaction = await findTransaction(tx, refund.transactionId);
    const account = transaction && (await findGatewayAccount(tx, transaction.gatewayAccountId));
    return account && { refund, transaction, account };
  });
}

/**
 * Asks the gateway for a refund, outside of any transaction. With `again`, it may have been asked before: then it is first asked
 * about the refund, and the refund is requested only when the gateway does not know it, under the same id, so that it cannot be
 * made twice. Null when the refund is processed or failed.
 */
export async function askForRefund(
  services: Services,
  ctx: Ctx,
  refundId: string,
  again: boolean,
): Promise<RefundFact | Unclear | null> {
  const open = await findOpenRefund(services, ctx, refundId);
  const { refunds } = open ? gatewayOf(open.account).adapter : { refunds: undefined };
  if (!open || !refunds) return null;
  const { refund, transaction, account } = open;
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const request: RefundRequest = {
    payment: identityOf(transaction),
    refundId: refund.id,
    amount: refund.amount,
    reason: refund.reason,
    notifyUrl: notifyUrlOf(ctx, account),
  };
  return askGateway(services, { refund: refund.id, gateway: account.id }, async () => {
    const known = again ? await refunds.query({ ...request, providerRefundRef: refund.providerRef }, call) : null;
    return { ...(known ?? (await refunds.refund(request, call))), refundId: refund.id };
  });
}

/** Asks the gateway about an undecided refund and applies the answer. Returns when to ask again, or null when it is decided. */
export async function checkRefund(services: Services, ctx: Ctx, refundId: string): Promise<Instant | null> {
  const open = await findOpenRefund(services, ctx, refundId);
  if (!open) return null;
  const { refund, account } = open;
  const age = secondsBetween(refund.createdAt, ctx.now);
  const later = addSeconds(ctx.now, Math.min(DAY_SECONDS, CHECK_AFTER_SECONDS + age));
  const fact = await askForRefund(services, ctx, refundId, true);
  if (fact === null || fact === "unclear") return later;
  const reportedBy = { accountId: account.id, source: "query" } as const;
  const outcome = await services.db.transaction(ctx.organisation.id, (tx) =>
    applyRefundFact(tx, ctx, reportedBy, fact),
  );
  return fact.kind === "pending" || outcome === "mismatch" ? later : null;
}
