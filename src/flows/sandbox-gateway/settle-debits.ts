import { paymentView, settle } from "../../gateways/sandbox/server.ts";
import { LINES_TOGETHER } from "../../gateways/sandbox/wire.ts";
import type { Instant } from "../../kernel/time.ts";
import { SANDBOX_SETTLE } from "../../modules/sandbox-gateway/declarations.ts";
import { lockDebitBatchById, noteReported } from "../../modules/sandbox-gateway/store/debit-batches.ts";
import { listDebits, settleSandboxPayments } from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxDebitBatch, SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { reportDispute } from "./disputes.ts";
import { merchantOfGatewayAccount } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { reportTogether } from "./report.ts";

/** Debits of a batch that settle together. */
interface Settled {
  readonly batch: SandboxDebitBatch;
  /** The debits whose outcome was not chosen earlier by `POST /sandbox/notify`, and which are not settled later by themselves. */
  readonly debits: readonly SandboxPaymentRecord[];
  /** The position of the last line among them, whether or not its outcome was chosen. */
  readonly line: number;
}

/**
 * Settles the next debits of a due batch, then reports all of them in one notification. Returns when to continue, null
 * after the last. A repeat after a failure finds them settled and only reports them. Throws when the notification was
 * not acknowledged. Locks the batch.
 */
export async function settleDebits(services: Services, ctx: Ctx, batchId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const settled = await services.db.transaction(organisation.id, (tx) => settleNext(tx, now, batchId));
  if (!settled) return null;
  const { batch, debits, line } = settled;
  const merchant = await merchantOfGatewayAccount(services, ctx, batch.accountId);
  if (!merchant) return null;
  const payments = debits.map((debit) => paymentView(paymentOf(debit)));
  if (payments.length > 0) await reportTogether(services, merchant, batch.notifyUrl, payments);
  for (const debit of debits.map(paymentOf))
    if (debit.isDisputed && debit.status === "complete") await reportDispute(services, merchant, debit);
  await services.db.transaction(organisation.id, async (tx) => noteReported(tx, batch.id, line));
  return line < batch.lines ? now : null;
}

async function settleNext(tx: Tx, now: Instant, batchId: string): Promise<Settled | null> {
  const batch = await lockDebitBatchById(tx, batchId);
  if (!batch) return null;
  const next = () => listDebits(tx, batch.id, batch.reported, LINES_TOGETHER);
  const waiting = (await next()).map(({ debit }) => debit).filter(({ status }) => status === "pending");
  for (const { id, settlesAt } of waiting) if (settlesAt && settlesAt > now) enqueue(tx, SANDBOX_SETTLE, id, settlesAt);
  const pending = waiting.filter(({ settlesAt }) => settlesAt !== null && settlesAt <= now);
  const ended = pending.map((record) => {
    const debit = paymentOf(record);
    return recordOf(record.accountId, settle(debit, debit.ending ?? "complete", now));
  });
  settleSandboxPayments(tx, ended);
  // Read again: the outcome of one may have been chosen in between.
  const lines = await next();
  const last = lines.at(-1);
  if (!last) return null;
  const debits = lines.map(({ debit }) => debit).filter(({ settlesAt }) => settlesAt !== null && settlesAt <= now);
  return { batch, debits, line: last.line };
}
