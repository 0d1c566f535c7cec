import { addDays, type CalendarDay, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { DEBIT_BATCH_SUBMIT } from "../../modules/debit-batches/declarations.ts";
import { actionDateAt, submitAt } from "../../modules/debit-batches/rules.ts";
import { deleteEmptyBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { heldBackOf } from "../../modules/debit-batches/store/held.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { nextDebitDate } from "../../modules/mandates/rules.ts";
import {
  anyToDebit,
  gatewayAccountToDebit,
  lockDueMandates,
  lockPassed,
  saveDebitOutcomes,
} from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { isStopped } from "../../modules/organisations/states.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { type CutOff, cutOffs } from "../gateways/debit-cut-off.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { type Gathered, type GatheredBy, gatherInvoices } from "./gather-invoices.ts";
import { type DueDebit, insertDebitsOf, lockBatchWithRoom } from "./insert-debits.ts";

/** How many debits are made in one transaction. */
const DEBITS_TOGETHER = 500;

/**
 * The daily work: adds to batches what is due at the cut-off; the batches are then submitted by their own work. Returns
 * tomorrow, or null when no mandate has a date for a debit.
 */
export async function gatherDaily(services: Services, ctx: Ctx): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const [{ debitOrders }, offs] = await services.db.read(organisation.id, (tx) =>
    Promise.all([currentSettings(tx), cutOffs(tx)]),
  );
  const today = calendarDay(now);
  if (debitOrders.requireSignedAgreement || isStopped(organisation)) await passOver(services, ctx);
  for (const { days, accounts } of offs) await gatherUpTo(services, ctx, actionDateAt(today, days), accounts);
  const more = await services.db.read(organisation.id, (tx) => anyToDebit(tx));
  return more ? startOfDay(addDays(today, 1)) : null;
}

/**
 * Moves mandates that may not be collected now, because they are unsigned or the organisation is stopped, beyond dates
 * that have passed, some hundreds in a transaction: such dates are not collected later
 * (decisions.md#passed-dates-are-not-collected). Locks the mandates.
 */
async function passOver(services: Services, { organisation, now }: Ctx): Promise<void> {
  const today = calendarDay(now);
  const next = () =>
    services.db.transaction(organisation.id, async (tx) => {
      const passed = await lockPassed(tx, today, { all: isStopped(organisation), limit: DEBITS_TOGETHER });
      const moved = passed.map((mandate) => ({ ...mandate, nextDebitDate: nextDebitDate(mandate, today) }));
      saveDebitOutcomes(tx, now, moved);
      return passed.length > 0;
    });
  while (await next());
}

/**
 * Adds every debit that is due by `actionDate` to the open batches of that date, some hundreds in a transaction. Each
 * mandate's next date moves in the same transaction, so that no mandate is debited twice for a date, nor twice on a
 * date: when several dates have passed, the next one goes into a later batch. Locks as `gatherNext`, then as
 * `gatherInvoices`.
 */
export async function gatherUpTo(
  services: Services,
  ctx: Ctx,
  actionDate: CalendarDay,
  accounts: CutOff["accounts"] = null,
): Promise<void> {
  const { organisation } = ctx;
  const by = { actionDate, accounts };
  while (await services.db.transaction(organisation.id, (tx) => gatherNext(tx, ctx, by)));
  let gathered: Gathered | null = { cursor: null, batch: null };
  while (gathered) {
    const { cursor }: Gathered = gathered;
    gathered = await services.db.transaction(organisation.id, (tx) => gatherInvoices(tx, ctx, by, cursor));
  }
}

/**
 * Adds the next due mandates of one gateway account that collect their own amounts. Locks the batch and the mandates.
 * Returns the batch; "changed", with a batch locked, when none of them is due any longer, so that another transaction
 * looks again; null, with nothing locked, when nothing is due, and for an organisation that is stopped
 * (decisions.md#passed-dates-are-not-collected).
 */
export async function gatherNext(tx: Tx, ctx: Ctx, by: GatheredBy): Promise<DebitBatch["id"] | "changed" | null> {
  const { actionDate, accounts } = by;
  if (isStopped(ctx.organisation)) return null;
  const { debitOrders } = await currentSettings(tx);
  const accountId = await gatewayAccountToDebit(tx, actionDate, accounts, debitOrders.requireSignedAgreement);
  const account = accountId && (await findGatewayAccount(tx, accountId));
  if (!account) return null;
  const { batch, room } = await lockBatchWithRoom(tx, ctx, account, actionDate);
  const mandates = await lockDueMandates(tx, account.id, actionDate, {
    signed: debitOrders.requireSignedAgreement,
    limit: Math.min(DEBITS_TOGETHER, room),
  });
  // A mandate of which nothing fits is found again; what was held back and does not fit waits for the next date.
  const due = (await dueDebits(tx, mandates)).slice(0, room);
  if (due.length === 0) {
    // Another transaction has added them since the account was chosen, or they were cancelled.
    if (batch.debits === 0) deleteEmptyBatch(tx, batch.id);
    return "changed";
  }
  if (batch.debits === 0) enqueue(tx, DEBIT_BATCH_SUBMIT, batch.id, submitAt(ctx.now, actionDate));
  await insertDebitsOf(tx, ctx, { account, batch }, due);
  return batch.id;
}

/**
 * The debits of locked mandates for their next dates: each mandate's own amount, and beside it what was held back of
 * its earlier debits (decisions.md#held-back-debits-wait-for-the-next-date).
 */
async function dueDebits(tx: Tx, mandates: readonly Mandate[]): Promise<readonly DueDebit[]> {
  const held = Map.groupBy(
    await heldBackOf(
      tx,
      mandates.map(({ id }) => id),
    ),
    ({ mandateId }) => mandateId,
  );
  return mandates.flatMap((mandate) => {
    const { nextDebitDate: debitDate, amount, description } = mandate;
    if (debitDate === null) return [];
    const own = { mandate, debitDate, part: 1, payment: { amount, description } };
    const owed = (held.get(mandate.id) ?? []).map((one, place) => ({
      mandate,
      debitDate,
      part: place + 2,
      payment: { amount: one.amount, description },
      heldFrom: one.transactionId,
    }));
    return [own, ...owed];
  });
}
