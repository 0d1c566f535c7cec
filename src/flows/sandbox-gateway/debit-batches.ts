import {
  debitOf,
  newSandboxId,
  paymentView,
  type SandboxPayment,
  settlementOf,
} from "../../gateways/sandbox/server.ts";
import {
  type DebitBatch,
  type DebitBatchRequest,
  type DebitLines,
  type DebitResults,
  LINES_TOGETHER,
} from "../../gateways/sandbox/wire.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay, daysBetween, type Instant, startOfDay } from "../../kernel/time.ts";
import { SANDBOX_DEBIT } from "../../modules/sandbox-gateway/declarations.ts";
import {
  closeDebitBatch,
  countDebitLines,
  findDebitBatch,
  insertDebitBatch,
  lockDebitBatch,
  moveDebitBatch,
} from "../../modules/sandbox-gateway/store/debit-batches.ts";
import { hasWaitingSteps } from "../../modules/sandbox-gateway/store/outcomes.ts";
import { insertDebits, listDebits } from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxDebitBatch, SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { endingOf, stepFor } from "./outcomes.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { referenceTaken, requireOwnUrls } from "./refusals.ts";

const viewOf = ({ id, reference, status, lines }: SandboxDebitBatch): DebitBatch => ({ id, reference, status, lines });

const invalidState = (message: string): ApiError => new ApiError("invalid_state", 409, message);

/**
 * `POST /debit-batches`: opens a batch for lines. Repeated, it returns the same batch, with another date while it is
 * open. Throws 400 for an address outside of this service, 409 for another date of a submitted batch.
 */
export async function openDebitBatch(
  services: Services,
  { ctx, account }: SandboxMerchant,
  { reference, actionDate, notifyUrl }: DebitBatchRequest,
): Promise<DebitBatch> {
  requireOwnUrls(services, { notifyUrl }, ["notifyUrl"]);
  if (!gatewayOf(account).adapter.debitOrders) throw invalidState("This account has no debit orders.");
  const opened: SandboxDebitBatch = {
    id: newSandboxId("sbd"),
    accountId: account.id,
    reference,
    actionDate: actionDate as CalendarDay,
    notifyUrl,
    status: "open",
    lines: 0,
    reported: 0,
    createdAt: ctx.now,
  };
  const batch = await services.db.transaction(ctx.organisation.id, async (tx) => {
    insertDebitBatch(tx, opened);
    const known = await lockDebitBatch(tx, account.id, reference);
    if (known?.status !== "open" || known.actionDate === opened.actionDate) return known;
    const days = daysBetween(calendarDay(settlementOf(known.actionDate)), calendarDay(settlementOf(opened.actionDate)));
    moveDebitBatch(tx, known.id, opened.actionDate, days);
    return { ...known, actionDate: opened.actionDate };
  });
  if (batch?.actionDate !== opened.actionDate) throw referenceTaken();
  return viewOf(batch);
}

/**
 * `POST /debit-batches/{reference}/lines`: inserts the lines that the batch does not have yet. Throws 404, and 409 when
 * lines before these are missing, when there are too many, or when a line's reference belongs to another debit.
 */
export function addDebitLines(
  services: Services,
  { ctx, account }: SandboxMerchant,
  reference: string,
  { from, lines }: DebitLines,
): Promise<DebitBatch> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, account.id, reference);
    if (!batch) throw notFound("batch");
    if (from > batch.lines) throw invalidState(`The batch has ${batch.lines} lines: send those after them.`);
    const fresh = lines.slice(batch.lines - from);
    if (batch.status === "submitted" || fresh.length === 0) return viewOf(batch);
    const count = batch.lines + fresh.length;
    const most = gatewayOf(account).adapter.debitOrders?.most ?? 0;
    if (count > most) throw invalidState(`A batch has at most ${most} lines.`);
    const dated = { ...batch, settlesAt: settlementOf(batch.actionDate) };
    const isTold = await hasWaitingSteps(tx, "debit");
    const debits: SandboxPaymentRecord[] = [];
    for (const line of fresh) {
      const debit = debitOf(line, dated, ctx.now);
      debits.push(recordOf(account.id, isTold ? await asTold(tx, debit, ctx.now) : debit));
    }
    if ((await insertDebits(tx, batch, batch.lines + 1, debits)) < fresh.length) throw referenceTaken();
    countDebitLines(tx, batch.id, count);
    return viewOf({ ...batch, lines: count });
  });
}

/** A debit as the gateway was told to make it: a delayed one is settled by itself, so many days after its batch. */
async function asTold(tx: Tx, debit: SandboxPayment, now: Instant): Promise<SandboxPayment> {
  const step = await stepFor(tx, { kinds: ["debit"], reference: debit.reference, now });
  if (!step) return debit;
  const ending = endingOf(step, "debit");
  const { settlesAt } = debit;
  if (ending === null || settlesAt === null) return { ...debit, settlesAt: null };
  const told = { ...debit, ending, isDisputed: step.outcome === "disputed" };
  return { ...told, settlesAt: startOfDay(addDays(calendarDay(settlesAt), step.delayDays)) };
}

/**
 * `POST /debit-batches/{reference}/submit`: the batch is complete; due work settles it. Throws 404, and 409 when its
 * number of lines differs.
 */
export function submitDebitBatch(
  services: Services,
  { ctx, account }: SandboxMerchant,
  reference: string,
  lines: number,
): Promise<DebitBatch> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const batch = await lockDebitBatch(tx, account.id, reference);
    if (!batch) throw notFound("batch");
    if (batch.lines !== lines) throw invalidState(`The batch has ${batch.lines} lines, not ${lines}.`);
    if (batch.status === "submitted") return viewOf(batch);
    closeDebitBatch(tx, batch.id, ctx.now);
    enqueue(tx, SANDBOX_DEBIT, batch.id, settlementOf(batch.actionDate));
    return viewOf({ ...batch, status: "submitted" });
  });
}

/** `GET /debit-batches/{reference}`; null when there is none. */
export async function readDebitBatch(
  services: Services,
  { ctx, account }: SandboxMerchant,
  reference: string,
): Promise<DebitBatch | null> {
  const batch = await services.db.read(ctx.organisation.id, (tx) => findDebitBatch(tx, account.id, reference));
  return batch && viewOf(batch);
}

/** `GET /debit-batches/{reference}/payments`: the debits after a line, in order; null when there is no such batch. */
export function readDebitResults(
  services: Services,
  { ctx, account }: SandboxMerchant,
  reference: string,
  after: number,
): Promise<DebitResults | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const batch = await findDebitBatch(tx, account.id, reference);
    if (!batch) return null;
    const debits = await listDebits(tx, batch.id, after, LINES_TOGETHER);
    const last = debits.at(-1);
    return {
      payments: debits.map(({ debit }) => paymentView(paymentOf(debit))),
      next: last && last.line < batch.lines ? last.line : null,
    };
  });
}
