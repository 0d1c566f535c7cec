import { internalFact } from "../../gateways/facts.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { addSeconds } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { transactionView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { recordOf } from "../payments/transaction-record.ts";
import type { Services } from "../services.ts";

/** Seconds after which a gateway would list a charge that it has received. */
const LISTED_AFTER_SECONDS = 3600;

/**
 * Fails the charge of a saved card whose upload had no answer, and which its gateway does not list: staff have searched
 * for it in the gateway's own pages, and are responsible for it. The card can then be charged again; if the gateway
 * reports the charge as paid later, it completes. Asks the gateway first, so never inside a transaction. Locks as
 * `settlePayment`. Throws 404; 409 `invalid_state` for a charge that the gateway has, may still have received, or can
 * be queried about with certainty; 502 `gateway_error` when it gives no clear answer.
 */
export async function giveUpCharge(
  services: Services,
  ctx: Ctx,
  reference: string,
): Promise<ReturnType<typeof transactionView>> {
  const { organisation, now } = ctx;
  const { transaction, account } = await services.db.read(organisation.id, async (tx) => {
    const transaction = await findByReference(tx, reference);
    if (!transaction) throw notFound("transaction");
    return { transaction, account: await findGatewayAccount(tx, transaction.gatewayAccountId) };
  });
  requireUnanswered(transaction, ctx);
  const { name, storedCards } = account ? gatewayOf(account).adapter : { name: "The gateway" };
  const { lists } = storedCards ?? {};
  if (!account || !lists) throw refused(`${name} says itself whether it has a charge, and is asked until it does.`);
  const call = gatewayCallOf(services, organisation, account, now);
  const answer = await askGateway(services, { payment: reference, gateway: account.id }, async () => ({
    listed: await lists(reference, call),
  }));
  if (answer === "unclear")
    throw new ApiError("gateway_error", 502, `${name} does not say which charges it has. Try again shortly.`);
  if (answer.listed) throw refused(`${name} has this charge. It is followed up by itself.`);
  return services.db.transaction(organisation.id, (tx) => failCharge(tx, ctx, transaction));
}

async function failCharge(tx: Tx, ctx: Ctx, { reference, gatewayAccountId }: Transaction) {
  const shown = async () => {
    const transaction = await findByReference(tx, reference);
    if (!transaction) throw notFound("transaction");
    return { transaction, view: transactionView(await recordOf(tx, ctx, transaction)) };
  };
  const before = await shown();
  requireUnanswered(before.transaction, ctx);
  const outcome = await settlePayment(
    tx,
    ctx,
    { accountId: gatewayAccountId, source: "staff" },
    {
      ...internalFact(reference, "never arrived"),
      kind: "declined",
      amount: null,
      currency: null,
      reason: "The gateway has never received the charge.",
      hard: false,
    },
  );
  if (outcome !== "applied") throw refused("The charge has ended meanwhile.");
  const after = await shown();
  const action = "POST /transactions/{reference}/give-up";
  recordAudit(tx, { ...ctx, action, subject: reference, before: before.view, after: after.view });
  return after.view;
}

/** Throws 409 unless the gateway was asked to charge long enough ago, and has not answered. */
function requireUnanswered({ type, status, providerRef, createdAt }: Transaction, { now }: Ctx): void {
  if (type !== "card_debit" || status !== "pending" || providerRef !== null)
    throw refused("Only the charge of a saved card that had no answer can be given up.");
  if (now < addSeconds(createdAt, LISTED_AFTER_SECONDS))
    throw refused("The gateway may not list the charge yet. Wait for an hour after it was sent.");
}

const refused = (message: string): ApiError => new ApiError("invalid_state", 409, message);
