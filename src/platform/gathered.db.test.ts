import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { fc } from "../../test/support/property.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { type Database, openDatabase, type Tx } from "./database.ts";
import { sqlState } from "./faults.ts";
import { claimKey, isStored } from "./idempotency-keys.ts";

const [ours, theirs] = ["a", "b"].map((letter) => `org_${letter.repeat(26)}` as OrganisationId) as [
  OrganisationId,
  OrganisationId,
];
/** A key of the advisory lock that each commit of a document named "slow" takes. */
const COMMIT_LOCK = 7;
let db: Database;
let superuser: pg.Client;

before(async () => {
  const { url } = await cloneDatabase();
  superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(`
    create table counters (organisation_id text primary key, last bigint not null);
    create table documents (organisation_id text, number bigint, name text, unique (organisation_id, name));
    create function at_commit() returns trigger language plpgsql as $$ begin
      if new.name = 'slow' then perform pg_advisory_xact_lock(${COMMIT_LOCK}); end if;
      if new.name = 'refused' then raise exception 'refused' using errcode = '23514'; end if;
      return null;
    end $$;
    create constraint trigger at_commit after insert on documents deferrable initially deferred for each row execute function at_commit();
    grant select, insert, update on counters, documents to tefo_app`);
  db = openDatabase(url, { connections: 4 });
});
after(async () => {
  await db.close();
  await superuser.end();
});
beforeEach(() => superuser.query("truncate counters, documents"));

/** Takes the organisation's next number for a document of this name: answers it with the id of its top-level transaction. */
async function number(tx: Tx, name: string): Promise<{ number: number; transaction: string }> {
  const [row] = await tx.sql<{ last: number; transaction: string }>`
    insert into counters as c (organisation_id, last) values (${tx.organisation}, 1)
    on conflict (organisation_id) do update set last = c.last + 1
    returning last, pg_current_xact_id()::text as transaction`;
  assert.ok(row);
  tx.queue`insert into documents (organisation_id, number, name) values (${tx.organisation}, ${row.last}, ${name})`;
  return { number: row.last, transaction: row.transaction };
}

/** Begins a work that ends when the answered function is called; works that arrive before are gathered. */
async function hold(organisation = ours): Promise<() => void> {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = db.gathered(organisation, async (tx) => {
    await tx.sql`select 1`;
    begun.resolve();
    await go.promise;
  });
  await begun.promise;
  return () => {
    go.resolve();
    void held;
  };
}

/** Starts works while another is running; answers the outcome of each. */
async function together<T>(...works: ((tx: Tx) => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const go = await hold();
  const asked = works.map((work) => db.gathered(ours, work));
  go();
  return Promise.allSettled(asked);
}

const documents = async () =>
  (
    await superuser.query<{ number: string; name: string }>("select number, name from documents order by number")
  ).rows.map(({ number, name }) => `${number} ${name}`);
const kept = <T>(settled: PromiseSettledResult<T> | undefined): T => {
  assert.ok(settled?.status === "fulfilled", `fulfilled: ${settled?.status === "rejected" && settled.reason}`);
  return settled.value;
};
const failed = (settled: PromiseSettledResult<unknown> | undefined): unknown => {
  assert.ok(settled?.status === "rejected", "rejected");
  return settled.reason;
};
const refusal = new ApiError("invalid_state", 409, "No.");
const divide = (tx: Tx) => tx.sql`select 1 / (${0}::int)`;

describe("works of one organisation", () => {
  test("that wait at the same time share a transaction, in order of arrival; the first does not wait", async () => {
    const first = db.gathered(ours, (tx) => number(tx, "first"));
    const others = ["a", "b", "c"].map((name) => db.gathered(ours, (tx) => number(tx, name)));
    const alone = await first;
    const gathering = await Promise.all(others);
    assert.deepEqual(
      gathering.map((each) => each.number),
      [2, 3, 4],
    );
    assert.equal(new Set(gathering.map(({ transaction }) => transaction)).size, 1);
    assert.notEqual(gathering[0]?.transaction, alone.transaction);
    assert.deepEqual(await documents(), ["1 first", "2 a", "3 b", "4 c"]);
  });

  test("are at most 64 in one transaction", async () => {
    const names = Array.from({ length: 65 }, (_, index) => `document ${index}`);
    const settled = await together(...names.map((name) => (tx: Tx) => number(tx, name)));
    const transactions = settled.map((each) => kept(each).transaction);
    assert.equal(new Set(transactions.slice(0, 64)).size, 1);
    assert.notEqual(transactions[64], transactions[0]);
    assert.equal((await documents()).at(-1), "65 document 64");
  });

  test("do not wait for another's", async () => {
    const go = await hold();
    assert.equal((await db.gathered(theirs, (tx) => number(tx, "theirs"))).number, 1);
    go();
    await db.gathered(ours, async () => null);
  });

  test("take no savepoint when they come alone", async () => {
    const alone = await db.gathered(ours, (tx) => number(tx, "alone"));
    const [first] = await together(
      (tx) => number(tx, "first"),
      (tx) => number(tx, "second"),
    );
    // A row written under a savepoint has the id of its subtransaction.
    const { rows } = await superuser.query<{ writer: string }>(
      "select xmin::text as writer from documents order by number",
    );
    assert.equal(rows[0]?.writer, alone.transaction);
    assert.notEqual(rows[1]?.writer, kept(first).transaction);
  });
});

describe("a work that fails among others", () => {
  test("gets its own error and leaves nothing; the others are kept, without a gap", async () => {
    const [before, refused, duplicate, broken, caught, ill, last] = await together<unknown>(
      (tx) => number(tx, "before"),
      async (tx) => {
        await number(tx, "refused by a rule");
        throw refusal;
      },
      (tx) => number(tx, "before"),
      async (tx) => {
        await number(tx, "broken");
        await divide(tx);
      },
      async (tx) => {
        await number(tx, "caught");
        await divide(tx).catch(() => {});
        await number(tx, "behind what was caught").catch(() => {});
      },
      () => {
        throw new RangeError("thrown at once");
      },
      (tx) => number(tx, "last"),
    );
    assert.ok(kept(before) && kept(last));
    assert.equal(failed(refused), refusal);
    assert.equal((failed(duplicate) as pg.DatabaseError).constraint, "documents_organisation_id_name_key");
    assert.equal(sqlState(failed(broken)), "22012");
    assert.equal(sqlState(failed(caught)), "22012");
    assert.ok(failed(ill) instanceof RangeError);
    assert.deepEqual(await documents(), ["1 before", "2 last"]);
  });

  test("undoes statements that it had not awaited", async () => {
    const [failing, next] = await together<unknown>(
      async (tx) => {
        const dividing = tx.sql`select 1 / length(pg_sleep(0.05)::text)`;
        dividing.catch(() => {});
        await sleep(10);
        await tx.sql`insert into documents (organisation_id, name) values (${tx.organisation}, ${"meanwhile"})`;
      },
      (tx) => number(tx, "next"),
    );
    assert.equal(sqlState(failed(failing)), "22012");
    assert.ok(kept(next));
    assert.deepEqual(await documents(), ["1 next"]);
  });

  test("releases the locks it took, at once", async () => {
    const [taken, seen] = await together<unknown>(
      async (tx) => {
        await tx.sql`select pg_advisory_xact_lock(11)`;
        throw refusal;
      },
      (tx) => tx.sql`select from pg_locks where locktype = 'advisory' and objid = 11`,
    );
    assert.equal(failed(taken), refusal);
    assert.deepEqual(kept(seen), []);
  });

  test("sends nothing after it has ended, although a branch of it still runs", async () => {
    const late = Promise.withResolvers<void>();
    const [first, second] = await together<unknown>(
      async (tx) => {
        const branch = late.promise.then(() => number(tx, "late"));
        branch.catch(() => {});
        throw refusal;
      },
      async (tx) => {
        late.resolve();
        return number(tx, "second");
      },
    );
    assert.equal(failed(first), refusal);
    assert.ok(kept(second));
    assert.deepEqual(await documents(), ["1 second"]);
  });

  test("because of another transaction is done again, alone", async () => {
    let attempts = 0;
    const [again, other] = await together(
      async (tx) => {
        attempts++;
        const done = await number(tx, "again");
        if (attempts === 1) await tx.sql`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`;
        return done;
      },
      (tx) => number(tx, "other"),
    );
    assert.equal(attempts, 2);
    assert.notEqual(kept(again).transaction, kept(other).transaction);
    assert.deepEqual(await documents(), ["1 other", "2 again"]);
  });

  test("at the commit is found by halving, and fails alone", async () => {
    const [one, refused, two] = await together(
      (tx) => number(tx, "one"),
      (tx) => number(tx, "refused"),
      (tx) => number(tx, "two"),
    );
    assert.ok(kept(one) && kept(two));
    assert.equal(sqlState(failed(refused)), "23514");
    assert.deepEqual(await documents(), ["1 one", "2 two"]);
  });

  test("for a reply that is stored by one before it gathers with that one", async () => {
    const work = (name: string) => async (tx: Tx) => {
      const done = await number(tx, name);
      claimKey(tx, { key: "k", method: "POST", path: "/x" }, Buffer.from("h"), { status: 201, sealed: "reply" });
      return done;
    };
    const [first, second] = await together(work("once"), work("again"));
    assert.ok(kept(first));
    assert.ok(isStored(failed(second)));
    assert.deepEqual(await documents(), ["1 once"]);
  });
});

test("no work resolves or rejects before the commit", async () => {
  const heard: string[] = [];
  await superuser.query(`select pg_advisory_lock(${COMMIT_LOCK})`);
  const go = await hold();
  const works = [
    (tx: Tx) => number(tx, "quick"),
    (tx: Tx) => number(tx, "slow"),
    () => Promise.reject(refusal),
    (tx: Tx) => number(tx, "quick"),
  ];
  const asked = works.map((work, index) =>
    db.gathered<unknown>(ours, work).then(
      () => heard.push(`kept ${index}`),
      () => heard.push(`failed ${index}`),
    ),
  );
  go();
  await waitingForLock();
  assert.deepEqual(heard, []);
  assert.deepEqual(await documents(), []);
  await superuser.query(`select pg_advisory_unlock(${COMMIT_LOCK})`);
  await Promise.all(asked);
  assert.deepEqual(heard.sort(), ["failed 2", "failed 3", "kept 0", "kept 1"]);
});

test("a connection that dies, during a work or at the commit, fails them all as unavailable, and the next go well", async () => {
  for (const name of ["slow", "quick"]) {
    await superuser.query(`select pg_advisory_lock(${COMMIT_LOCK})`);
    const dying = together(
      (tx) => number(tx, "kept?"),
      async () => {
        throw refusal;
      },
      (tx) => number(tx, name),
      async (tx) => {
        if (name === "quick") await tx.sql`select pg_advisory_xact_lock(${COMMIT_LOCK})`;
        return number(tx, "behind");
      },
    );
    await waitingForLock();
    await superuser.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted");
    for (const settled of await dying) {
      const reason = failed(settled);
      assert.ok(reason instanceof ApiError && reason.status === 503, `503: ${reason}`);
    }
    await superuser.query(`select pg_advisory_unlock(${COMMIT_LOCK})`);
    assert.deepEqual(await documents(), []);
  }
  assert.equal((await db.gathered(ours, (tx) => number(tx, "next"))).number, 1);
});

test("a migration during a gathering fails none of its works", async () => {
  const all = (tx: Tx) => tx.sql`select * from documents where organisation_id = ${tx.organisation}`;
  await together(all, all);
  await superuser.query("alter table documents add column colour text");
  const settled = await together<unknown>(
    (tx) => number(tx, "one"),
    all,
    (tx) => number(tx, "two"),
  );
  await superuser.query("alter table documents drop column colour");
  assert.equal((kept(settled[1]) as unknown[]).length, 2, "done again, alone");
  assert.deepEqual(await documents(), ["1 one", "2 two"]);
});

async function waitingForLock(): Promise<void> {
  for (;;) {
    const { rowCount } = await superuser.query("select from pg_locks where locktype = 'advisory' and not granted");
    if (rowCount) return;
    await sleep(5);
  }
}

test("numbers have no gap, whatever fails in between", async () => {
  const fates = [
    "kept",
    "refused at once",
    "refused late",
    "duplicate",
    "broken",
    "caught",
    "again",
    "refused",
  ] as const;
  type Fate = (typeof fates)[number];
  const meet = async (tx: Tx, fate: Fate, name: string, attempt: number) => {
    if (fate === "refused at once") throw refusal;
    const done = await number(tx, fate === "duplicate" ? "duplicate" : fate === "refused" ? fate : name);
    if (fate === "refused late") throw refusal;
    if (fate === "broken") await divide(tx);
    if (fate === "caught") await divide(tx).catch(() => {});
    if (fate === "again" && attempt === 1)
      await tx.sql`do $$ begin raise exception 'serialization' using errcode = '40001'; end $$`;
    return done.number;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 30 }), async (given) => {
      await superuser.query("truncate counters, documents");
      const attempts = given.map(() => 0);
      const settled = await Promise.allSettled(
        given.map((fate, index) =>
          db.gathered(ours, (tx) => {
            attempts[index] = (attempts[index] ?? 0) + 1;
            return meet(tx, fate, `document ${index}`, attempts[index] ?? 0);
          }),
        ),
      );
      const numbers = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      assert.deepEqual(
        settled.map(({ status }) => status === "fulfilled"),
        given.map(
          (fate, index) =>
            fate === "kept" || fate === "again" || (fate === "duplicate" && given.indexOf("duplicate") === index),
        ),
      );
      assert.deepEqual(
        (await documents()).map((each) => Number(each.split(" ")[0])),
        numbers.map((_, index) => index + 1),
      );
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        numbers.map((_, index) => index + 1),
      );
      const inOrder = settled.flatMap((each, index) =>
        each.status === "fulfilled" && given[index] === "kept" ? [each.value] : [],
      );
      if (!given.includes("refused") && !given.includes("again"))
        assert.deepEqual(
          inOrder,
          inOrder.toSorted((a, b) => a - b),
        );
    }),
    { numRuns: 60 },
  );
});
