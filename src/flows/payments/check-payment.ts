import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { type Instant, secondsBetween } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { unfitPaidReport } from "../../modules/gateway-notifications/store.ts";
import { ABANDONED_AFTER_SECONDS, isLostRetry, nextCheck, waitsForStatement } from "../../modules/payments/rules.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { answerAbout, identityOf } from "../gateways/payment-identity.ts";
import { alertWaits } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { settlePayment } from "./settle-payment.ts";

/**
 * Asks the gateway about a pending charge of a saved card. Returns when to ask again, or null when the charge has
 * ended.
 */
export const CHARGE_CHECK = new ExtensionPoint<
  (services: Services, ctx: Ctx, transaction: Transaction) => Promise<Instant | null>
>();

/**
 * The result of a query about a payment. `decided`: the gateway's answer ends the payment. `open`: the gateway calls it
 * pending or does not know it. `waits`: staff have to act at the gateway, or the statement has to confirm it.
 * `unclear`: the gateway gave no clear answer. `mismatch`: the answer does not fit the payment.
 */
type Answered = "decided" | "open" | "waits" | "unclear" | "mismatch";

/**
 * Asks the gateway about a payment as `askAboutPayment` does. Returns when to ask again, or null when the payment has
 * ended. A pending payment that the gateway does not know, calls pending, or reports with another amount, is cancelled
 * after three days, unless it is a renewal that was paid (decisions.md#renewals-at-another-amount-wait-for-staff). A
 * payment that was cancelled without an answer of the gateway is asked about for the same three days; a later success
 * still completes it (decisions.md#cancelled-payments-are-still-queried, decisions.md#late-success-wins). A payment
 * that waits for its line on a statement is asked about once a day, until it is flagged. `CHARGE_CHECK` asks about a
 * charge of a saved card. Locks as `settlePayment`, after the call.
 */
export async function checkPayment(services: Services, ctx: Ctx, transactionId: string): Promise<Instant | null> {
  const transaction = await services.db.read(ctx.organisation.id, (tx) => findTransaction(tx, transactionId));
  if (!transaction) return null;
  const { status, type, createdAt } = transaction;
  if (type === "card_debit") return status === "pending" ? CHARGE_CHECK.only(ctx)(services, ctx, transaction) : null;
  const answered = await askAboutPayment(services, ctx, transaction);
  if (answered === "decided") return null;
  const old = secondsBetween(createdAt, ctx.now) >= ABANDONED_AFTER_SECONDS;
  if (old && status !== "pending") return null;
  if (!old || answered === "unclear" || answered === "waits") return nextCheck(createdAt, ctx.now);
  // Money came in, so staff decide.
  if (transaction.renewal && (await hasUnfitPaidReport(services, ctx, transaction))) return null;
  await services.db.transaction(ctx.organisation.id, (tx) =>
    settlePayment(tx, ctx, { accountId: transaction.gatewayAccountId, source: "sweep" }, abandonedFact(transaction)),
  );
  return null;
}

const hasUnfitPaidReport = ({ db }: Services, { organisation }: Ctx, { reference }: Transaction): Promise<boolean> =>
  db.read(organisation.id, async (tx) => (await unfitPaidReport(tx, reference)) !== null);

/**
 * Asks the gateway about a payment that has not been paid, and settles it by the answer (docs/architecture.md, The path
 * of a payment). A retry of a gateway subscription whose answer was lost is queried like any charge of a stored card,
 * and not sent again. `decided` also when there is nothing to ask: it was paid, or only staff know, as for a manual
 * transfer. Locks as `settlePayment`, after the call.
 */
export async function askAboutPayment(services: Services, ctx: Ctx, transaction: Transaction): Promise<Answered> {
  const { organisation, now } = ctx;
  if (transaction.paidAt !== null) return "decided";
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, transaction.gatewayAccountId));
  const { checkout, storedCards } = account ? gatewayOf(account).adapter : {};
  const ability = isLostRetry(transaction) ? storedCards : checkout;
  if (!account || !ability) return "decided";
  const call = gatewayCallOf(services, organisation, account, now);
  const payment = identityOf(transaction);
  const fact = await askGateway(services, { payment: payment.reference, gateway: account.id }, async () => {
    const answer = await ability.query(payment, call);
    return answer === null || answer === "repeatable" ? null : answerAbout(payment, answer);
  });
  if (fact === "unclear") return fact;
  const isWaiting = waitsForStatement(transaction);
  if (fact === null) return isWaiting ? "waits" : "open";
  if (fact.kind === "pending") {
    if (isWaiting) return "waits";
    const { forStaff } = fact;
    if (forStaff === undefined) return "open";
    await services.db.transaction(organisation.id, (tx) => alertWaits(tx, ctx, payment.reference, forStaff));
    return "waits";
  }
  const outcome = await services.db.transaction(organisation.id, (tx) =>
    settlePayment(tx, ctx, { accountId: account.id, source: "query" }, fact),
  );
  return outcome === "mismatch" ? outcome : "decided";
}

/**
 * The fact that a payment was abandoned. The cancel page reports it, and the service does for a payment that its
 * gateway does not know.
 */
export const abandonedFact = ({ reference }: Pick<Transaction, "reference">): PaymentFact => ({
  ...internalFact(reference, "no word"),
  kind: "abandoned",
  amount: null,
  currency: null,
});
