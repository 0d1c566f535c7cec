import { type PaymentFact, type RefundFact, withoutSecrets } from "../../gateways/facts.ts";
import { keepNews } from "../../modules/gateway-notifications/store.ts";
import type { Misfit } from "../../modules/payments/rules.ts";
import { flagTransaction } from "../../modules/payments/store.ts";
import type { NewsSource, Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertMisfit } from "../mail/staff-alerts.ts";

/** News that is not about the money it names: kept, flagged on the payment, told to staff, and not applied (design 5.7). */
export async function keepMisfit(
  tx: Tx,
  ctx: Ctx,
  transaction: Transaction,
  { accountId, fact, source, misfit }: Told,
): Promise<"mismatch"> {
  flagTransaction(tx, transaction.id, "notification_mismatch");
  await alertMisfit(tx, ctx, transaction, misfit);
  keepNews(tx, {
    accountId,
    reference: transaction.reference,
    source,
    fact: withoutSecrets(fact),
    outcome: "mismatch",
    problem: `${misfit.what}: ${misfit.received} instead of ${misfit.expected}`,
    receivedAt: ctx.now,
  });
  return "mismatch";
}

interface Told {
  /** Who told it. */
  readonly accountId: string;
  readonly fact: PaymentFact | RefundFact;
  readonly source: NewsSource;
  readonly misfit: Misfit;
}

/** Whether another account tells of the payment than the one it was made through. */
export const accountMisfit = ({ gatewayAccountId }: Transaction, accountId: string): Misfit | null =>
  gatewayAccountId === accountId ? null : { what: "account", expected: gatewayAccountId, received: accountId };
