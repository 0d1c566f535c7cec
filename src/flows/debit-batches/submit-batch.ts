import type { DebitBatchState, DebitLine } from "../../gateways/contract.ts";
import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import { addBusinessDays } from "../../kernel/business-days.ts";
import { addSeconds, DAY_SECONDS, type Instant, startOfDay } from "../../kernel/time.ts";
import { DEBIT_BATCH_RESULTS } from "../../modules/debit-batches/declarations.ts";
import { debitsOfBatch, findDebitBatch, lockDebitBatch, updateDebitBatch } from "../../modules/debit-batches/store.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { readMandates } from "../../modules/mandates/store.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { alertBatch } from "../mail/staff-alerts.ts";
import { bankAccountOf } from "../mandates/bank-account.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import type { Services } from "../services.ts";
import { cancelWithdrawn, closeBatch, neverSent } from "./close-batch.ts";

/** How many lines are read together, and results applied. */
const LINES_TOGETHER = 500;
/** Seconds after which an unclear submission is asked about. */
const ASK_AGAIN_SECONDS = 300;
/** Business days after the action date on which debits settle (interface 16.22). */
const SETTLEMENT_DAYS = 2;

/**
 * Sends a batch to its gateway. One that was asked for before is first asked about, and sent again only when the gateway does not know it.
 * Lines that the gateway rejects fail; when it refuses the batch, all of them are cancelled, since no bank was asked. Returns when to ask again
 * while the answer is unclear.
 */
export async function submitBatch(services: Services, ctx: Ctx, batchId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const begun = await services.db.transaction(organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, batchId);
    if (!batch || batch.status === "submitted" || batch.status === "refused") return null;
    const account = await findGatewayAccount(tx, batch.gatewayAccountId);
    const fresh = batch.status === "open";
    return account && { batch: fresh ? await closeBatch(tx, batch) : batch, account, fresh };
  });
  if (!begun) return null;
  const { batch, account, fresh } = begun;
  await cancelWithdrawn(services, ctx, batch);
  if (batch.status === "cancelled") return null;
  const { debitOrders } = gatewayOf(account).adapter;
  assert(debitOrders, "the gateway of a batch collects debit orders");
  const call = gatewayCallOf(services, organisation, account, now);
  const request = {
    reference: batch.id,
    actionDate: batch.actionDate,
    notifyUrl: notifyUrlOf(ctx, account),
    lines: linesOf(services, ctx, batch),
  };
  const state = await askGateway<DebitBatchState>(services, { batch: batch.id, gateway: account.id }, async () => {
    const known = fresh ? null : await debitOrders.query({ reference: batch.id, batchRef: batch.batchRef }, call);
    return known ?? (await debitOrders.submit(request, call));
  });
  if (state === "unclear") return addSeconds(now, ASK_AGAIN_SECONDS);
  await settleBatch(services, ctx, { batch, account }, state);
  return null;
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
      await alertBatch(tx, ctx, batch);
    } else {
      const problem = state.kind === "held" ? state.reason : null;
      if (problem !== null) await alertBatch(tx, ctx, batch);
      updateDebitBatch(tx, { ...locked, status: "submitted", batchRef: state.batchRef, problem, submittedAt: ctx.now });
      const settled = startOfDay(addBusinessDays(locked.actionDate, SETTLEMENT_DAYS));
      enqueue(tx, DEBIT_BATCH_RESULTS, batch.id, addSeconds(settled, DAY_SECONDS / 2));
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

/** Asks the gateway how the debits of a batch ended, and applies the answers. Returns the next day while some are not decided. */
export async function readResults(services: Services, ctx: Ctx, batchId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const found = await services.db.read(organisation.id, async (tx) => {
    const batch = await findDebitBatch(tx, batchId);
    const account = batch && (await findGatewayAccount(tx, batch.gatewayAccountId));
    return account && { batch, account };
  });
  const results = found && gatewayOf(found.account).adapter.debitOrders?.results;
  if (!results) return null;
  const { batch, account } = found;
  const call = gatewayCallOf(services, organisation, account, now);
  const later = addSeconds(now, DAY_SECONDS);
  let after: string | null = null;
  let open = false;
  do {
    const asked: Parameters<typeof results>[0] = { reference: batch.id, batchRef: batch.batchRef, after };
    const answer: Awaited<ReturnType<typeof results>> | "unclear" = await askGateway(
      services,
      { batch: batch.id },
      () => results(asked, call),
    );
    if (answer === "unclear" || answer === null) return later;
    const ended = answer.facts.filter(({ kind }) => kind !== "pending");
    open ||= ended.length < answer.facts.length;
    await applyFacts(services, ctx, { accountId: account.id, source: "query" }, ended);
    after = answer.next;
  } while (after !== null);
  return open ? later : null;
}

/** The lines of a batch as the gateway gets them, read some hundreds at a time. */
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
