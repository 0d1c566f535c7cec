// Writes: saved_views. Reads nothing else.

import type { SavedViewsRow } from "../../domain/rows.ts";
import type { MemberId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";
import type { SavedView } from "./types.ts";

const fromRow = (row: SavedViewsRow): SavedView => ({
  id: row.id,
  list: row.list,
  name: row.name,
  query: row.query,
  memberId: row.member_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
});

/** Saves a view in place of the one of the same name, list and owner; returns what is stored, which keeps the id of that one. */
export async function saveView(tx: Tx, view: SavedView): Promise<SavedView> {
  const [row] = await tx.sql<SavedViewsRow>`
    insert into saved_views (organisation_id, id, list, name, query, member_id, created_by, created_at)
    values (${tx.organisation}, ${view.id}, ${view.list}, ${view.name}, ${view.query}, ${view.memberId}, ${view.createdBy},
      ${view.createdAt})
    on conflict (organisation_id, list, member_id, name)
      do update set query = excluded.query, created_by = excluded.created_by, created_at = excluded.created_at
    returning *`;
  return row ? fromRow(row) : view;
}

/** The views of a list that a member sees, their own and those of all, by name. */
export async function viewsOf(tx: Tx, list: string, member: MemberId): Promise<SavedView[]> {
  const rows = await tx.sql<SavedViewsRow>`
    select * from saved_views where organisation_id = ${tx.organisation} and list = ${list}
       and (member_id is null or member_id = ${member}) order by lower(name), id`;
  return rows.map(fromRow);
}

/** A view that a member sees; null for another member's own and when there is none. */
export async function findView(tx: Tx, id: string, member: MemberId): Promise<SavedView | null> {
  const [row] = await tx.sql<SavedViewsRow>`
    select * from saved_views where organisation_id = ${tx.organisation} and id = ${id}
       and (member_id is null or member_id = ${member})`;
  return row ? fromRow(row) : null;
}

/** Deletes a view. */
export function deleteView(tx: Tx, id: string): void {
  tx.queue`delete from saved_views where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Deletes what a member has saved for themselves. */
export function deleteViewsOf(tx: Tx, member: MemberId): void {
  tx.queue`delete from saved_views where organisation_id = ${tx.organisation} and member_id = ${member}`;
}
