import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Database } from "./database.ts";
import { distribute } from "./distribution.ts";

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

/**
 * Brings the database up to date, each migration in one transaction, one process at a time (decision 9), and places new tables on the
 * nodes of a distributed one. Answers the names applied. Throws when an applied migration has changed, or a lock is not granted within 5 s.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('tefo migrate'))");
    await client.query(
      "create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp())",
    );
    const { rows } = await client.query<{ name: string; checksum: string }>("select name, checksum from migrations");
    const applied = new Map(rows.map((row) => [row.name, row.checksum]));
    const done: string[] = [];
    for (const migration of migrations()) {
      const before = applied.get(migration.name);
      if (before !== undefined && before !== migration.checksum)
        throw new Error(
          `Migration ${migration.name} is not the one that was applied to this database: it was made by another build of Tefo.`,
        );
      if (before !== undefined) continue;
      await apply(client, migration);
      done.push(migration.name);
    }
    if (done.length > 0) await client.query("grant select on migrations to tefo_app");
    await distribute(client);
    return done;
  } finally {
    await client.end();
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("begin; set local lock_timeout = '5s'");
    await client.query(migration.sql);
    await client.query("insert into migrations (name, checksum) values ($1, $2)", [migration.name, migration.checksum]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`Migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Whether every migration this build knows has been applied; for `/health/ready`. */
export async function migrationsCurrent(db: Database): Promise<boolean> {
  const rows = await db.sql<{ name: string }>`select name from migrations`;
  const applied = new Set(rows.map((row) => row.name));
  known ??= files().map(nameOf);
  return known.every((name) => applied.has(name));
}
