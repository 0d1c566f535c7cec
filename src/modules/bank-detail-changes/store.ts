// Writes: bank_detail_changes. Reads nothing else.

import { lockName } from "../../domain/locks.ts";
import type { BankDetailChangesRow } from "../../domain/rows.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { BankDetailChange, ShownBankDetails } from "./types.ts";

/** The most changes that are answered; earlier ones are in the audit log. */
const TOLD = 20;

const fromRow = (row: BankDetailChangesRow): BankDetailChange => ({
  id: row.id,
  gatewayAccountId: row.gateway_account_id,
  gatewayName: row.gateway_name,
  kind: row.kind,
  fields: row.fields,
  before: row.before as ShownBankDetails | null,
  after: row.after as ShownBankDetails | null,
  by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  changedAt: row.changed_at,
  heldUntil: row.held_until,
});

/** Lets changes of bank details run one after the other, so that only one of them can be the organisation's first. */
export const lockBankDetails = (tx: Tx): void => lockName(tx, "bank details", "");

/** Inserts a change. */
export function insertBankDetailChange(tx: Tx, change: BankDetailChange): void {
  const { before, after, by } = change;
  tx.queue`
    insert into bank_detail_changes (organisation_id, id, gateway_account_id, gateway_name, kind, fields, before, after, actor_kind,
      actor_id, actor_name, changed_at, held_until)
    values (${tx.organisation}, ${change.id}, ${change.gatewayAccountId}, ${change.gatewayName}, ${change.kind}, ${change.fields},
      ${before && JSON.stringify(before)}, ${after && JSON.stringify(after)}, ${by.kind}, ${by.id}, ${by.name}, ${change.changedAt},
      ${change.heldUntil})`;
}

/** Null when absent or another organisation's. */
export async function findBankDetailChange(tx: Tx, id: string): Promise<BankDetailChange | null> {
  const [row] = await tx.sql<BankDetailChangesRow>`
    select * from bank_detail_changes where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Whether a change of the organisation's bank details is recorded. */
export async function hadBankDetailChanges(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<{ had: boolean }>`
    select exists (select from bank_detail_changes where organisation_id = ${tx.organisation}) as had`;
  return row?.had ?? false;
}

/** The changes that put payouts on hold at `now`, newest first. */
export async function holdingChanges(tx: Tx, now: Instant): Promise<BankDetailChange[]> {
  const rows = await tx.sql<BankDetailChangesRow>`
    select * from bank_detail_changes where organisation_id = ${tx.organisation} and held_until > ${now}
     order by held_until desc, id desc limit ${TOLD}`;
  return rows.map(fromRow);
}
