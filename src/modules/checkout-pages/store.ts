// Writes: checkout_pages. Reads nothing else.

import { locking } from "../../domain/locks.ts";
import type { Tx } from "../../platform/database.ts";
import { type CheckoutDesign, designOf } from "./schema.ts";

/** The design of the organisation's checkout pages; the defaults when it has stored none. */
export async function readDesign(tx: Tx): Promise<CheckoutDesign> {
  const [row] = await tx.sql<{ design: unknown }>`
    select design from checkout_pages where organisation_id = ${tx.organisation}`;
  return designOf(row?.design ?? {});
}

/** Replaces the design. Locks it until the transaction ends. */
export function saveDesign(tx: Tx, design: CheckoutDesign): void {
  locking(tx, "settings").queue`
    insert into checkout_pages (organisation_id, design) values (${tx.organisation}, ${JSON.stringify(design)})
    on conflict (organisation_id) do update set design = excluded.design`;
}
