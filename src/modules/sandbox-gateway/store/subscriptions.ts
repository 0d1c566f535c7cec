// Writes: sandbox_subscriptions. Reads nothing else.

import { locking } from "../../../domain/locks.ts";
import type { SandboxSubscriptionsRow } from "../../../domain/rows.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import type { SandboxSubscriptionRecord } from "../types.ts";

const fromRow = (row: SandboxSubscriptionsRow): SandboxSubscriptionRecord => ({
  id: row.id,
  accountId: row.account_id,
  reference: row.reference,
  status: row.status,
  amount: row.amount_cents,
  currency: row.currency,
  frequency: row.frequency,
  anchor: row.anchor,
  cycle: row.cycle,
  details: row.details as object,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A new row. False when a payment of that reference has started one before. */
export async function insertSandboxSubscription(tx: Tx, s: SandboxSubscriptionRecord): Promise<boolean> {
  const rows = await tx.sql`
    insert into sandbox_subscriptions (organisation_id, id, account_id, reference, status, amount_cents, currency, frequency, anchor,
      cycle, details, created_at, updated_at)
    values (${tx.organisation}, ${s.id}, ${s.accountId}, ${s.reference}, ${s.status}, ${s.amount}, ${s.currency}, ${s.frequency},
      ${s.anchor}, ${s.cycle}, ${JSON.stringify(s.details)}, ${s.createdAt}, ${s.updatedAt})
    on conflict (organisation_id, account_id, reference) do nothing returning id`;
  return rows.length > 0;
}

/** By the gateway's own id, whatever the account. */
export async function findSandboxSubscription(tx: Tx, id: string): Promise<SandboxSubscriptionRecord | null> {
  const [row] = await tx.sql<SandboxSubscriptionsRow>`
    select * from sandbox_subscriptions where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** As `findSandboxSubscription`, locked until the transaction ends. */
export async function lockSandboxSubscription(tx: Tx, id: string): Promise<SandboxSubscriptionRecord | null> {
  const [row] = await locking(tx, "sandbox subscription").sql<SandboxSubscriptionsRow>`
    select * from sandbox_subscriptions where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Updates every field that can change. The caller has locked it. */
export function saveSandboxSubscription(tx: Tx, s: SandboxSubscriptionRecord): void {
  tx.queue`
    update sandbox_subscriptions set status = ${s.status}, amount_cents = ${s.amount}, anchor = ${s.anchor}, cycle = ${s.cycle},
      updated_at = ${s.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${s.id}`;
}

/** Records that a collection that had failed was paid late. */
export function noteCollected(tx: Tx, id: string, at: Instant): void {
  tx.queue`
    update sandbox_subscriptions set status = 'active', updated_at = ${at}
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'past_due'`;
}
