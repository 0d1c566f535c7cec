import { assert } from "../../kernel/assert.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import {
  findCustomerSubscriptions,
  lockCustomerSubscriptions,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { DEBIT_BATCH_SUBMIT } from "../../modules/debit-batches/declarations.ts";
import { decideDate, fittingDebits, submitAt } from "../../modules/debit-batches/rules.ts";
import {
  type CollectingCursor,
  type CollectingMandate,
  deleteEmptyBatch,
  type Gathering,
  mandatesToCollect,
  readMandatesToCollect,
  setFilled,
} from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { insertAttempts } from "../../modules/dunning/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoices } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { nextDebitDate } from "../../modules/mandates/rules.ts";
import { lockMandates, saveDebitOutcomes } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { isStopped } from "../../modules/organisations/states.ts";
import { lockLinksOfInvoices } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import type { CutOff } from "../gateways/debit-cut-off.ts";
import { currentSettings } from "../organisations/settings.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";
import { type DueDebit, insertDebitsOf, lockBatchWithRoom, type OpenBatch } from "./insert-debits.ts";

/** The number of mandates in one transaction. */
const MANDATES_TOGETHER = 250;

/** The decision for a date that does not wait. */
type Decision = Exclude<ReturnType<typeof decideDate>, "waits">;

/** The action date by which debits are gathered, and the gateway accounts for which; null for all. */
export interface GatheredBy extends Pick<CutOff, "accounts"> {
  readonly actionDate: CalendarDay;
}

/** The position in the mandates, and the batch that got debits. */
export interface Gathered {
  readonly cursor: CollectingCursor | null;
  readonly batch: DebitBatch["id"] | null;
}

/**
 * Adds the invoices of the next mandates after `cursor` that collect customer subscriptions and are due by
 * `actionDate`: each open invoice that was billed by the mandate's date becomes a debit, and a date without anything to
 * collect is skipped (decisions.md#debits-wait-for-bills). `only`: the decisions that are carried out. Locks the
 * subscriptions, the batch, the mandates, the invoice numbers and the links of the invoices. Null when no mandate is
 * left, and for an organisation that is stopped (decisions.md#passed-dates-are-not-collected).
 */
export async function gatherInvoices(
  tx: Tx,
  ctx: Ctx,
  { actionDate, accounts }: GatheredBy,
  cursor: CollectingCursor | null,
  only: readonly Decision[] = ["debits", "passes"],
): Promise<Gathered | null> {
  if (isStopped(ctx.organisation)) return null;
  const { debitOrders } = await currentSettings(tx);
  const gathering = { by: actionDate, accounts, signed: debitOrders.requireSignedAgreement };
  const decided = (found: readonly CollectingMandate[], as: readonly Decision[]) =>
    found.filter((one) => as.some((decision) => decision === decisionOf(ctx, one)));
  // Read without locks until a decision is found: most mandates wait for their subscriptions' bills.
  for (let from = cursor; ; ) {
    const found = await mandatesToCollect(tx, gathering, from, MANDATES_TOGETHER);
    const page = found.filter(({ gatewayAccountId }) => gatewayAccountId === found[0]?.gatewayAccountId);
    const last = page.at(-1);
    if (!last) return null;
    const dueMandates = decided(page, only);
    if (dueMandates.length > 0) return gatherLocked(tx, ctx, { gathering, dueMandates, begun: cursor, last, decided });
    from = last;
  }
}

const decisionOf = ({ now }: Ctx, { date, nextBill, invoices }: CollectingMandate) =>
  decideDate({ date, today: calendarDay(now), nextBill, invoices: invoices.length });

interface Page {
  readonly gathering: Gathering;
  /** The mandates of one gateway account, as read without locks. */
  readonly dueMandates: readonly CollectingMandate[];
  /** The positions at which reading began and ended. */
  readonly begun: CollectingCursor | null;
  readonly last: CollectingCursor;
  readonly decided: (found: readonly CollectingMandate[], as: readonly Decision[]) => CollectingMandate[];
}

async function gatherLocked(
  tx: Tx,
  ctx: Ctx,
  { gathering, dueMandates, begun, last, decided }: Page,
): Promise<Gathered> {
  const ids = dueMandates.map(({ id }) => id);
  await lockCustomerSubscriptions(
    tx,
    dueMandates.map(({ subscriptionId }) => subscriptionId),
  );
  const billed = decided(await readMandatesToCollect(tx, gathering, ids), ["debits"]);
  const account = billed.length > 0 ? await findGatewayAccount(tx, last.gatewayAccountId) : null;
  const open = account && (await lockBatchWithRoom(tx, ctx, account, gathering.by));
  const mandates = await lockMandates(tx, ids);
  if (open) {
    lockNumbers(tx, "invoice");
    await lockLinksOfInvoices(
      tx,
      billed.flatMap(({ invoices }) => invoices),
    );
  }
  // Read again: a payment of an invoice may have been started before its links were locked.
  const now = await readMandatesToCollect(tx, gathering, ids);
  passOver(tx, ctx, decided(now, ["passes"]), mandates);
  if (!open) return { cursor: last, batch: null };
  const { fitting, isFull } = fittingDebits(decided(now, ["debits"]), open.room, open.batch.debits === 0);
  // Debits that do not fit go into another batch: their mandates are found again, and invoices that were debited are
  // not.
  if (isFull) setFilled(tx, open.batch.id);
  if (fitting.length > 0) await debitInvoices(tx, ctx, open, fitting, mandates);
  else if (open.batch.debits === 0) deleteEmptyBatch(tx, open.batch.id);
  return { cursor: isFull ? begun : last, batch: fitting.length > 0 ? open.batch.id : null };
}

/** Moves locked mandates beyond dates on which there is nothing to collect. */
function passOver(tx: Tx, { now }: Ctx, passed: readonly CollectingMandate[], mandates: ReadonlyMap<string, Mandate>) {
  const moved = passed.map(({ id }) => {
    const mandate = mandates.get(id);
    assert(mandate, "a mandate that is gathered is locked");
    return { ...mandate, nextDebitDate: nextDebitDate(mandate, calendarDay(now)) };
  });
  saveDebitOutcomes(tx, now, moved);
}

/** Makes a debit of each invoice, as an attempt to collect it. All records that it changes are locked. */
async function debitInvoices(
  tx: Tx,
  ctx: Ctx,
  open: OpenBatch,
  found: readonly CollectingMandate[],
  mandates: ReadonlyMap<string, Mandate>,
): Promise<void> {
  const { batch } = open;
  const [invoices, subscriptions] = await Promise.all([
    findInvoices(
      tx,
      found.flatMap((one) => one.invoices),
    ).then(byId),
    findCustomerSubscriptions(
      tx,
      found.map(({ subscriptionId }) => subscriptionId),
      calendarDay(ctx.now),
    ).then(byId),
  ]);
  const due = found.flatMap((one) =>
    one.invoices.map((id, place) => {
      const [mandate, subscription, invoice] = [
        mandates.get(one.id),
        subscriptions.get(one.subscriptionId),
        invoices.get(id),
      ];
      assert(mandate && subscription && invoice, "what is gathered is locked");
      return { mandate, subscription, invoice, debitDate: one.date, part: place + 1 };
    }),
  );
  const debits = await Promise.all(due.map(async (one) => ({ ...one, payment: await paymentOf(tx, one) })));
  if (batch.debits === 0) enqueue(tx, DEBIT_BATCH_SUBMIT, batch.id, submitAt(ctx.now, batch.actionDate));
  const transactions = await insertDebitsOf(tx, ctx, open, debits);
  insertAttempts(
    tx,
    due.map(({ subscription, invoice }, place) => attemptOf(ctx, subscription, invoice, transactions[place])),
  );
}

const byId = <Record extends { readonly id: string }>(records: readonly Record[]): ReadonlyMap<string, Record> =>
  new Map(records.map((record) => [record.id, record]));

/**
 * The fields of a debit's payment that concern its invoice and subscription, the same as for a card charge
 * (interface 16.16).
 */
async function paymentOf(
  tx: Tx,
  { subscription, invoice }: { readonly subscription: ShownSubscription; readonly invoice: Invoice },
): Promise<DueDebit["payment"]> {
  return {
    amount: amountDue(invoice),
    description: `${subscription.plan.name}, invoice ${invoice.number}`,
    invoiceId: invoice.id,
    externalReference: subscription.externalReference,
    metadata: subscription.metadata,
    ...(await paymentOfInvoice(tx, invoice.id)),
  };
}

const attemptOf = (
  { now }: Ctx,
  subscription: ShownSubscription,
  invoice: Invoice,
  transactionId: TransactionId | undefined,
) =>
  ({
    id: newId("att"),
    subscriptionId: subscription.id,
    invoiceId: invoice.id,
    cause: "debit_day",
    transactionId: transactionId ?? null,
    status: "pending",
    reason: null,
    isHard: false,
    createdAt: now,
  }) as const;
