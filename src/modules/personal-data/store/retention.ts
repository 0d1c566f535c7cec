// Writes: retention. Reads: customers, erasures.
import type { CustomerId } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import type { Removed } from "../types.ts";

/** The numbers of removed records, by kind. */
export async function removedSoFar(tx: Tx): Promise<Removed[]> {
  return tx.sql<Removed & Record<string, unknown>>`
    select what, reached, removed, audited, applied_at as "appliedAt" from retention where organisation_id = ${tx.organisation} order by what`;
}

/** Removes at most `limit` records of a kind that are older than `before`, by their id after `after`. */
export async function removeOutdated(
  tx: Tx,
  {
    what,
    after,
    before,
    limit,
  }: { readonly what: string; readonly after: string; readonly before: Instant; readonly limit: number },
): Promise<{ readonly reached: string; readonly removed: number; readonly more: boolean }> {
  const [row] = await tx.sql<{ reached: string; removed: number; more: boolean }>`
    select reached, removed, more from remove_outdated(${tx.organisation}, ${what}, ${after}, ${before}, ${limit})`;
  return row ?? { reached: after, removed: 0, more: false };
}

/** Stores the last id of a kind that was checked, and adds to the number removed. */
export function noteRemoved(
  tx: Tx,
  {
    what,
    reached,
    removed,
    at,
  }: { readonly what: string; readonly reached: string; readonly removed: number; readonly at: Instant },
): void {
  tx.queue`
    insert into retention as r (organisation_id, what, reached, removed, applied_at)
    values (${tx.organisation}, ${what}, ${reached}, ${removed}, ${at})
    on conflict (organisation_id, what) do update set reached = excluded.reached, removed = r.removed + excluded.removed, applied_at = excluded.applied_at`;
}

/** Marks all removals as reported in the audit log, and answers by kind the number that was not reported before. */
export async function markRemovalsReported(tx: Tx): Promise<{ readonly what: string; readonly count: number }[]> {
  return tx.sql<{ what: string; count: number }>`
    update retention r set audited = r.removed
      from (select what, audited from retention where organisation_id = ${tx.organisation} and removed > audited) u
     where r.organisation_id = ${tx.organisation} and r.what = u.what returning r.what, r.removed - u.audited as count`;
}

/** Customers that were closed before `before` and are not erased, by their id after `after`. */
export async function closedCustomers(
  tx: Tx,
  { after, before, limit }: { readonly after: string; readonly before: Instant; readonly limit: number },
): Promise<CustomerId[]> {
  const rows = await tx.sql<{ id: CustomerId }>`
    select c.id from customers c
     where c.organisation_id = ${tx.organisation} and not c.active and c.id > ${after} and c.updated_at < ${before}
       and not exists (select from erasures e where e.organisation_id = ${tx.organisation} and e.customer_id = c.id)
     order by c.id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Whether a customer is one of `closedCustomers`. */
export async function isClosed(tx: Tx, customer: string, before: Instant): Promise<boolean> {
  const [row] = await tx.sql`
    select id from customers c where organisation_id = ${tx.organisation} and id = ${customer} and not active and updated_at < ${before}
       and not exists (select from erasures e where e.organisation_id = ${tx.organisation} and e.customer_id = c.id)`;
  return row !== undefined;
}

/** Counts an erasure that followed from the time in the settings. */
export function noteErased(tx: Tx, at: Instant): void {
  tx.queue`
    insert into retention as r (organisation_id, what, removed, audited, applied_at) values (${tx.organisation}, 'closedCustomers', 1, 1, ${at})
    on conflict (organisation_id, what) do update set removed = r.removed + 1, audited = r.audited + 1, applied_at = excluded.applied_at`;
}
