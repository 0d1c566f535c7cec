import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { TEMPORARY } from "../../test/support/temporary.ts";
import { withFileLock } from "./embedded-postgres/file-lock.ts";
import { findEmbeddedPostgres } from "./embedded-postgres.ts";
import { type PostgresInUse, useEmbeddedPostgres } from "./shared-postgres.ts";

const lost = () => assert.fail("the port was given away");

/** As the product uses it; released at the end also when the test has failed. */
const users: PostgresInUse[] = [];
async function use(options: Parameters<typeof useEmbeddedPostgres>[0]): Promise<PostgresInUse> {
  const user = await useEmbeddedPostgres(options);
  users.push(user);
  return user;
}

async function temporaryCluster(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(TEMPORARY, "tefo-shared-"));
  t.after(async () => {
    for (const user of users.splice(0)) await user.release();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  return dataDir;
}

async function postmasterOf(dataDir: string): Promise<number> {
  const file = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
  return Number(file.split("\n", 1)[0]);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query("select 1 as one")).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

test("the embedded PostgreSQL is started, shared, restarted after a crash and stopped with its last user", async (t) => {
  const dataDir = await temporaryCluster(t);
  const messages: string[] = [];
  const options = { dataDir, log: (message: string) => void messages.push(message), lost };

  const both = await Promise.all([use(options), use(options)]);
  const [first, second] = both;
  assert(first && second);
  assert.equal(first.url, second.url, "two that start at once get one server");
  assert.ok(await answers(first.url));

  await first.release();
  assert.ok(await answers(second.url), "it runs on for the other");

  const before = await postmasterOf(dataDir);
  process.kill(before, "SIGKILL");
  const until = performance.now() + 240_000;
  while (!(await answers(second.url)) && performance.now() < until) await sleep(50);
  assert.ok(await answers(second.url), "it was started again, at the same address");
  assert.notEqual(await postmasterOf(dataDir), before);
  while (messages.at(-1) !== "PostgreSQL is back" && performance.now() < until) await sleep(10);
  assert.deepEqual(messages.slice(-2), ["PostgreSQL has gone; starting it again", "PostgreSQL is back"]);

  await second.release();
  assert.equal(await findEmbeddedPostgres(dataDir), null, "the last one stopped it");
});

test("a user who starts while the last one stops it gets a server", async (t) => {
  const dataDir = await temporaryCluster(t);
  const options = { dataDir, log: () => {}, lost };
  let user = await use(options);
  for (let round = 0; round < 3; round++) {
    const [, next] = await Promise.all([user.release(), sleep(round).then(() => use(options))]);
    assert.ok(await answers(next.url), `round ${round}`);
    user = next;
  }
  await user.release();
  assert.equal(await findEmbeddedPostgres(dataDir), null);
});

test("a PostgreSQL that restarts on another port is reported: connections to the old port are lost", async (t) => {
  const dataDir = await temporaryCluster(t);
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const user = await use({ dataDir, log: () => {}, lost: resolve });
  const port = Number(new URL(user.url).port);
  const squatter = createServer();
  // Nobody can start it again while this lock is held, so the port is taken before.
  await withFileLock(join(dataDir, "postgres.lock"), 10_000, async () => {
    process.kill(await postmasterOf(dataDir), "SIGKILL");
    while (await answers(user.url)) await sleep(20);
    squatter.listen(port, "127.0.0.1");
    await once(squatter, "listening");
  });
  await told;
  squatter.close();
  await user.release();
  assert.equal(await findEmbeddedPostgres(dataDir), null);
});
