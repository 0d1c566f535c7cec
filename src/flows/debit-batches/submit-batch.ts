import { appendEvent } from "../../events/outbox.ts";
import type { DebitBatchState, DebitLine } from "../../gateways/contract.ts";
import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { GatewayNotReached } from "../../gateways/http.ts";
import { assert } from "../../kernel/assert.ts";
import { addSeconds, calendarDay, type Instant } from "../../kernel/time.ts";
import {
  DEBIT_BATCH_COMPLETE,
  DEBIT_BATCH_RESULTS,
  DEBIT_BATCH_SUBMITTED,
} from "../../modules/debit-batches/declarations.ts";
import { resultsAt } from "../../modules/debit-batches/rules.ts";
import { debitsOfBatch, lockDebitBatch, updateDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { readMandates } from "../../modules/mandates/store.ts";
import { isStopped } from "../../modules/organisations/states.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { alertBatch } from "../mail/staff-alerts.ts";
import { bankAccountOf } from "../mandates/bank-account.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import type { Services } from "../services.ts";
import { readBatch } from "./change-batch.ts";
import { cancelWithdrawn, closeBatch, inTime, neverSent } from "./close-batch.ts";

/** How many lines are read, and results applied, at once. */
const LINES_TOGETHER = 500;
/** Seconds after which the gateway is asked about an unclear submission. */
const ASK_AGAIN_SECONDS = 300;
/** Like `ASK_AGAIN_SECONDS`, while the gateway processes the batch. */
const ASK_PROCESSING_SECONDS = 60;
/**
 * Like `ASK_AGAIN_SECONDS`, once the action date has passed and staff were alerted, and while the organisation is
 * stopped.
 */
const ASK_LATE_SECONDS = 3600;

/**
 * Sends a batch to its gateway. When the gateway was asked to accept it before, it is first queried, and the batch is
 * sent again only when the gateway does not know it. Lines that the gateway rejects fail; when it refuses the batch,
 * all lines are cancelled, since no bank was asked. Returns when to ask again while the answer is unclear, and while
 * the organisation is stopped: its batch waits until the action date has passed.
 */
export async function submitBatch(services: Services, ctx: Ctx, batchId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const begun = await services.db.transaction(organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, batchId);
    if (!batch || batch.status === "submitted" || batch.status === "refused") return null;
    const account = await findGatewayAccount(tx, batch.gatewayAccountId);
    const { status, askedAt } = batch;
    if (status === "open" && isStopped(organisation) && calendarDay(now) <= batch.actionDate) return "waits";
    return account && { batch: status === "open" ? await closeBatch(tx, ctx, batch) : batch, account, askedAt };
  });
  if (begun === "waits") return addSeconds(now, ASK_LATE_SECONDS);
  if (!begun) return null;
  const { batch, account, askedAt } = begun;
  await cancelWithdrawn(services, ctx, batch);
  if (batch.status === "cancelled") return null;
  const { debitOrders } = gatewayOf(account).adapter;
  assert(debitOrders, "the gateway of a batch collects debit orders");
  const call = gatewayCallOf(services, organisation, account, now);
  const request = {
    reference: batch.id,
    notifyUrl: notifyUrlOf(ctx, account),
    // Each call reads from the first line: a gateway may ask for the lines again.
    lines: { [Symbol.asyncIterator]: () => linesOf(services, ctx, batch)[Symbol.asyncIterator]() },
  };
  const state = await askGateway<DebitBatchState>(services, { batch: batch.id, gateway: account.id }, async () => {
    const known = askedAt === null ? null : await debitOrders.query({ ...request, batchRef: batch.batchRef }, call);
    if (known) return known;
    const actionDate = await markAsked(services, ctx, batch.id, now);
    try {
      return await debitOrders.submit({ ...request, actionDate }, call);
    } catch (error) {
      if (error instanceof GatewayNotReached) await markAsked(services, ctx, batch.id, null);
      throw error;
    }
  });
  if (state === "unclear") return stillUnclear(services, ctx, batch);
  if (state.kind === "processing") return stillProcessing(services, ctx, batch, state.batchRef);
  await settleBatch(services, ctx, { batch, account }, state);
  return null;
}

/**
 * Stores that the gateway is asked to accept a batch, or, with null, that it could not be reached. Returns the action
 * date, which a late batch gets before it is sent.
 */
const markAsked = (
  services: Services,
  ctx: Ctx,
  id: string,
  askedAt: Instant | null,
): Promise<DebitBatch["actionDate"]> =>
  services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = await lockDebitBatch(tx, id);
    assert(locked, "a batch that was closed stays");
    const batch = { ...(askedAt === null ? locked : await inTime(tx, ctx, locked)), askedAt };
    updateDebitBatch(tx, batch);
    return batch.actionDate;
  });

/** When to ask again. After the first action date staff are alerted (decisions.md#undecided-debits-stay-pending). */
async function stillUnclear(services: Services, ctx: Ctx, { id, actionDate, movedFrom }: DebitBatch): Promise<Instant> {
  const { organisation, now } = ctx;
  if (calendarDay(now) <= (movedFrom ?? actionDate)) return addSeconds(now, ASK_AGAIN_SECONDS);
  await services.db.transaction(organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, id);
    if (batch?.status !== "submitting" || batch.problem !== null) return;
    updateDebitBatch(tx, { ...batch, problem: "The gateway has not said clearly whether it has this batch." });
    await alertBatch(tx, ctx, batch, "unclear");
  });
  return addSeconds(now, ASK_LATE_SECONDS);
}

/** Stores the gateway's reference of the batch, and returns when to ask for its outcome. */
async function stillProcessing(services: Services, ctx: Ctx, batch: DebitBatch, batchRef: string): Promise<Instant> {
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = await lockDebitBatch(tx, batch.id);
    if (locked?.status === "submitting" && locked.batchRef !== batchRef) updateDebitBatch(tx, { ...locked, batchRef });
  });
  const again = await stillUnclear(services, ctx, batch);
  const soon = addSeconds(ctx.now, ASK_PROCESSING_SECONDS);
  return again < soon || calendarDay(ctx.now) > (batch.movedFrom ?? batch.actionDate) ? again : soon;
}

async function settleBatch(
  services: Services,
  ctx: Ctx,
  { batch, account }: { readonly batch: DebitBatch; readonly account: GatewayAccount },
  state: DebitBatchState,
): Promise<void> {
  const reportedBy = { accountId: account.id, source: "query" } as const;
  if (state.kind === "refused") {
    for await (const lines of partsOf(services, ctx, batch))
      await applyFacts(
        services,
        ctx,
        reportedBy,
        lines.map(({ reference }) => neverSent(reference)),
      );
  } else
    await applyFacts(
      services,
      ctx,
      reportedBy,
      state.rejected.map((one) => rejected(one.reference, one.reason)),
    );
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = await lockDebitBatch(tx, batch.id);
    if (locked?.status !== "submitting") return;
    if (state.kind === "refused") {
      updateDebitBatch(tx, { ...locked, status: "refused", problem: state.reason });
      await alertBatch(tx, ctx, batch, "refused");
    } else {
      const problem = state.kind === "held" ? state.reason : null;
      if (problem !== null) await alertBatch(tx, ctx, batch, "held");
      updateDebitBatch(tx, { ...locked, status: "submitted", batchRef: state.batchRef, problem, submittedAt: ctx.now });
      enqueue(tx, DEBIT_BATCH_RESULTS, batch.id, resultsAt(locked.actionDate));
      appendEvent(tx, ctx.now, DEBIT_BATCH_SUBMITTED, batch.id, await readBatch(tx, ctx, batch.id));
      // The gateway may have rejected each of them.
      if (state.rejected.length > 0) enqueue(tx, DEBIT_BATCH_COMPLETE, batch.id, ctx.now);
    }
  });
}

const rejected = (reference: string, reason: string): PaymentFact => ({
  ...internalFact(reference, "rejected"),
  kind: "declined",
  amount: null,
  currency: null,
  reason,
  hard: false,
});

/** The lines of a batch as the gateway receives them, read some hundreds at a time. */
async function* linesOf(services: Services, ctx: Ctx, batch: DebitBatch): AsyncIterable<DebitLine> {
  for await (const rows of partsOf(services, ctx, batch)) {
    const ids = rows.map(({ mandate_id }) => mandate_id);
    const mandates = await services.db.read(ctx.organisation.id, (tx) => readMandates(tx, ids));
    for (const { mandate_id, reference, amount_cents } of rows) {
      const mandate = mandates.get(mandate_id);
      assert(mandate, "the mandate of a debit stays");
      const { accountReference, description } = mandate;
      yield { reference, accountReference, amount: amount_cents, description, bank: bankAccountOf(ctx, mandate) };
    }
  }
}

async function* partsOf(services: Services, ctx: Ctx, { id }: DebitBatch) {
  let after = "";
  for (;;) {
    const rows = await services.db.read(ctx.organisation.id, (tx) => debitsOfBatch(tx, id, after, LINES_TOGETHER));
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.transaction_id;
  }
}
