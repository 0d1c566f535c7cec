import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { eventually } from "../../test/support/processes.ts";
import { openProxy } from "../../test/support/tcp-proxy.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { type Database, openDatabase, part, type Tx } from "./database.ts";
import { sqlState, violatedUnique } from "./faults.ts";

const [ours, theirs] = ["a", "b"].map((letter) => `org_${letter.repeat(26)}` as OrganisationId) as [
  OrganisationId,
  OrganisationId,
];
/** One connection, so that state that a transaction leaves on it affects the next one. */
let db: Database;
let superuser: pg.Client;
let url: string;

before(async () => {
  ({ url } = await cloneDatabase());
  superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(`
    create table things (organisation_id text, id text, size bigint, primary key (organisation_id, id));
    alter table things enable row level security;
    create policy tenant on things using (organisation_id = app_organisation());
    grant select, insert on things to tefo_app`);
  db = openDatabase(url, { connections: 1 });
});
after(async () => {
  await db.close();
  await superuser.end();
});
beforeEach(() => superuser.query("truncate things"));

const add = (tx: Tx, id: string, size = 1) =>
  tx.queue`insert into things (organisation_id, id, size) values (${tx.organisation}, ${id}, ${size})`;
const ids = async (tx: Tx) =>
  (await tx.sql<{ id: string }>`select id from things where organisation_id = ${tx.organisation} order by id`).map(
    ({ id }) => id,
  );
const stored = () => db.read(ours, ids);
const failsWith = (code: string) => (error: unknown) => sqlState(error) === code;

/** The state of the one connection in pg_stat_activity. */
async function connectionState(): Promise<string[]> {
  const { rows } = await superuser.query<{ state: string }>(
    "select state from pg_stat_activity where application_name = 'tefo' and datname = current_database()",
  );
  return rows.map(({ state }) => state);
}

test("values are read back as they were sent, alone and in arrays", async () => {
  const texts = ["", "it's", '"q"', "\\", "{a,b}", "NULL", "line\nfeed", "Ünï 🎉", "a,b"];
  const bytes = Buffer.from([0, 1, 255]);
  const at = new Date("2026-11-20T10:11:12.345Z");
  const [row] = await db.sql<Record<string, unknown>>`
    select ${texts}::text[] as texts, ${bytes}::bytea as bytes, ${[bytes]}::bytea[] as many_bytes, ${at}::timestamptz as at,
      ${[1, null, -2.5]}::numeric[] as numbers, ${true}::boolean as yes, ${null}::text as nothing, ${[]}::text[] as none,
      ${{ a: [1, "x"] }}::jsonb as object, ${Number.MAX_SAFE_INTEGER}::bigint as large, ${"2026-03-01"}::date as day,
      ${[["a"], ["b"]]}::text[] as nested`;
  assert.deepEqual(
    { ...row },
    {
      texts,
      bytes,
      many_bytes: [bytes],
      at,
      numbers: [1, null, -2.5],
      yes: true,
      nothing: null,
      none: [],
      object: { a: [1, "x"] },
      large: Number.MAX_SAFE_INTEGER,
      day: "2026-03-01",
      nested: [["a"], ["b"]],
    },
  );
});

describe("a transaction", () => {
  test("runs its statements in the order given, the same one twice too, and keeps them", async () => {
    const seen = await db.transaction(ours, async (tx) => {
      const before = ids(tx);
      add(tx, "1");
      add(tx, "2");
      return [await before, await ids(tx)];
    });
    assert.deepEqual(seen, [[], ["1", "2"]]);
    assert.deepEqual(await stored(), ["1", "2"]);
  });

  test("that fails leaves nothing, and says what failed first", async () => {
    const failing = db.transaction(ours, async (tx) => {
      add(tx, "1");
      add(tx, "1");
      add(tx, "2");
      return ids(tx);
    });
    await assert.rejects(failing, failsWith("23505"));
    assert.deepEqual(await stored(), []);
    await db.transaction(ours, async (tx) => add(tx, "2"));
    assert.deepEqual(await stored(), ["2"]);
  });

  test("rejects although its work caught the failure", async () => {
    const failing = db.transaction(ours, async (tx) => {
      add(tx, "1");
      await tx.sql`select 1 / (${0}::int)`.catch(() => {});
    });
    await assert.rejects(failing, failsWith("22012"));
    assert.deepEqual(await stored(), []);
  });

  test("that is refused before anything has left, or after, leaves the connection idle", async () => {
    for (const wait of [false, true]) {
      const refused = db.transaction(ours, async (tx) => {
        add(tx, "1");
        if (wait) await ids(tx);
        add(tx, "2");
        throw new RangeError("refused");
      });
      await assert.rejects(refused, RangeError);
      assert.deepEqual(await stored(), []);
      assert.deepEqual(await connectionState(), ["idle"]);
    }
  });

  test("sees and writes one organisation only", async () => {
    await db.transaction(ours, async (tx) => add(tx, "1"));
    assert.deepEqual(await db.transaction(theirs, (tx) => tx.sql`select * from things`), []);
    const foreign = db.transaction(
      theirs,
      async (tx) => void tx.queue`insert into things (organisation_id, id) values (${ours}, ${"2"})`,
    );
    await assert.rejects(foreign, failsWith("42501"));
    assert.deepEqual(await db.sql`select * from things`, []);
  });
});

describe("a read", () => {
  test("of several turns sees one organisation in each", async () => {
    for (const organisation of [ours, theirs]) await db.transaction(organisation, async (tx) => add(tx, organisation));
    const seen = await db.read(ours, async (tx) => [
      await tx.sql`select id from things`,
      await tx.sql`select id from things`,
    ]);
    assert.deepEqual(seen, [[{ id: ours }], [{ id: ours }]]);
    assert.deepEqual(await db.sql`select * from things`, []);
  });

  test("sees one state of the database in the statements of one turn", async () => {
    await superuser.query("select pg_advisory_lock(1)");
    const count = (tx: Tx) =>
      tx.sql`select count(*)::integer as things from things where organisation_id = ${tx.organisation}`;
    const reading = db.read(ours, (tx) =>
      Promise.all([
        tx.sql`select count(*)::integer as things, pg_advisory_xact_lock(1)::text from things where organisation_id = ${tx.organisation}`,
        count(tx),
      ]),
    );
    const waits = "select from pg_locks where locktype = 'advisory' and not granted";
    while ((await superuser.query(waits)).rowCount === 0);
    await superuser.query("insert into things (organisation_id, id) values ($1, 'late')", [ours]);
    await superuser.query("select pg_advisory_unlock(1)");
    const [first, second] = await reading;
    assert.deepEqual(
      [first[0], second[0]].map((row) => (row as { things: number }).things),
      [0, 0],
    );
  });

  test("writes nothing", async () => {
    const writing = (tx: Tx) =>
      tx.sql`insert into things (organisation_id, id) values (${tx.organisation}, ${"1"}) returning id`;
    // As on a database that takes no writes at all.
    await assert.rejects(db.read(ours, writing), ({ cause }: Error) => failsWith("25006")(cause));
    await assert.rejects(
      db.read(ours, async (tx) => add(tx, "1")),
      /no writes/,
    );
    assert.deepEqual(await stored(), []);
  });

  test("that fails, alone or among others, leaves the connection as it was", async () => {
    const divide = (tx: Tx, by: number) => tx.sql`select 1 / (${by}::int) as result`;
    const failing = db.read(ours, (tx) => Promise.all([divide(tx, 1), divide(tx, 0), divide(tx, 1)]));
    await assert.rejects(failing, failsWith("22012"));
    assert.deepEqual(await db.read(ours, (tx) => divide(tx, 1)), [{ result: 1 }]);
    assert.deepEqual(await connectionState(), ["idle"]);
  });
});

test("a value that cannot be read is a failure, and the statements behind it are answered", async () => {
  const [large, small] = await db.read(ours, (tx) =>
    Promise.allSettled([tx.sql`select ${"9007199254740993"}::bigint as size`, tx.sql`select 1::bigint as size`]),
  );
  assert.equal(large.status, "rejected");
  assert.deepEqual(small, { status: "fulfilled", value: [{ size: 1 }] });
});

test("parts make one statement of each form", async () => {
  await db.transaction(ours, async (tx) => {
    for (const id of ["1", "2", "3"]) add(tx, id, Number(id));
  });
  const larger = (than: number | null) =>
    db.read(
      ours,
      (tx) =>
        tx.sql`select id from things where organisation_id = ${tx.organisation} ${than === null ? part`` : part`and size > ${than}`} order by id`,
    );
  assert.deepEqual(await larger(1), [{ id: "2" }, { id: "3" }]);
  assert.deepEqual(await larger(null), [{ id: "1" }, { id: "2" }, { id: "3" }]);
  assert.deepEqual(await larger(2), [{ id: "3" }]);
});

test("a migration that adds a column during use breaks no statement", async () => {
  const all = () => db.read(ours, (tx) => tx.sql`select * from things where organisation_id = ${tx.organisation}`);
  await db.transaction(ours, async (tx) => add(tx, "1", 7));
  assert.deepEqual(await all(), [{ organisation_id: ours, id: "1", size: 7 }]);
  await superuser.query("alter table things add column colour text default 'red'");
  assert.deepEqual(await all(), [{ organisation_id: ours, id: "1", size: 7, colour: "red" }]);
  await superuser.query("alter table things drop column colour");
  const rows = await db.transaction(ours, (tx) => tx.sql`select * from things where organisation_id = ${ours}`);
  assert.deepEqual(rows, [{ organisation_id: ours, id: "1", size: 7 }]);
});

describe("a database that cannot be connected to answers 503, whatever the reason", () => {
  const unreachable = {
    "a port that nobody listens at": "postgres://me:me@127.0.0.1:1/none",
    "a name that does not resolve": "postgres://me:me@nowhere.invalid/none",
    "a password that was changed": () => replaced({ password: "wrong" }),
    "a database that was taken away": () => replaced({ pathname: "/gone" }),
  };
  const replaced = (parts: Partial<URL>) => Object.assign(new URL(url), parts).href;
  for (const [what, where] of Object.entries(unreachable))
    test(what, async () => {
      const away = openDatabase(typeof where === "string" ? where : where(), { connections: 1 });
      const refused = (error: unknown) =>
        error instanceof ApiError && error.status === 503 && error.cause !== undefined;
      await assert.rejects(away.sql`select 1`, refused);
      await assert.rejects(away.read(ours, ids), refused);
      await assert.rejects(away.transaction(ours, ids), refused);
      await away.close();
    });
});

test("a server that is silent is given up, and connections to it are made anew", async (t) => {
  const proxy = await openProxy(() => Number(new URL(url).port));
  t.after(proxy.close);
  const through = Object.assign(new URL(url), { port: String(proxy.port) }).href;
  const far = openDatabase(through, { connections: 1, silenceMs: 300 });
  t.after(far.close);
  await far.transaction(ours, async (tx) => add(tx, "before"));
  proxy.silence();
  await assert.rejects(far.transaction(ours, ids), (error) => error instanceof ApiError && error.status === 503);
  assert.deepEqual(await far.transaction(ours, ids), ["before"]);
});

test("a statement that may take long is waited for, in its transaction alone", async () => {
  const patient = openDatabase(url, { connections: 1, silenceMs: 300 });
  const sleeping = (mayTake: number | null) =>
    patient.transaction(ours, async (tx) => {
      if (mayTake !== null) tx.mayTake(mayTake);
      await tx.sql`select pg_sleep(0.9)`;
    });
  await sleeping(5);
  await assert.rejects(sleeping(null), (error) => error instanceof ApiError && error.status === 503);
  await patient.close();
});

test("a process lets go of a silent server when it stops", async (t) => {
  const proxy = await openProxy(() => Number(new URL(url).port));
  t.after(proxy.close);
  const far = openDatabase(Object.assign(new URL(url), { port: String(proxy.port) }).href, { connections: 1 });
  const held = await far.hold("a name");
  const woken = Promise.withResolvers<void>();
  const stop = far.listen("a channel", woken.resolve);
  await woken.promise;
  proxy.silence();
  await Promise.all([held?.release(), stop(), far.close()]);
});

test("a server that refuses to listen, as a standby does, is left no connection", async (t) => {
  let made = 0;
  const proxy = await openProxy(() => {
    made++;
    return Number(new URL(url).port);
  });
  t.after(proxy.close);
  const refused = openDatabase(Object.assign(new URL(url), { port: String(proxy.port) }).href, { connections: 1 });
  const stop = refused.listen("", () => {});
  await eventually("it is tried again", async () => made > 3);
  const { rows } = await superuser.query("select from pg_stat_activity where query = 'listen \"\"'");
  assert.ok(rows.length <= 1, `${rows.length} connections are open`);
  await stop();
  await refused.close();
});

test("a read can go on after a failed statement, and leaves its connection clean", async () => {
  await db.transaction(ours, async (tx) => add(tx, "a"));
  const found = await db.read(ours, async (tx) => {
    await assert.rejects(tx.sql`select 1 / ${0}::integer`, failsWith("22012"));
    return ids(tx);
  });
  assert.deepEqual(found, ["a"]);
  await db.read(ours, (tx) => tx.sql`select 1 / ${0}::integer`.catch(() => []));
  assert.deepEqual(await stored(), ["a"]);
  assert.deepEqual(await connectionState(), ["idle"]);
  await assert.rejects(db.read("org_'; drop table things; --" as OrganisationId, ids), /names its organisation/);
});

test("plans are generic, but in a distributed database", async () => {
  const mode = await db.sql<{ plan_cache_mode: string }>`show plan_cache_mode`;
  const distributed = await db.sql`select from pg_extension where extname = 'citus'`;
  assert.deepEqual(mode, [{ plan_cache_mode: distributed.length > 0 ? "auto" : "force_generic_plan" }]);
});

describe("the violated unique constraint", () => {
  const violation = (constraint: string | undefined, message: string, code = "23505") =>
    Object.assign(new pg.DatabaseError(message, message.length, "error"), { code, constraint });
  const CASES: [string, unknown, string | null][] = [
    ["named by its field", violation("members_pkey", "duplicate"), "members_pkey"],
    ["of a shard", violation("members_pkey_102008", "duplicate"), "members_pkey"],
    ["of a partition", violation("events_202611_pkey", "duplicate"), "events_202611_pkey"],
    [
      "in the message alone, of a shard",
      violation(undefined, 'duplicate key value violates unique constraint "organisations_slug_key_1020081"'),
      "organisations_slug_key",
    ],
    ["not named at all", violation(undefined, "duplicate"), ""],
    ["of another kind", violation("members_check", "no", "23514"), null],
    ["of no database", new Error("duplicate"), null],
  ];
  for (const [name, error, expected] of CASES) test(name, () => assert.equal(violatedUnique(error), expected));
});
