import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Database } from "./database.ts";
import { APPLIED_FUNCTIONS, applyFunctions, hasNewerFunctions } from "./database-functions.ts";
import { changeNodesInTurn, distribute } from "./distribution.ts";
import { adopt, isEarlier } from "./earlier-databases.ts";
import { statementsIn } from "./sql-statements.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const files = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .sort();

function migrations(): Migration[] {
  return files().map((file) => {
    const sql = readFileSync(join(FOLDER, file), "utf8");
    return { name: nameOf(file), sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

const nameOf = (file: string): string => file.slice(0, -4);

/** The migrations that this build knows; read once, since `/health/ready` asks for them every few seconds. */
let known: readonly string[] | null = null;

/** The tables of what was applied, which `tefo_app` may read. */
const APPLIED = `
  create table if not exists migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp());
  ${APPLIED_FUNCTIONS}`;

/**
 * Brings the database up to date, one process at a time (decisions.md#migrations-with-checksums): each migration in one transaction, then
 * the functions whose texts have changed in one, and places new tables on the nodes of a distributed one. Functions that a newer version
 * has applied stay: old processes start beside new ones. Answers what was applied. Throws when an applied migration has changed, or a lock
 * is not granted within 5 s.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('tefo migrate'))");
    await client.query(APPLIED);
    const done = await migrateTables(client, migrations());
    if (done.length > 0) await client.query("grant select on migrations to tefo_app");
    done.push(...(await migrateFunctions(client)));
    await distribute(client);
    return done;
  } finally {
    await client.end();
  }
}

/**
 * Makes an empty database the schema of the one that `other` is connected to, as far as migrations make it: those that
 * were applied there, with the functions that they name. Throws when that one was made by a newer version, by another
 * build, or before version 1.0.
 */
export async function migrateLike(client: pg.Client, other: pg.Client): Promise<void> {
  const applied = await appliedMigrations(other);
  if (isEarlier(applied))
    throw new Error("The database is from before version 1.0. Start it once with the release before this one.");
  const known = migrations();
  const own = new Set(known.map(({ name }) => name));
  if ([...applied.keys()].some((name) => !own.has(name)) || (await hasNewerFunctions(other)))
    throw new Error(
      "A newer release than this one has brought the database up to date. Run this command of that release.",
    );
  for (const { name, checksum } of known) requireSame(name, applied.get(name) ?? checksum, checksum);
  await client.query(APPLIED);
  await migrateTables(
    client,
    known.filter(({ name }) => applied.has(name)),
  );
  await client.query("grant select on migrations to tefo_app");
}

function requireSame(name: string, applied: string, checksum: string): void {
  if (applied !== checksum)
    throw new Error(
      `Migration ${name} is not the one that was applied to this database: it was made by another build of Tefo.`,
    );
}

async function appliedMigrations(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>("select name, checksum from migrations");
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function migrateTables(client: pg.Client, wanted: readonly Migration[]): Promise<string[]> {
  const applied = await appliedMigrations(client);
  const done: string[] = [];
  for (const [at, migration] of wanted.entries()) {
    const before = applied.get(migration.name);
    if (before !== undefined) requireSame(migration.name, before, migration.checksum);
    if (before !== undefined) continue;
    await inTransaction(client, `Migration ${migration.name}`, async () => {
      if (at === 0 && isEarlier(applied)) await adopt(client, applied);
      else await run(client, migration);
      await client.query("insert into migrations (name, checksum) values ($1, $2)", [
        migration.name,
        migration.checksum,
      ]);
    });
    done.push(migration.name);
  }
  return done;
}

/** Runs a migration, after the functions that its line `-- functions: …` names: those that its statements call or refer to. */
async function run(client: pg.Client, { sql }: Migration): Promise<void> {
  const named = /^-- functions: (.*)$/m.exec(sql)?.[1]?.split(", ");
  if (named) await applyFunctions(client, named);
  for (const statement of statementsIn(sql)) await client.query(statement);
}

async function migrateFunctions(client: pg.Client): Promise<string[]> {
  const own = new Set(files().map(nameOf));
  const applied = await appliedMigrations(client);
  const isNewer = [...applied.keys()].some((name) => !own.has(name)) || (await hasNewerFunctions(client));
  if (isNewer) return [];
  return inTransaction(client, "Migration of functions", () => applyFunctions(client));
}

/** Runs `work` in a transaction that waits at most 5 s for a lock. An error says what failed. */
async function inTransaction<T>(client: pg.Client, what: string, work: () => Promise<T>): Promise<T> {
  try {
    await client.query("begin");
    await client.query("set local lock_timeout = '5s'");
    await changeNodesInTurn(client);
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw new Error(`${what} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Whether every migration this build knows has been applied; for `/health/ready`. */
export async function migrationsCurrent(db: Database): Promise<boolean> {
  const rows = await db.sql<{ name: string }>`select name from migrations`;
  const applied = new Set(rows.map((row) => row.name));
  known ??= files().map(nameOf);
  return known.every((name) => applied.has(name));
}
