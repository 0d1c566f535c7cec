// Writes: sandbox_mandates. Reads nothing else.

import type { SandboxMandatesRow } from "../../../domain/rows.ts";
import type { GatewayAccountId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";
import type { SandboxMandateRecord } from "../types.ts";

const fromRow = (row: SandboxMandatesRow): SandboxMandateRecord => ({
  id: row.id,
  accountId: row.account_id,
  accountReference: row.account_reference,
  status: row.status,
  reason: row.reason,
  amount: row.amount_cents,
  details: row.details as object,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A new row; nothing when the account has one with this reference. */
export function insertSandboxMandate(tx: Tx, m: SandboxMandateRecord): void {
  tx.queue`
    insert into sandbox_mandates (organisation_id, id, account_id, account_reference, status, reason, amount_cents,
                                  details, created_at, updated_at)
    values (${tx.organisation}, ${m.id}, ${m.accountId}, ${m.accountReference}, ${m.status}, ${m.reason}, ${m.amount},
      ${JSON.stringify(m.details)}, ${m.createdAt}, ${m.updatedAt})
    on conflict (organisation_id, account_id, account_reference) do nothing`;
}

/** By the merchant's reference, or by the id of its page. */
export async function findSandboxMandate(
  tx: Tx,
  account: GatewayAccountId,
  name: string,
): Promise<SandboxMandateRecord | null> {
  const [row] = await tx.sql<SandboxMandatesRow>`
    select * from sandbox_mandates
     where organisation_id = ${tx.organisation} and account_id = ${account} and (account_reference = ${name} or id = ${name})`;
  return row ? fromRow(row) : null;
}

/** Stores the outcome of the mandate. False when it is not waiting any more: of two answers at once the first one counts. */
export async function decideSandboxMandate(tx: Tx, m: SandboxMandateRecord): Promise<boolean> {
  const rows = await tx.sql`
    update sandbox_mandates set status = ${m.status}, reason = ${m.reason}, updated_at = ${m.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${m.id} and status = 'waiting' returning id`;
  return rows.length > 0;
}
