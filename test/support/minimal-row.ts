import type pg from "pg";

/** A sample value for each column type. */
const SAMPLES: readonly [pattern: RegExp, sql: string][] = [
  [/\[\]$/, "'{}'"],
  [/^jsonb?$/, "'{}'"],
  [/^(bigint|integer|smallint|numeric|real|double)/, "1"],
  [/^boolean$/, "true"],
  [/^timestamp/, "'2026-01-01T00:00:00Z'"],
  [/^date$/, "'2026-01-01'"],
  [/^bytea$/, "'\\x00'"],
  [/^uuid$/, "'00000000-0000-0000-0000-000000000000'"],
  [/^inet$/, "'127.0.0.1'"],
  [/^(text|character)/, "'x'"],
];

const sampleOf = (type: string): string => {
  const sample = SAMPLES.find(([pattern]) => pattern.test(type))?.[1];
  if (sample === undefined) throw new Error(`No sample value for the type ${type}`);
  return sample;
};

/**
 * Inserts a row of `organisation` into the table without its checks, foreign keys and triggers, to test who can see a
 * row. Needs the superuser, and a database that is dropped afterwards, since it removes the checks.
 */
export async function insertMinimalRow(
  client: pg.Client,
  table: { readonly oid: number; readonly name: string; readonly partitioned: boolean },
  organisation: string,
): Promise<void> {
  const checks = await client.query<{ name: string }>(
    "select conname as name from pg_constraint where conrelid = $1 and contype = 'c'",
    [table.oid],
  );
  for (const { name } of checks.rows) await client.query(`alter table ${table.name} drop constraint "${name}"`);
  if (table.partitioned) await client.query(`create table ${table.name}_rest partition of ${table.name} default`);
  const columns = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = $1 and attnum > 0 and not attisdropped and attnotnull and attgenerated = '' and attidentity = ''`,
    [table.oid],
  );
  const names = columns.rows.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.rows.map(({ name, type }) =>
    name === "organisation_id" ? `'${organisation}'` : sampleOf(type),
  );
  await client.query("begin; set local session_replication_role = replica");
  await client.query(`insert into ${table.name} (${names}) values (${values.join(", ")})`);
  await client.query("commit");
}
