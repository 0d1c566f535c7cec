import type { DebitOrderAbility, GatewayCall } from "../../gateways/contract.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { isGivenUp } from "../../modules/debit-batches/rules.ts";
import {
  countPendingDebits,
  findDebitBatch,
  lockDebitBatch,
  updateDebitBatch,
} from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { alertBatch } from "../mail/staff-alerts.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import type { Services } from "../services.ts";

/**
 * Asks the gateway for the outcomes of a batch's debits, and applies them. Returns the next day while some are
 * undecided. After two weeks the gateway is no longer asked, and staff are alerted
 * (decisions.md#undecided-debits-stay-pending).
 */
export async function readResults(services: Services, ctx: Ctx, batchId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const found = await services.db.read(organisation.id, async (tx) => {
    const batch = await findDebitBatch(tx, batchId);
    const account = batch && (await findGatewayAccount(tx, batch.gatewayAccountId));
    return account && { batch, account };
  });
  if (!found) return null;
  const { batch, account } = found;
  const results = gatewayOf(account).adapter.debitOrders?.results;
  const call = gatewayCallOf(services, organisation, account, now);
  if (results) await applyResults(services, ctx, batch, { results, call });
  const pending = await services.db.read(organisation.id, (tx) => countPendingDebits(tx, batch.id));
  if (pending === 0) return null;
  if (!isGivenUp(batch.actionDate, now)) return addSeconds(now, DAY_SECONDS);
  await giveUp(services, ctx, batch, pending);
  return null;
}

interface AskedResults {
  readonly results: NonNullable<DebitOrderAbility["results"]>;
  readonly call: GatewayCall;
}

/** Reads the answers some hundreds at a time, until the last or an unclear one. */
async function applyResults(services: Services, ctx: Ctx, batch: DebitBatch, { results, call }: AskedResults) {
  const reportedBy = { accountId: batch.gatewayAccountId, source: "query" } as const;
  let after: string | null = null;
  do {
    const asked: Parameters<typeof results>[0] = { reference: batch.id, batchRef: batch.batchRef, after };
    const answer: Awaited<ReturnType<typeof results>> | "unclear" = await askGateway(
      services,
      { batch: batch.id, gateway: batch.gatewayAccountId },
      () => results(asked, call),
    );
    if (answer === "unclear" || answer === null) return;
    const ended = answer.facts.filter(({ kind }) => kind !== "pending");
    await applyFacts(services, ctx, reportedBy, ended);
    after = answer.next;
  } while (after !== null);
}

/** Stops asking. The debits stay pending: a result that the gateway reports later settles them as usual. */
async function giveUp(services: Services, ctx: Ctx, { id }: DebitBatch, pending: number): Promise<void> {
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, id);
    const debits = pending === 1 ? "One debit has" : `${pending} debits have`;
    if (!batch) return;
    const problem = `${debits} no result two weeks after they were due. Ask the gateway.`;
    updateDebitBatch(tx, { ...batch, problem, givenUpAt: ctx.now });
    await alertBatch(tx, ctx, batch, "undecided");
  });
}
