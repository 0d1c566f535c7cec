// Writes: gateway_health. Reads: gateway_notifications, transactions (outcomes of payments).
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { GatewayHealthRow } from "../../platform/rows.ts";
import { DOWN_SECONDS } from "./rules.ts";
import type { GatewayHealth, RecentReports, WaitingPayments } from "./types.ts";

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

/** How many of the organisation's newest facts are searched for those of one account. */
const LOOKED_THROUGH = 10_000;

/** Outcomes of the payments of an account since `from`, among the organisation's last 10 000 facts. */
export async function recentReports(tx: Tx, accountId: string, from: Instant): Promise<RecentReports> {
  const [row] = await tx.sql<{ [Key in keyof RecentReports]: RecentReports[Key] }>`
    select max(n.received_at) filter (where n.source = 'notification') as "lastNotificationAt",
        count(*) filter (where n.source = 'notification' and n.outcome = 'applied' and n.received_at >= ${from})::int as applied,
        count(*) filter (where n.source = 'notification' and n.outcome = 'repeated' and n.received_at >= ${from})::int as repeated,
        count(*) filter (where n.source = 'notification' and n.outcome = 'mismatch' and n.received_at >= ${from})::int as mismatch,
        count(*) filter (where n.source = 'notification' and n.outcome = 'unknown_reference' and n.received_at >= ${from})::int as unknown,
        count(*) filter (where n.source = 'notification' and n.outcome = 'applied' and n.received_at >= ${from}
          and n.fact ->> 'about' = 'payment')::int as seen,
        count(*) filter (where n.source = 'query' and n.outcome = 'applied' and n.received_at >= ${from}
          and n.fact ->> 'about' = 'payment')::int as asked
      from (select * from gateway_notifications where organisation_id = ${tx.organisation} order by id desc limit ${LOOKED_THROUGH}) n
     where n.gateway_account_id = ${accountId}`;
  return row ?? { lastNotificationAt: null, applied: 0, repeated: 0, mismatch: 0, unknown: 0, seen: 0, asked: 0 };
}

/** Payments of an account that were started before `before` and are pending. */
export async function waitingPayments(tx: Tx, accountId: string, before: Instant): Promise<WaitingPayments> {
  const [row] = await tx.sql<WaitingPayments>`
    select count(*)::int as count, min(created_at) as "oldestAt" from transactions
     where organisation_id = ${tx.organisation} and status = 'pending' and created_at < ${before} and gateway_account_id = ${accountId}`;
  return row ?? { count: 0, oldestAt: null };
}
