import { ApiError, notFound } from "../../kernel/errors.ts";
import { addSeconds, type Instant } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { DEBIT_BATCH_SUBMIT } from "../../modules/debit-batches/declarations.ts";
import { findDebitBatch, lockDebitBatch, updateDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import type { debitBatchView } from "../../modules/debit-batches/view.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { readBatch } from "./change-batch.ts";

/** Seconds after which a gateway would list a batch that it has received. */
const LISTED_AFTER_SECONDS = 3600;

/**
 * Resends a batch whose upload had no answer, and which its gateway does not list: staff have searched for it in the
 * gateway's own pages, and are responsible for it. Asks the gateway first, so never inside a transaction. Locks the
 * batch. Throws 404; 409 `invalid_state` for a batch that the gateway has, may still have received, or can be queried
 * about with certainty; 502 `gateway_error` when it gives no clear answer.
 */
export async function sendBatchAgain(
  services: Services,
  ctx: Ctx,
  id: string,
): Promise<ReturnType<typeof debitBatchView>> {
  const { organisation, now } = ctx;
  const { batch, account } = await services.db.read(organisation.id, async (tx) => {
    const batch = await findDebitBatch(tx, id);
    const account = batch && (await findGatewayAccount(tx, batch.gatewayAccountId));
    if (!account) throw notFound("debit batch");
    return { batch, account };
  });
  requireUnanswered(batch, now);
  const { name, debitOrders } = gatewayOf(account).adapter;
  const { lists } = debitOrders ?? {};
  if (!lists) throw refused(`${name} says itself whether it has a batch, and is asked until it does.`);
  const call = gatewayCallOf(services, organisation, account, now);
  const answer = await askGateway(services, { batch: batch.id, gateway: account.id }, async () => ({
    listed: await lists(batch.id, call),
  }));
  if (answer === "unclear")
    throw new ApiError("gateway_error", 502, `${name} does not say which batches it has. Try again shortly.`);
  if (answer.listed) throw refused(`${name} has this batch. It is followed up by itself.`);
  return services.db.transaction(organisation.id, async (tx) => {
    const locked = await lockDebitBatch(tx, id);
    if (!locked) throw notFound("debit batch");
    requireUnanswered(locked, now);
    const before = await readBatch(tx, ctx, id);
    updateDebitBatch(tx, { ...locked, askedAt: null, problem: null });
    enqueue(tx, DEBIT_BATCH_SUBMIT, locked.id, now);
    const after = await readBatch(tx, ctx, id);
    recordAudit(tx, { ...ctx, action: "POST /debit-batches/{id}/send-again", subject: id, before, after });
    return after;
  });
}

/** Throws 409 unless the gateway was asked to accept the batch long enough ago, and has not answered. */
function requireUnanswered({ status, askedAt, batchRef }: DebitBatch, now: Instant): void {
  if (status !== "submitting" || askedAt === null || batchRef !== null)
    throw refused("Only a batch whose upload had no answer can be sent again.");
  if (now < addSeconds(askedAt, LISTED_AFTER_SECONDS))
    throw refused("The gateway may not list the batch yet. Wait for an hour after it was sent.");
}

const refused = (message: string): ApiError => new ApiError("invalid_state", 409, message);
