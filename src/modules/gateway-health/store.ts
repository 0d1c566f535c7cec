// Writes: gateway_health. Reads nothing else.

import type { GatewayHealthRow } from "../../domain/rows.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import { DOWN_SECONDS } from "./rules.ts";
import type { GatewayHealth } from "./types.ts";

const NOTHING: GatewayHealth = {
  refused: { count: 0, lastAt: null, last: null },
  unclear: { count: 0, inARow: 0, lastAt: null, last: null },
};

const fromRow = (row: GatewayHealthRow): GatewayHealth => ({
  refused: { count: row.refused_count, lastAt: row.last_refused_at, last: row.last_refusal },
  unclear: {
    count: row.unclear_count,
    inARow: row.unclear_in_a_row,
    lastAt: row.last_unclear_at,
    last: row.last_unclear,
  },
});

/** The health of an account; without a row nothing was refused or unclear. */
export async function healthOf(tx: Tx, accountId: string): Promise<GatewayHealth> {
  const [row] = await tx.sql<GatewayHealthRow>`
    select * from gateway_health where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId}`;
  return row ? fromRow(row) : NOTHING;
}

/** Counts a notification that was refused; `why` must not quote its contents. */
export function countRefused(tx: Tx, accountId: string, why: string, now: Instant): void {
  tx.queue`
    insert into gateway_health (organisation_id, gateway_account_id, refused_count, last_refused_at, last_refusal)
    values (${tx.organisation}, ${accountId}, 1, ${now}, ${why})
    on conflict (organisation_id, gateway_account_id) do update set refused_count = gateway_health.refused_count + 1,
      last_refused_at = excluded.last_refused_at, last_refusal = excluded.last_refusal`;
}

/** Counts a call without a clear answer. Calls long before it start no row with it. */
export function countUnclear(tx: Tx, accountId: string, why: string, now: Instant): void {
  tx.queue`
    insert into gateway_health (organisation_id, gateway_account_id, unclear_count, unclear_in_a_row, last_unclear_at, last_unclear)
    values (${tx.organisation}, ${accountId}, 1, 1, ${now}, ${why})
    on conflict (organisation_id, gateway_account_id) do update set unclear_count = gateway_health.unclear_count + 1,
      unclear_in_a_row = case when excluded.last_unclear_at - gateway_health.last_unclear_at < make_interval(secs => ${DOWN_SECONDS})
        then gateway_health.unclear_in_a_row + 1 else 1 end,
      last_unclear_at = excluded.last_unclear_at, last_unclear = excluded.last_unclear`;
}

/** Records a clear answer, which ends a row of unclear ones. */
export function endUnclear(tx: Tx, accountId: string): void {
  tx.queue`
    update gateway_health set unclear_in_a_row = 0
     where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId} and unclear_in_a_row > 0`;
}
