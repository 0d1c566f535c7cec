import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { schemaText } from "../scripts/generated/schema.ts";
import { EXAMINATIONS } from "../src/catalogue.ts";
import { verifyOrganisation } from "../src/flows/verify/verify-organisation.ts";
import { allOrganisations } from "../src/modules/organisations/store.ts";
import { QUOTE_EXPIRE } from "../src/modules/quotes/declarations.ts";
import { claimWork, enqueue } from "../src/platform/due-work.ts";
import { machineNow } from "../src/platform/machine-clock.ts";
import { migrate } from "../src/platform/migrations.ts";
import { cloneDatabase, emptyDatabase } from "./support/database.ts";
import { openServices } from "./support/paid-organisation.ts";
import { ROOT } from "./support/source.ts";

/* What `migrate` makes of a new database, of one that is older, and of one that a newer version has migrated. */

const FUNCTIONS = join(ROOT, "migrations/functions");
/** A database of version 0.1.0, made by that version, with records of every kind; as pg_dump writes it. */
const OF_0_1_0 = join(ROOT, "test/fixtures/database-0.1.0.sql.gz");

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Runs `work` on a connection as the superuser. */
async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connect(url);
  await work(client).finally(() => client.end());
}

const COUNTS = `
  select c.relname as name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', c.oid::regclass), false, true, '')))[1]::text as rows
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not in ('migrations', 'applied_functions')
   order by 1`;

/** What a partition of a day or a month is kept for, in days; `migrate` drops those past it. */
const KEPT_DAYS: Record<string, number> = {
  idempotency_keys: 2,
  request_log: 30,
  events: 396,
  webhook_deliveries: 396,
  audit_log: 1857,
};

/** Names that tables bear since, by those that version 0.1.0 gave them. */
const RENAMED: Record<string, string> = { recorded_periods: "external_periods" };

/** Whether a table is a partition that is past its retention at `now`. */
function pastRetention(name: string, now: Date): boolean {
  const [, parent = "", year, month, day] = /^(.+)_(\d{4})(\d\d)(\d\d)?$/.exec(name) ?? [];
  const kept = KEPT_DAYS[parent];
  if (kept === undefined) return false;
  return now.getTime() - Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1)) > kept * 86_400_000;
}

/** Those that fill rows see what row level security lets them see: an owner of the tables is no superuser everywhere. */
test("migrations that fill rows of organisations do so for each, as its own", () => {
  const folder = join(ROOT, "migrations");
  const early = ["0005-received.sql", "0008-phone-words.sql", "0023-payment-attempts.sql", "0038-undone-payments.sql"];
  const filling = readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file) && file !== "0001-baseline.sql")
    .map((file) => ({ file, sql: readFileSync(join(folder, file), "utf8").replaceAll(/--.*$/gm, "") }))
    .filter(({ sql }) => /^\s*(update|delete from|insert into)\s/im.test(sql));
  assert.deepEqual(
    filling.map(({ file }) => file).filter((file) => early.includes(file)),
    early,
    "what 0052 fills again",
  );
  for (const { file, sql } of filling)
    if (!early.includes(file))
      assert.match(sql, /all_organisations\(\)[\s\S]*set_config\('app\.organisation_id'/, file);
});

describe("a database of version 0.1.0", () => {
  /** Restores it. */
  async function restored(t: TestContext): Promise<string> {
    const { url } = await emptyDatabase(t);
    await connected(url, async (client) => {
      await client.query(gunzipSync(readFileSync(OF_0_1_0)).toString());
    });
    return url;
  }

  test("is adopted: no row is lost, it has the same schema as a new one, verify finds nothing, and it works", async (t) => {
    const url = await restored(t);
    await connected(url, async (client) => {
      const { rows: before } = await client.query<{ name: string; rows: string }>(COUNTS);
      assert.ok(before.length > 90);
      assert.equal((await migrate(url))[0], "0001-baseline");
      const { rows } = await client.query<{ name: string; rows: string }>(COUNTS);
      const after = new Map(rows.map((row) => [row.name, row.rows]));
      // Later migrations fill what is derived from other rows.
      const derived = ["day_sums", "customer_words"];
      const lasting = before.filter(({ name }) => !derived.includes(name) && !pastRetention(name, machineNow()));
      assert.deepEqual(
        lasting.map(({ name }) => ({ name, rows: after.get(RENAMED[name] ?? name) })),
        lasting,
      );
      assert.equal(await schemaText(client), readFileSync(join(ROOT, "schema.sql"), "utf8"));
    });
    assert.deepEqual(await migrate(url), []);
    const services = openServices(url);
    t.after(() => services.db.close());
    const [organisation] = await allOrganisations(services.db);
    assert.ok(organisation);
    let examined = 0;
    for await (const { rows, faults } of verifyOrganisation(services, organisation, EXAMINATIONS)) {
      assert.deepEqual(faults, []);
      examined += rows;
    }
    assert.ok(examined > 500);
    await services.db.transaction(organisation.id, async (tx) => enqueue(tx, QUOTE_EXPIRE, "quo_none", machineNow()));
    const limits = { limit: 1000, laneLimit: 1000, laneLimits: {}, kinds: {} };
    const { claimed } = await claimWork(services.db, "worker", null, limits);
    assert.ok(claimed.some(({ work }) => work.subject === "quo_none"));
  });

  for (const [what, change] of [
    ["it lacks some of its migrations", "delete from migrations where name ~ '^0340'"],
    ["another build has made it", "update migrations set checksum = 'another' where name ~ '^0007'"],
  ] as const)
    test(`is refused when ${what}`, async (t) => {
      const url = await restored(t);
      await connected(url, async (client) => {
        await client.query(change);
        await assert.rejects(
          migrate(url),
          /^Error: Migration 0001-baseline failed: .* Start it once with version 0\.1\.0, then with this one\.$/,
        );
        const { rows } = await client.query("select ripe from due_work where ripe is null");
        assert.deepEqual(rows, [], "nothing of it was changed");
      });
    });
});

describe("functions of the database", () => {
  const files = readdirSync(FUNCTIONS);
  const body = "select prosrc like '%of another text%' as other from pg_proc where proname = 'refuse_stored_key'";
  const OTHER = `
    create or replace function refuse_stored_key() returns void language plpgsql as $$ begin raise 'of another text'; end $$;
    update applied_functions set checksum = 'another' where name = 'refuse_stored_key'`;
  let client: pg.Client;
  let url: string;
  before(async () => {
    url = (await cloneDatabase()).url;
    client = await connect(url);
  });
  after(() => client?.end());

  test("have a file each, which is named as its function and applies to itself", async (t) => {
    const { rows } = await client.query<{ name: string }>(
      "select proname as name from pg_proc where pronamespace = 'public'::regnamespace order by proname collate \"C\"",
    );
    assert.deepEqual(
      files.sort(),
      rows.map(({ name }) => `${name}.sql`),
    );
    await client.query("begin");
    t.after(() => client.query("rollback"));
    await client.query("grant create on schema public to tefo_gate");
    // With their bodies checked, which `migrate` leaves out: a function of SQL that names a column that there is not fails here.
    for (const file of files) await client.query(readFileSync(join(FUNCTIONS, file), "utf8"));
  });

  test("are applied again when their texts differ from what the database has", async () => {
    await client.query(OTHER);
    assert.deepEqual(await migrate(url), ["functions/refuse_stored_key"]);
    assert.deepEqual((await client.query(body)).rows, [{ other: false }]);
  });

  for (const [newer, made, undone] of [
    [
      "version",
      "update applied_functions set version = '99.0.0-rc.1' where name = 'refuse_stored_key'",
      "update applied_functions set version = '0.0.1'",
    ],
    [
      "migration",
      "insert into migrations (name, checksum) values ('9999-later', '')",
      "delete from migrations where name = '9999-later'",
    ],
  ])
    test(`stay as a newer ${newer} has made them, until this one is the newest again`, async () => {
      await client.query(`${OTHER}; ${made}`);
      assert.deepEqual(await migrate(url), []);
      assert.deepEqual((await client.query(body)).rows, [{ other: true }]);
      await client.query(String(undone));
      assert.deepEqual(await migrate(url), ["functions/refuse_stored_key"]);
    });
});

test("the schema of a new database is schema.sql", async (t) => {
  const { url } = await emptyDatabase(t);
  const applied = await migrate(url);
  assert.equal(applied[0], "0001-baseline");
  await connected(url, async (client) => {
    assert.equal(await schemaText(client), readFileSync(join(ROOT, "schema.sql"), "utf8"));
  });
});
