// Writes: sandbox_outcomes. Reads nothing else.

import { newestFirst, onPage, type PageQuery } from "../../../domain/lists.ts";
import { locking } from "../../../domain/locks.ts";
import type { SandboxOutcomesRow } from "../../../domain/rows.ts";
import type { Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type { SandboxKind, SandboxStep } from "../types.ts";

const fromRow = (row: SandboxOutcomesRow): SandboxStep => ({
  id: row.id,
  kind: row.kind,
  customerId: row.customer_id,
  subscriptionId: row.subscription_id,
  nth: row.nth,
  outcome: row.outcome,
  delayDays: row.delay_days,
  seen: row.seen,
  usedBy: row.used_by,
  usedAt: row.used_at,
  createdAt: row.created_at,
});

const COLUMNS: RowColumns<SandboxStep> = {
  id: ["text", ({ id }) => id],
  kind: ["text", ({ kind }) => kind],
  customer_id: ["text", ({ customerId }) => customerId],
  subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  nth: ["integer", ({ nth }) => nth],
  outcome: ["text", ({ outcome }) => outcome],
  delay_days: ["integer", ({ delayDays }) => delayDays],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
};

/** Inserts steps, in the order of their ids. */
export const insertSteps = (tx: Tx, steps: readonly SandboxStep[]): void => tx.queue`
  insert into sandbox_outcomes (organisation_id, id, kind, customer_id, subscription_id, nth, outcome, delay_days, created_at)
  select ${tx.organisation}, n.* from ${rowsOf(steps, COLUMNS)} returning id`;

/** Whether any step of a kind waits. */
export async function hasWaitingSteps(tx: Tx, kind: SandboxKind): Promise<boolean> {
  const rows = await tx.sql`
    select from sandbox_outcomes where organisation_id = ${tx.organisation} and used_at is null and kind = ${kind} limit 1`;
  return rows.length > 0;
}

/** The steps of some kinds that wait, in their order, locked until the transaction ends. */
export async function lockWaitingSteps(tx: Tx, kinds: readonly SandboxKind[]): Promise<SandboxStep[]> {
  const rows = await locking(tx, "sandbox outcome").sql<SandboxOutcomesRow>`
    select * from sandbox_outcomes where organisation_id = ${tx.organisation} and used_at is null and kind = any (${kinds})
     order by id for update`;
  return rows.map(fromRow);
}

/** Notes that an attempt matched these steps. */
export const countMatch = (tx: Tx, ids: readonly string[]): void => tx.queue`
  update sandbox_outcomes set seen = seen + 1 where organisation_id = ${tx.organisation} and id = any (${ids})`;

/** Notes which attempt has used a step. */
export const markStepUsed = (tx: Tx, id: string, usedBy: string, at: Instant): void => tx.queue`
  update sandbox_outcomes set used_by = ${usedBy}, used_at = ${at} where organisation_id = ${tx.organisation} and id = ${id}`;

/** Newest first, those that were used too. */
export async function listSteps(tx: Tx, query: PageQuery): Promise<SandboxStep[]> {
  const rows = await tx.sql<SandboxOutcomesRow>`
    select * from sandbox_outcomes where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Deletes the steps that wait, and answers how many. */
export async function deleteWaitingSteps(tx: Tx): Promise<number> {
  const rows = await tx.sql`
    delete from sandbox_outcomes where organisation_id = ${tx.organisation} and used_at is null returning id`;
  return rows.length;
}
