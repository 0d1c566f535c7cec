import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { schemaText } from "../scripts/generated/schema.ts";
import { machineNow } from "../src/kernel/time.ts";
import { QUOTE_EXPIRE } from "../src/modules/quotes/declarations.ts";
import { claimWork, enqueue } from "../src/platform/due-work.ts";
import { migrate } from "../src/platform/migrations.ts";
import { cloneDatabase, emptyDatabase } from "./support/database.ts";
import { openExaminedOrganisation } from "./support/examined-organisation.ts";
import { ROOT } from "./support/source.ts";

/* What `migrate` makes of a new database, of one that is older, and of one that a newer version has migrated. */

const FUNCTIONS = join(ROOT, "migrations/functions");
/** Names and checksums of the migrations before version 1.0, as a database has them that was made by these. */
const EARLIER = readFileSync(join(ROOT, "test/fixtures/earlier-migrations.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Makes of a database what the migrations before version 1.0 had made of it; the functions that went are there by their names. */
const AS_EARLIER = `
  alter table due_work rename column is_due to ripe;
  alter table due_work rename column waits_for_clock to held;
  alter table due_work rename column asked_during_move to meanwhile;
  alter index due_work_due rename to due_work_ripe;
  alter index due_work_waiting rename to due_work_held;
  alter index due_work_asked_during_move rename to due_work_meanwhile;
  create function date_journal_line() returns trigger language plpgsql as 'begin return new; end';
  create trigger journal_lines_dated before insert on journal_lines for each row execute function date_journal_line();
  create function claim_idempotency_key(text, text, text) returns void language sql as '';
  create function claim_idempotency_key(text, text, text, text, bytea, timestamptz) returns void language sql as '';
  create function enqueue_due_works(text, text[], text[], timestamptz[], text[]) returns void language sql as '';
  create function renew_due_work(text, text[], text[], text[], integer) returns void language sql as '';
  drop table applied_functions;
  delete from migrations;
  insert into migrations (name, checksum) values ${EARLIER.map(([name, checksum]) => `('${name}', '${checksum}')`).join(", ")}`;

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

describe("a database from before version 1.0", () => {
  test("is adopted: no row is lost, it has the same schema as a new one, and works", async () => {
    const examined = await openExaminedOrganisation();
    const { url, services, organisation } = examined;
    const client = await connect(url);
    try {
      await client.query(AS_EARLIER);
      const { rows: counted } = await client.query(COUNTS);
      assert.ok(counted.length > 90);
      assert.equal((await migrate(url))[0], "0001-baseline");
      assert.deepEqual((await client.query(COUNTS)).rows, counted);
      assert.equal(await schemaText(client), readFileSync(join(ROOT, "schema.sql"), "utf8"));
      assert.deepEqual(await migrate(url), []);
      assert.deepEqual((await examined.verify()).faults, []);
      await services.db.transaction(organisation.id, async (tx) => enqueue(tx, QUOTE_EXPIRE, "quo_none", machineNow()));
      const limits = { limit: 1000, laneLimit: 1000, laneLimits: {}, kinds: {} };
      const { claimed } = await claimWork(services.db, "worker", null, limits);
      assert.ok(claimed.some(({ work }) => work.subject === "quo_none"));
    } finally {
      await client.end();
      await examined.close();
    }
  });

  const refused = (name: string, change: string, message: RegExp) =>
    test(name, async (t) => {
      const { url } = await cloneDatabase(t);
      await connected(url, async (client) => {
        await client.query(`${AS_EARLIER}; ${change}`);
        await assert.rejects(migrate(url), message);
        const { rows } = await client.query("select ripe from due_work where ripe");
        assert.deepEqual(rows, [], "nothing of it was changed");
      });
    });
  refused(
    "is refused while it lacks some of its migrations",
    "delete from migrations where name ~ '^038[05]'",
    /^Error: Migration 0001-baseline failed: .* lacks 0380, 0385\. Start it once with version 0\.1\.0, then with this one\.$/,
  );
  refused(
    "is refused when another build has made it",
    "update migrations set checksum = 'another' where name ~ '^0007'",
    /another build of it than 0\.1\.0/,
  );
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
