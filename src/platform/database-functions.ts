import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { statementsIn } from "./sql-statements.ts";

/* The functions of the database: each is a file of migrations/functions with its triggers, applied whole whenever its text changes. */

const FOLDER = join(import.meta.dirname, "../../migrations/functions");
const MANIFEST = join(import.meta.dirname, "../../package.json");

interface DatabaseFunction {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The table of the functions that a database has, each with its text's checksum and the version of Tefo that applied it. */
export const APPLIED_FUNCTIONS = `create table if not exists applied_functions (
  name text primary key, checksum text not null, version text not null, applied_at timestamptz not null default clock_timestamp())`;

function databaseFunctions(): DatabaseFunction[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => {
    const sql = readFileSync(join(FOLDER, file), "utf8");
    return { name: file.slice(0, -4), sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

const ownVersion = (): string => (JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string }).version;

const inOrder = new Intl.Collator("en", { numeric: true });
/** Orders versions: 1.0.0-rc.2 is before 1.0.0-rc.10, and both are before 1.0.0. */
const ranked = (version: string): string => (version.includes("-") ? version : `${version}-zz`);

/** Whether a newer version of Tefo has applied functions to the database. */
export async function hasNewerFunctions(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ version: string }>("select distinct version from applied_functions");
  const own = ranked(ownVersion());
  return rows.some(({ version }) => inOrder.compare(ranked(version), own) > 0);
}

/**
 * In the caller's transaction: applies the functions whose texts are not those that the database has, or of these the named ones. Answers
 * what was applied. A function that is named and has no file ends in an error.
 */
export async function applyFunctions(client: pg.Client, named?: readonly string[]): Promise<string[]> {
  const known = databaseFunctions();
  const missing = (named ?? []).filter((name) => !known.some((one) => one.name === name));
  if (missing.length > 0) throw new Error(`migrations/functions has no ${missing.join(", ")}`);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from applied_functions",
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const changed = known.filter(
    ({ name, checksum }) => applied.get(name) !== checksum && (named === undefined || named.includes(name)),
  );
  if (changed.length === 0) return [];
  // Bodies are checked when they run, so that functions may call each other, and read tables that come later, whatever their order.
  await client.query("set local check_function_bodies = off");
  const given = changed.some(({ sql }) => sql.includes(" owner to tefo_gate"));
  // Who becomes the owner of a function must be allowed to create in its schema.
  if (given) await client.query("grant create on schema public to tefo_gate");
  for (const one of changed) await apply(client, one);
  if (given) await client.query("revoke create on schema public from tefo_gate");
  await client.query("set local check_function_bodies = on");
  return changed.map(({ name }) => `functions/${name}`);
}

async function apply(client: pg.Client, { name, sql, checksum }: DatabaseFunction): Promise<void> {
  try {
    for (const statement of statementsIn(sql)) await client.query(statement);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`migrations/functions/${name}.sql: ${message}`, { cause: error });
  }
  await client.query(
    `insert into applied_functions (name, checksum, version) values ($1, $2, $3)
     on conflict (name) do update set checksum = excluded.checksum, version = excluded.version, applied_at = clock_timestamp()`,
    [name, checksum, ownVersion()],
  );
}
