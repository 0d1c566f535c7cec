import { assert } from "../../kernel/assert.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { sum } from "../../kernel/money.ts";
import { addDays, type CalendarDay } from "../../kernel/time.ts";
import { debitReference } from "../../modules/debit-batches/rules.ts";
import { insertDebits, lockOpenBatch, setFilled } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { MANDATE_CURRENCY, nextDebitDate } from "../../modules/mandates/rules.ts";
import { saveDebitDates } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { newTransaction } from "../../modules/payments/rules.ts";
import { customersOfTransactions, insertTransactions } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { gatewayOf, isSandboxPayment } from "../gateways/accounts.ts";

/** An open batch with its gateway account. */
export interface OpenBatch {
  readonly account: GatewayAccount;
  readonly batch: DebitBatch;
  /** The number of debits that still fit. */
  readonly room: number;
}

/** Locks the open batch of an account and a date that has room; a full batch is left to be sent. */
export async function lockBatchWithRoom(
  tx: Tx,
  ctx: Ctx,
  account: GatewayAccount,
  actionDate: CalendarDay,
): Promise<OpenBatch> {
  const { debitOrders } = gatewayOf(account).adapter;
  assert(debitOrders, "the gateway of a mandate collects debit orders");
  const batch = await lockOpenBatch(tx, account.id, actionDate, { id: newId("dbat"), now: ctx.now });
  const room = debitOrders.most - batch.debits;
  if (room > 0) return { account, batch, room };
  setFilled(tx, batch.id);
  return lockBatchWithRoom(tx, ctx, account, actionDate);
}

/** A debit to be made. */
export interface DueDebit {
  readonly mandate: Mandate;
  readonly debitDate: CalendarDay;
  /** Its number among the mandate's debits of the date, from 1. */
  readonly part: number;
  /** Further fields of its payment, whose amount may differ from the mandate's. */
  readonly payment: Pick<Transaction, "amount" | "description"> & Partial<Transaction>;
  /** The debit that was held back, for which this one makes up. */
  readonly heldFrom?: TransactionId;
}

/**
 * Inserts debits into a batch, with their pending payments, and moves their mandates to their next dates; returns the
 * ids of the payments, in order. The batch and the mandates are locked.
 */
export async function insertDebitsOf(
  tx: Tx,
  ctx: Ctx,
  { account, batch }: Pick<OpenBatch, "account" | "batch">,
  due: readonly DueDebit[],
): Promise<readonly TransactionId[]> {
  const payers = await customersOfTransactions(
    tx,
    due.map(({ mandate }) => mandate),
  );
  const transactions = due.map(({ mandate, debitDate, part, payment }) =>
    newTransaction({
      ...payment,
      id: newId("txn"),
      reference: debitReference(mandate.accountReference, debitDate, part),
      currency: MANDATE_CURRENCY,
      type: "debit_order",
      gatewayAccountId: account.id,
      gatewayType: account.type,
      sandbox: isSandboxPayment(ctx.organisation, account),
      payerEmail: payers.get(mandate.customerId)?.email ?? null,
      customerId: mandate.customerId,
      createdAt: ctx.now,
    }),
  );
  await insertTransactions(tx, transactions);
  const ids = transactions.map(({ id }) => id);
  const debits = due.flatMap(({ mandate, debitDate, part, heldFrom = null }, place) => {
    const transactionId = ids[place];
    return transactionId ? { transactionId, batchId: batch.id, mandateId: mandate.id, debitDate, part, heldFrom } : [];
  });
  insertDebits(tx, batch, debits, sum(transactions.map(({ amount }) => amount)));
  const dates = due
    .filter(({ part }) => part === 1)
    .map(({ mandate, debitDate }) => ({
      id: mandate.id,
      lastDebitDate: debitDate,
      nextDebitDate: nextDebitDate({ ...mandate, lastDebitDate: debitDate }, addDays(debitDate, 1)),
    }));
  saveDebitDates(tx, ctx.now, batch.actionDate, dates);
  return ids;
}
