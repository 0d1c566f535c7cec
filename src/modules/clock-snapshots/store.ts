// Writes: clock_snapshots. Reads nothing else.

import { ABOUT_THE_MATTER, ERASED } from "../../domain/erasure.ts";
import { newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import { record } from "../../domain/records.ts";
import type { ClockSnapshotsRow } from "../../domain/rows.ts";
import { part, type Tx } from "../../platform/database.ts";
import type { ClockSnapshot } from "./schema.ts";

type SnapshotRow = Pick<ClockSnapshotsRow, "id" | "name" | "clock_at" | "sealed_under" | "created_at">;

const fromRow = (row: SnapshotRow): ClockSnapshot => ({
  id: row.id,
  name: row.name,
  clockAt: row.clock_at,
  sealedUnder: row.sealed_under,
  createdAt: row.created_at,
});

/** For an organisation of millions of rows. */
const SECONDS_MAX = 240;

/** The number of the organisation's snapshots. */
export async function countSnapshots(tx: Tx): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from clock_snapshots where organisation_id = ${tx.organisation}`;
  return row?.count ?? 0;
}

/** Inserts a snapshot with all rows of the organisation as they are now. Takes as long as there are many. */
export function insertSnapshot(tx: Tx, snapshot: ClockSnapshot): void {
  tx.mayTake(SECONDS_MAX);
  tx.queue`
    insert into clock_snapshots (organisation_id, id, name, clock_at, sealed_under, created_at)
    values (${tx.organisation}, ${snapshot.id}, ${snapshot.name}, ${snapshot.clockAt}, ${snapshot.sealedUnder}, ${snapshot.createdAt})`;
  tx.queue`select keep_clock_snapshot(${tx.organisation}, ${snapshot.id})`;
}

/** Null when absent or another organisation's. */
export async function findSnapshot(tx: Tx, id: string): Promise<ClockSnapshot | null> {
  const [row] = await tx.sql<SnapshotRow>`
    select * from clock_snapshots where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Newest first. */
export async function listSnapshots(tx: Tx, query: PageQuery): Promise<ClockSnapshot[]> {
  const rows = await tx.sql<SnapshotRow>`
    select * from clock_snapshots where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Deletes a snapshot with its rows. */
export function deleteSnapshot(tx: Tx, { id }: Pick<ClockSnapshot, "id">): void {
  tx.queue`delete from clock_snapshots where organisation_id = ${tx.organisation} and id = ${id}`;
}

/**
 * Puts all rows of the organisation back as the snapshot has them. The caller has taken the clock. Answers false, and
 * does nothing, when the tables have changed since it was made.
 */
export async function restoreSnapshot(tx: Tx, { id }: Pick<ClockSnapshot, "id">): Promise<boolean> {
  tx.mayTake(SECONDS_MAX);
  const [row] = await tx.sql<{ restored: boolean }>`select rewind_clock(${tx.organisation}, ${id}) as restored`;
  return row?.restored ?? false;
}

/** How snapshots are erased: they hold the records of all customers, so none survives the erasure of one. */
export const CLOCK_SNAPSHOT_RECORD = record({
  tables: {
    clock_snapshot_rows: {
      plain: "snapshot_id table_name",
      columns: {
        rows: ERASED,
      },
      rows: "true",
      deleted: true,
      notHanded: "copies of records that the archive has",
    },
    clock_snapshots: {
      plain: "id schema_version sealed_under",
      columns: {
        name: ABOUT_THE_MATTER,
      },
      rows: "true",
      deleted: true,
    },
  },
});
