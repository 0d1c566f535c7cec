// Writes: sandbox_debit_batches, sandbox_payments (when debits settle). Reads nothing else.

import { locking } from "../../../domain/locks.ts";
import type { SandboxDebitBatchesRow } from "../../../domain/rows.ts";
import type { GatewayAccountId } from "../../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { SandboxDebitBatch } from "../types.ts";

const fromRow = (row: SandboxDebitBatchesRow): SandboxDebitBatch => ({
  id: row.id,
  accountId: row.account_id,
  reference: row.reference,
  actionDate: row.action_date,
  notifyUrl: row.notify_url,
  status: row.status,
  lines: row.lines,
  reported: row.reported,
  createdAt: row.created_at,
});

/** A new row; nothing when the account has one with this reference. */
export function insertDebitBatch(tx: Tx, b: SandboxDebitBatch): void {
  tx.queue`
    insert into sandbox_debit_batches (organisation_id, id, account_id, reference, action_date, notify_url, status,
                                       lines, reported, created_at)
    values (${tx.organisation}, ${b.id}, ${b.accountId}, ${b.reference}, ${b.actionDate}, ${b.notifyUrl}, ${b.status}, ${b.lines},
      ${b.reported}, ${b.createdAt})
    on conflict (organisation_id, account_id, reference) do nothing`;
}

const named = (tx: Tx, account: GatewayAccountId, reference: string) => part`
  select * from sandbox_debit_batches where organisation_id = ${tx.organisation} and account_id = ${account} and reference = ${reference}`;

/** By the merchant's reference. */
export async function findDebitBatch(
  tx: Tx,
  account: GatewayAccountId,
  reference: string,
): Promise<SandboxDebitBatch | null> {
  const [row] = await tx.sql<SandboxDebitBatchesRow>`${named(tx, account, reference)}`;
  return row ? fromRow(row) : null;
}

/** As `findDebitBatch`, locked until the transaction ends. */
export async function lockDebitBatch(
  tx: Tx,
  account: GatewayAccountId,
  reference: string,
): Promise<SandboxDebitBatch | null> {
  const [row] = await locking(tx, "sandbox debit batch").sql<SandboxDebitBatchesRow>`
    ${named(tx, account, reference)} for update`;
  return row ? fromRow(row) : null;
}

/** By the gateway's own id; locked until the transaction ends. */
export async function lockDebitBatchById(tx: Tx, id: string): Promise<SandboxDebitBatch | null> {
  const [row] = await locking(tx, "sandbox debit batch").sql<SandboxDebitBatchesRow>`
    select * from sandbox_debit_batches where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** The number of lines of an open batch. The caller has locked it. */
export function countDebitLines(tx: Tx, id: string, lines: number): void {
  tx.queue`update sandbox_debit_batches set lines = ${lines} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Sets another action date of an open batch; its present lines are settled `days` later. The caller has locked it. */
export function moveDebitBatch(tx: Tx, id: string, actionDate: CalendarDay, days: number): void {
  tx.queue`
    update sandbox_debit_batches set action_date = ${actionDate} where organisation_id = ${tx.organisation} and id = ${id}`;
  tx.queue`
    update sandbox_payments set settles_at = settles_at + make_interval(days => ${days})
     where organisation_id = ${tx.organisation} and batch_id = ${id}`;
}

/** Records that the merchant has sent all lines. The caller has locked it. */
export function closeDebitBatch(tx: Tx, id: string, at: Instant): void {
  tx.queue`
    update sandbox_debit_batches set status = 'submitted', submitted_at = ${at}
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Records that the lines up to this one are settled and reported. */
export function noteReported(tx: Tx, id: string, line: number): void {
  tx.queue`
    update sandbox_debit_batches set reported = greatest(reported, ${line})
     where organisation_id = ${tx.organisation} and id = ${id}`;
}
