import { setTimeout as sleep } from "node:timers/promises";
import { WORK } from "../../src/catalogue.ts";
import { tefo } from "../support/processes.ts";
import type { Random } from "./random.ts";
import type { Receiver } from "./receiver.ts";
import type { Cluster } from "./servers.ts";
import type { Service } from "./service.ts";
import type { Shop } from "./shop.ts";

/* What must hold whenever the faults have stopped and the service has come to rest. */

/** What answers questions about all rows. */
type Asked = Pick<Cluster, "query">;

/** What is examined. */
export interface Examined {
  readonly service: Service;
  readonly cluster: Cluster;
  readonly receiver: Receiver;
  readonly shops: readonly Shop[];
}

/** What waits for another system is asked for by real time, after a minute and more. */
const WAITS_FOR_OTHERS = WORK.filter(({ work }) => work.alsoInRealTime).map(({ work }) => work.kind);
/** Leases end after half a minute; a connection that nothing answers, after a minute. */
const REST_MS = 240_000;
const POLL_MS = 500;
/** Payments that their payers have left are asked about for days. */
const ASK_AGAIN_MS = 30_000;
/** So many stored requests of a shop are repeated, unless it is said. */
const REPEATED = 60;
/** Of four processes, as `docs/operators/configuration.md` counts them. */
const CONNECTIONS_MAX = 4 * 21;

/** Tables, and conditions, whose rows with an external reference are all made by requests to a path. */
const MADE: Readonly<Record<string, string>> = {
  // Each invoice has a link too.
  "/payment-links": "payment_links where title = 'Order' and",
  "/invoices": "invoices where",
  "/customer-subscriptions": "customer_subscriptions where",
  "/eft-orders": "eft_orders where",
};

/** Waits until the service is at rest; what fails is answered. Failed work, which waits for minutes, is begun at once. */
export async function comeToRest({ cluster, shops, receiver }: Examined): Promise<string[]> {
  const until = performance.now() + REST_MS;
  let nextAsked = 0;
  for (;;) {
    await beginWaiting(cluster, performance.now() > nextAsked);
    if (performance.now() > nextAsked) nextAsked = performance.now() + ASK_AGAIN_MS;
    const left = [
      ...(await unrest(cluster)),
      ...(await undelivered({ cluster, shops, receiver })),
      ...(await unsettled(cluster)),
    ];
    if (left.length === 0) return [];
    if (performance.now() > until) return left.slice(0, 20);
    await sleep(POLL_MS);
  }
}

/** Lets failed work and webhooks that were refused be tried at once; with `others`, also what waits for other systems. */
async function beginWaiting({ query }: Cluster, others: boolean): Promise<void> {
  await query(
    "update due_work set lease_until = null where lease_token is null and lease_until is not null and parked_at is null",
  );
  await query(
    "update due_work set due_at = least(due_at, now()), latest_at = least(latest_at, now()) where kind = any ($1) and lease_token is null",
    [others ? WAITS_FOR_OTHERS : ["webhook.deliver"]],
  );
}

/** Work that is due, leases, locks and open transactions. */
async function unrest({ query }: Cluster): Promise<string[]> {
  const left = await query<{ what: string }>(`
    select 'due work ' || kind || ' ' || subject || coalesce(': ' || last_error, '') || coalesce(' leased until ' || lease_until, '') as what
      from due_work where parked_at is null and (is_due or lease_token is not null or not waits_for_clock and due_at <= now())
    union all select 'work given up: ' || kind || ' ' || subject || ' ' || last_error from due_work where parked_at is not null
    union all select 'the clock of ' || id || ' is being moved' from organisations where clock_moving_until > now()
    union all select 'a lock is held: ' || a.query from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
    union all select 'a transaction is open: ' || query from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
  return left.map(({ what }) => what);
}

/** Events that a receiver has not had. */
async function undelivered({ cluster, shops, receiver }: Pick<Examined, "cluster" | "shops" | "receiver">) {
  const events = await cluster.query<{ organisation_id: string; id: string; type: string }>(
    "select organisation_id, id, type from events",
  );
  const left: string[] = [];
  for (const { id, slug } of shops) {
    const received = receiver.received(slug);
    for (const event of events)
      if (event.organisation_id === id && !received.has(event.id))
        left.push(`${slug} was not told of ${event.type} ${event.id}`);
  }
  return left;
}

/** Payments that the gateway has made and the service does not know to be paid. */
export async function unsettled({ query }: Asked): Promise<string[]> {
  const left = await query<{ what: string }>(`
    select p.kind || ' ' || p.reference || ' is ' || p.status || ' at the gateway and ' || coalesce(t.status, 'unknown') || ' here' as what
      from sandbox_payments p left join transactions t on t.organisation_id = p.organisation_id and t.reference = p.reference
     where p.status = 'complete' and (t.status is null or t.status in ('pending', 'failed', 'cancelled'))`);
  return left.map(({ what }) => what);
}

/** Everything that does not hold. The service is at rest. */
export async function examine(examined: Examined, random: Random): Promise<string[]> {
  const { service, cluster, receiver, shops } = examined;
  const faults = [...receiver.misled, ...(await twice(cluster))];
  for (const shop of shops) {
    faults.push(...shop.refused.splice(0), ...(await notOnce(cluster, shop)), ...(await notRepeated(shop, random)));
    shop.acknowledged.splice(0);
  }
  const open = await cluster.query("select from idempotency_keys where status is null");
  if (open.length > 0) faults.push(`${open.length} idempotency keys have no answer`);
  const connections = await cluster.query(
    "select from pg_stat_activity where datname = current_database() and application_name <> 'marathon'",
  );
  if (connections.length > CONNECTIONS_MAX) faults.push(`${connections.length} connections are open`);
  const verified = await tefo(service.environment, "verify", "--json");
  if (verified.code !== 0) faults.push(`verify: ${verified.out.slice(0, 4_000)} ${verified.err.slice(0, 1_000)}`);
  return faults;
}

/** What was created more or less often than it was acknowledged. */
export async function notOnce({ query }: Asked, { id, slug, created }: Shop): Promise<string[]> {
  const faults: string[] = [];
  for (const [path, table] of Object.entries(MADE)) {
    const [row] = await query<{ made: number; named: number }>(
      `select count(*)::int as made, count(distinct external_reference)::int as named
         from ${table} organisation_id = $1 and external_reference is not null`,
      [id],
    );
    const asked = created.get(path) ?? 0;
    if (row?.made !== asked || row.named !== asked)
      faults.push(
        `${slug}: ${asked} times ${path} was answered, ${row?.made} rows of ${row?.named} references were made`,
      );
  }
  return faults;
}

/** What was charged twice, or is not known here. */
export async function twice({ query }: Asked): Promise<string[]> {
  const found = await query<{ what: string }>(`
    select 'made ' || count(*) || ' times at the gateway: ' || reference as what
      from sandbox_payments where status in ('complete', 'pending') group by organisation_id, reference having count(*) > 1
    union all select 'refunded ' || count(*) || ' times at the gateway: ' || refund_id
      from sandbox_refunds group by organisation_id, refund_id having count(*) > 1
    union all select 'charged ' || count(*) || ' times: ' || external_reference
      from card_charges where external_reference is not null group by organisation_id, external_reference having count(*) > 1`);
  return found.map(({ what }) => what);
}

/** Stored requests whose repetition is not answered byte for byte as the first time. */
export async function notRepeated(
  { acknowledged, slug, repeat }: Shop,
  random: Random,
  times = REPEATED,
): Promise<string[]> {
  const faults: string[] = [];
  for (let n = 0; n < times; n++) {
    const request = random.of(acknowledged);
    if (!request) return faults;
    const again = await repeat(request);
    if (!again.replayed || again.status !== request.status || again.text !== request.answer)
      faults.push(
        `${slug}: POST ${request.path} ${request.key} was answered ${request.status} ${request.answer}, then ${again.status} ${again.text}`,
      );
  }
  return faults;
}
