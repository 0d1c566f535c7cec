import type pg from "pg";

/**
 * Where a table's rows are in a distributed PostgreSQL (the extension `citus`): on the node of their organisation, on every node, or on the
 * node that the service connects to. One PostgreSQL has one node, and none of this applies.
 */
export type Placement = "organisation" | "every node" | "one node";

interface Placed {
  readonly placement: Exclude<Placement, "organisation">;
  readonly why: string;
}

const onEveryNode = (why: string): Placed => ({ placement: "every node", why });
const onOneNode = (why: string): Placed => ({ placement: "one node", why });
const SIGN_IN = onOneNode("people sign in before their organisation is known, and may have several");

/**
 * The tables that are not on the node of an organisation; those outside the schema `public` with their schema. Every
 * other table holds rows of organisations, with `organisation_id` first in its primary key, and is distributed by it,
 * so that a transaction of one organisation runs on one node. A write to what is on every node is a write to all nodes.
 */
export const OTHER_PLACES: Readonly<Record<string, Placed>> = {
  organisations: onEveryNode("read for each request and each piece of work; changes seldom"),
  api_keys: onEveryNode("an organisation is found by its key"),
  members: onEveryNode("the organisations of a person are found by them"),
  roles: onEveryNode("read with the membership that names one"),
  gateway_accounts: onEveryNode("an organisation is found by the account that a notification's URL names"),
  migrations: onOneNode("what has been applied to this database"),
  applied_functions: onOneNode("as `migrations`"),
  claim_turns: onOneNode("the row that a claim of due work locks, whose work belongs to all"),
  last_results: onOneNode("results of work on the installation as a whole"),
  rate_windows: onOneNode("counters of requests, before the organisation is known"),
  "identity.user": SIGN_IN,
  "identity.account": SIGN_IN,
  "identity.session": SIGN_IN,
  "identity.passkey": SIGN_IN,
  "identity.two_factor": SIGN_IN,
  "identity.verification": SIGN_IN,
};

/** Where the rows of a table are. */
export const placementOf = (table: string): Placement => OTHER_PLACES[table]?.placement ?? "organisation";

/** Whether a table holds rows that only their organisation may see (decisions.md#tenant-first). */
export const isTenantTable = (table: string): boolean => table !== "organisations" && placementOf(table) !== "one node";

/**
 * Every advisory lock, by the file or the database function that takes it, with the reason why it may belong to the one
 * node on which it is taken. What must hold on all nodes is a row lock instead: of the inserted row of an
 * Idempotency-Key, of the row of `claim_turns` for a claim of due work, of the customer's balance row for a change of
 * what a customer owes, of a row of `lock_slots` for a name without a row.
 */
export const ADVISORY_LOCKS: Readonly<Record<string, string>> = {
  "src/platform/migrations.ts": "one process migrates at a time, and all connect to the node that keeps the schema",
  "src/platform/shared-postgres.ts": "who uses the embedded server, which is on this machine and has no other node",
  "src/platform/due-work.ts": "one wake-up at a time is enough, and a second one from another node does no harm",
  "src/platform/hold.ts":
    "a second move of a clock from another node ends the first one's lease, and no work is done twice",
  hold_clock: "whoever writes due work or moves a clock connects to the node that has the clocks' functions",
  take_clock: "as hold_clock",
  maintain_partitions: "partitions are made through the node that keeps the schema",
  enqueue_due_work: "as in due-work.ts",
};

/** Tables that Citus has not placed yet, or has placed only on this node. */
const UNPLACED = `
  select c.relname as name from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not exists (
     select from pg_dist_partition d where d.logicalrelid = c.oid and (d.partmethod <> 'n' or d.repmodel = 't'))
   order by 1`;
/**
 * Settings of the database, on connections that are opened from then on. With the first, `set local
 * app.organisation_id` reaches the nodes (decisions.md#distributed-sql). With the second, a function of the database
 * that runs on a node may read and write there: it and its caller are about one organisation, whose node that is.
 */
const SETTINGS = Object.entries({ propagate_set_commands: "local", allow_nested_distributed_execution: "on" }).map(
  ([name, value]) => `select format('alter database %I set citus.${name} = ${value}', current_database()) as sql`,
);
/** Foreign keys from the given tables, each with the statement that makes it again. */
const KEYS_FROM = `
  select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as removal,
         format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as creation
    from pg_constraint k
   where k.contype = 'f' and k.conparentid = 0 and k.conrelid = any ($1::regclass[]) order by k.conrelid::regclass::text, k.conname`;
/** Rows of one organisation are on one node, whatever their table: each is placed as this table is. */
const PLACED_AS = "customers";

/**
 * Places the tables of a distributed PostgreSQL that have no place yet, all or none; does nothing where the extension `citus` is missing.
 * Answers their names. `client` is signed in as the owner of the database.
 */
export async function distribute(client: pg.Client): Promise<string[]> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
  if (rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>(UNPLACED);
  const toPlace = (placement: Placement) =>
    rows.map(({ name }) => name).filter((name) => placementOf(name) === placement);
  const [everywhere, apart] = [toPlace("every node"), toPlace("organisation")];
  if (everywhere.length + apart.length > 0) await place(client, everywhere, apart);
  return [...everywhere, ...apart];
}

/**
 * In the caller's transaction, before it changes tables: how the nodes of a distributed PostgreSQL take the changes. No
 * effect on others.
 */
export async function changeNodesInTurn(client: pg.Client): Promise<void> {
  // One shard after the other: another connection would not see what this transaction has changed.
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
  // Triggers read only the rows of their own statement, which are of one organisation and so on one node.
  await client.query("set local citus.enable_unsafe_triggers = on");
}

/**
 * In one transaction. A foreign key may refer only to a table that has its place, and some tables refer to each other: the keys are
 * removed before and made again after.
 */
async function place(client: pg.Client, everywhere: readonly string[], apart: readonly string[]): Promise<void> {
  await client.query("begin");
  for (const setting of SETTINGS)
    for (const { sql } of (await client.query<{ sql: string }>(setting)).rows) await client.query(sql);
  await changeNodesInTurn(client);
  const placed = [...everywhere, ...apart];
  const { rows: keys } = await client.query<{ removal: string; creation: string }>(KEYS_FROM, [placed]);
  for (const { removal } of keys) await client.query(removal);
  for (const name of everywhere) await client.query("select create_reference_table($1)", [name]);
  for (const name of apart.toSorted((one, other) => Number(other === PLACED_AS) - Number(one === PLACED_AS)))
    await client.query("select create_distributed_table($1, 'organisation_id', colocate_with => $2)", [
      name,
      name === PLACED_AS ? "none" : PLACED_AS,
    ]);
  for (const { creation } of keys) await client.query(creation);
  await client.query("commit");
}
