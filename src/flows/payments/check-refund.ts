import type { RefundRequest } from "../../gateways/contract.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { findTransaction } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findRefund } from "../../modules/refunds/store.ts";
import type { Ctx } from "../context.ts";
import { callOf, gatewayOf, notifyUrlOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { identityOf } from "./check-payment.ts";

/** A refund that was put to a gateway is asked about this long after, then ever less often. */
export const CHECK_AFTER_SECONDS = 60;

/** A refund with what it gives back and through whom. */
export interface RecordedRefund {
  readonly refund: Refund;
  readonly transaction: Transaction;
  readonly account: GatewayAccount;
}

/** A refund as its gateway is asked for it, again and again under the same id. */
export const requestOf = (services: Services, { refund, transaction, account }: RecordedRefund): RefundRequest => ({
  payment: identityOf(transaction),
  refundId: refund.id,
  amount: refund.amount,
  reason: refund.reason,
  notifyUrl: notifyUrlOf(services, account),
});

/**
 * Asks about a refund that is not clear yet; one that the gateway does not know is put to it again, under the same id, so that it
 * cannot be made twice. Answers when to ask again, or null when it is clear.
 */
export async function checkRefund(services: Services, ctx: Ctx, refundId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const recorded = await services.db.read(organisation.id, async (tx): Promise<RecordedRefund | null> => {
    const refund = await findRefund(tx, refundId);
    if (!refund || refund.status === "processed" || refund.status === "failed") return null;
    const transaction = await findTransaction(tx, refund.transactionId);
    const account = transaction && (await findGatewayAccount(tx, transaction.gatewayAccountId));
    return account && { refund, transaction, account };
  });
  if (!recorded) return null;
  const { refund, account } = recorded;
  const { refunds } = gatewayOf(account).adapter;
  const again = addSeconds(
    now,
    Math.min(DAY_SECONDS, CHECK_AFTER_SECONDS + (now.getTime() - refund.createdAt.getTime()) / 1000),
  );
  try {
    const call = callOf(services, organisation, account, now);
    const known = await refunds?.query(
      { ...requestOf(services, recorded), providerRefundRef: refund.providerRef },
      call,
    );
    const fact = known ?? (await refunds?.refund(requestOf(services, recorded), call));
    if (!fact) return again;
    const reportedBy = { accountId: account.id, source: "query" } as const;
    const outcome = await services.db.transaction(organisation.id, (tx) =>
      applyRefundFact(tx, ctx, reportedBy, { ...fact, refundId: refund.id }),
    );
    return fact.kind === "pending" || outcome === "mismatch" ? again : null;
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    return again;
  }
}
