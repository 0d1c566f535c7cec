import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import pg from "pg";
import { cloneDatabase, emptyDatabase } from "../../../test/support/database.ts";
import { migrate } from "../migrations.ts";
import { copyAll, makeSchema, requireSameRows } from "./same-database.ts";

async function connected(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end().catch(() => {}));
  return client;
}

/** Tables of every kind that a copy must know, though the service may not have one now. */
const KINDS = `
  create table parents (id integer primary key, made integer generated always as (id * 2) stored);
  create table children (id bigint generated always as identity primary key, parent integer not null references parents, "odd ""name""" text);
  create table parts (at timestamptz not null, body bytea, values jsonb, list text[], share numeric, ratio double precision) partition by range (at);
  create table parts_1 partition of parts for values from ('2026-01-01Z') to ('2026-02-01Z');
  create table parts_2 partition of parts for values from ('2026-02-01Z') to ('2026-03-01Z');
  create unlogged table counters (name text, n integer);
  create table nothing (id integer);
  create sequence numbers;
  create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no triggers here'; end $$`;
const ROWS = `
  insert into parents (id) select n from generate_series(1, 20000) n;
  insert into children (parent, "odd ""name""") select n, E'tab\\t, line\\n, back\\\\slash, \\\\N, ' || chr(233) || chr(128512) from generate_series(1, 500) n;
  insert into children (parent, "odd ""name""") values (1, null), (2, ''), (3, E'\\\\.');
  insert into parts select '2026-01-15Z'::timestamptz + n * interval '1 day', decode(repeat('00ff5c0a', 300000 * (n % 2) + 1), 'hex'),
    jsonb_build_object('n', n), array['a,b', null, '{"'], n / 3.0, n / 3.0::float8 from generate_series(0, 30) n;
  insert into counters values ('a', 1);
  select nextval('numbers') from generate_series(1, 41)`;
const TRIGGER = "create trigger refuse before insert on parents for each row execute function refuse()";

test("rows of every kind are copied and compared: generated and identity columns, partitions, unlogged tables, sequences, large values", async (t) => {
  const [from, to] = [
    await connected(t, (await cloneDatabase(t)).url),
    await connected(t, (await cloneDatabase(t)).url),
  ];
  for (const client of [from, to]) await client.query(KINDS);
  await from.query(ROWS);
  await to.query(`insert into nothing values (7); ${TRIGGER}`);
  const copied: string[] = [];
  await copyAll({ from, to }, (table) => copied.push(table));
  const own = (name: string) => /^public\.(children|counters|nothing|parents|parts_\d)$/.test(name);
  assert.deepEqual(copied.filter(own), [
    "public.children",
    "public.counters",
    "public.nothing",
    "public.parents",
    "public.parts_1",
    "public.parts_2",
  ]);
  const { tables, rows } = await requireSameRows({ from, to });
  assert.ok(tables > 100 && rows > 20_000 + 503 + 31 + 1);
  const next =
    "select nextval('public.numbers')::int as number, pg_get_serial_sequence('public.children', 'id') as own";
  assert.deepEqual((await to.query(next)).rows, [{ number: 42, own: "public.children_id_seq" }]);
  await assert.rejects(requireSameRows({ from, to }), /copies of sequences/);
  await to.query("select setval('public.numbers', 41)");

  const CASES: [change: string, undo: string, message: RegExp][] = [
    [
      "delete from public.counters",
      "insert into public.counters values ('a', 1)",
      /public\.counters is not like it: 0 rows of 1/,
    ],
    [
      "update public.parents set id = 20001 where id = 20000",
      "update public.parents set id = 20000 where id = 20001",
      /public\.parents is not like it: 20000 rows of 20000/,
    ],
    [`update public.children set "odd ""name""" = '' where "odd ""name""" is null`, "select", /public\.children/],
  ];
  for (const [change, undo, message] of CASES) {
    await to.query(change);
    await assert.rejects(requireSameRows({ from, to }), message, change);
    await to.query(undo);
  }
});

test("a copy of which one side fails ends with an error, and copies nothing", async (t) => {
  const [url, other] = [(await cloneDatabase(t)).url, (await cloneDatabase(t)).url];
  const from = await connected(t, url);
  const to = await connected(t, other);
  for (const client of [from, to]) await client.query(KINDS);
  await from.query(ROWS);
  await to.query("alter table parents add constraint small check (id < 15000)");
  await assert.rejects(
    copyAll({ from, to }, () => {}),
    /violates check constraint "small"/,
  );
  const later = await connected(t, other);
  assert.deepEqual((await later.query("select count(*)::int as n from children")).rows, [{ n: 0 }]);
  // A row that the other side can read, and this one cannot.
  await from.query("alter table public.counters alter column n type text; update public.counters set n = 'many'");
  await assert.rejects(
    copyAll({ from: await connected(t, url), to: later }, () => {}),
    /invalid input syntax for type integer: "many"/,
  );
  await later.query("rollback");
  // The reading side ends within a table.
  const ended = await connected(t, url);
  const ending = copyAll({ from: ended, to: later }, () => ended.connection.stream.destroy());
  await assert.rejects(ending, /Connection terminated|not queryable/);
});

describe("the schema", () => {
  test("is made as in the other database: of an earlier version, with its functions, triggers and partitions, and migrates from there", async (t) => {
    const old = await connected(t, (await cloneDatabase(t)).url);
    const url = (await emptyDatabase(t)).url;
    const [to, owner] = [await connected(t, url), await connected(t, url)];
    // As the version before 0049 had it.
    await old.query(`
      drop table event_resumptions; delete from migrations where name like '0049-%';
      select maintain_partitions(clock_timestamp() - interval '7 months');
      create or replace function add_partition(parent text, name text, lower_bound text, upper_bound text) returns void
        language plpgsql as 'begin perform ''of before''; end';
      update applied_functions set checksum = 'of before', version = '0.9.0' where name = 'add_partition';
      create function one() returns integer return 1; create function two() returns integer return 2;
      create or replace function one() returns integer return two();
      insert into rate_windows values ('kept', 1, 7)`);
    await makeSchema({ from: old, to }, owner);
    await copyAll({ from: old, to }, () => {});
    const { tables } = await requireSameRows({ from: old, to });
    assert.ok(tables > 100);
    const inBoth =
      "select tgname, tgrelid::regclass::text as on from pg_trigger where not tgisinternal and tgparentid = 0 order by 1, 2";
    const triggers = (await old.query(inBoth)).rows;
    assert.ok(triggers.length > 20);
    assert.deepEqual((await to.query(inBoth)).rows, triggers);
    const bodies =
      "select oid::regprocedure::text as name, pg_get_functiondef(oid) as body from pg_proc where pronamespace = 'public'::regnamespace order by 1";
    assert.deepEqual((await to.query(bodies)).rows, (await old.query(bodies)).rows);
    assert.deepEqual(await migrate(url), ["0049-rewound-sequences", "functions/add_partition"]);
  });

  test("what no migration makes would be lost, and is named", async (t) => {
    const LOST: [made: string, named: string][] = [
      ["create table mine (id integer)", "relation public.mine (r p f f "],
      ["create view seen as select 1 as one", "relation public.seen (v "],
      ["create index mine_too on customers (organisation_id, created_at, id)", "index public.mine_too"],
      ["alter table invoices add column mine text", "column public.invoices.mine (text "],
      ["alter table invoices add constraint mine check (true)", "constraint mine of public.invoices"],
      ["create schema mine", "schema mine"],
      ["create type mood as enum ('good')", "type public.mood"],
      ["grant delete on quotes to tefo_gate", "right to delete public.quotes of tefo_gate"],
      ["alter table customers disable row level security", "relation public.customers (r p f t "],
      ["create policy mine on customers using (true)", "policy mine of public.customers"],
    ];
    const old = await connected(t, (await cloneDatabase(t)).url);
    const url = (await emptyDatabase(t)).url;
    const [to, owner] = [await connected(t, url), await connected(t, url)];
    for (const [made] of LOST) await old.query(made);
    await assert.rejects(makeSchema({ from: old, to }, owner), ({ message }: Error) => {
      assert.deepEqual(
        LOST.filter(([, named]) => !message.includes(named)),
        [],
        message,
      );
      assert.match(message, /Remove it with the release before this one, and make it again afterwards\.$/);
      return true;
    });
  });

  test("a database of another version or build is refused, and nothing is made", async (t) => {
    const REFUSED: [made: string, message: RegExp][] = [
      ["insert into migrations values ('9999-later', 'x')", /A newer release than this one/],
      ["update applied_functions set version = '99.0.0' where name = 'day_of'", /A newer release than this one/],
      ["update migrations set checksum = 'x' where name like '0002-%'", /Migration 0002-discounts is not the one/],
      ["insert into migrations values ('0001-foundation', 'x')", /from before version 1\.0\. Start it once/],
    ];
    const old = await connected(t, (await cloneDatabase(t)).url);
    const url = (await emptyDatabase(t)).url;
    const to = await connected(t, url);
    for (const [made, message] of REFUSED) {
      await old.query(`begin; ${made}`);
      await assert.rejects(makeSchema({ from: old, to }, to), message);
      await old.query("rollback");
      const { rows } = await to.query("select relname from pg_class where relnamespace = 'public'::regnamespace");
      assert.deepEqual(rows, []);
    }
    await migrate(url);
  });
});
