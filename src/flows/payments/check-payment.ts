import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { type Instant, secondsBetween } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { ABANDONED_AFTER_SECONDS, nextCheck } from "../../modules/payments/rules.ts";
import { findTransaction } from "../../modules/payments/store.ts";
import type { NotificationSource, Transaction } from "../../modules/payments/types.ts";
import { checkCharge } from "../card-charges/charge-stored-card.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { identityOf } from "./payment-identity.ts";
import { settlePayment } from "./settle-payment.ts";

/**
 * Asks the gateway about a pending payment and settles it by the answer (docs/architecture.md, The path of a payment). Returns when
 * to ask again, or null when the payment has ended. A payment that the gateway does not know, or calls pending, is cancelled after
 * three days; a later success still completes it. A charge of a saved card is asked about as `checkCharge` says. Locks as `settlePayment`,
 * after the call.
 */
export async function checkPayment(services: Services, ctx: Ctx, transactionId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const found = await services.db.read(organisation.id, async (tx) => {
    const transaction = await findTransaction(tx, transactionId);
    if (transaction?.status !== "pending") return null;
    const account = await findGatewayAccount(tx, transaction.gatewayAccountId);
    return account && { transaction, gateway: gatewayOf(account) };
  });
  if (found?.transaction.type === "card_debit") return checkCharge(services, ctx, found.transaction);
  // The status of a manual transfer is known to staff only.
  const checkout = found?.gateway.adapter.checkout;
  if (!checkout) return null;
  const { transaction, gateway } = found;
  const call = gatewayCallOf(services, organisation, gateway.account, now);
  const given = await askGateway(services, { payment: transaction.reference, gateway: gateway.account.id }, () =>
    checkout.query(identityOf(transaction), call),
  );
  if (given === "unclear") return nextCheck(transaction.createdAt, now);
  const old = secondsBetween(transaction.createdAt, now) >= ABANDONED_AFTER_SECONDS;
  const [fact, source]: [PaymentFact | null, NotificationSource] =
    old && (given === null || given.kind === "pending") ? [abandonedFact(transaction), "sweep"] : [given, "query"];
  if (fact === null || fact.kind === "pending") return nextCheck(transaction.createdAt, now);
  const outcome = await services.db.transaction(organisation.id, (tx) =>
    settlePayment(tx, ctx, { accountId: gateway.account.id, source }, fact),
  );
  return outcome === "mismatch" ? nextCheck(transaction.createdAt, now) : null;
}

/** The fact that a payment was abandoned: reported by the cancel page, and by the service for a payment that its gateway does not know. */
export const abandonedFact = ({ reference }: Pick<Transaction, "reference">): PaymentFact => ({
  ...internalFact(reference, "no word"),
  kind: "abandoned",
  amount: null,
  currency: null,
});
