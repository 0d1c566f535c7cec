import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findEmbeddedPostgres } from "./embedded-postgres.ts";
import { useEmbeddedPostgres } from "./shared-postgres.ts";

const lost = () => assert.fail("the port was given away");

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

test("the embedded PostgreSQL is started, shared, brought back and stopped with its last user", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "tefo-shared-"));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const messages: string[] = [];
  const options = { dataDir, log: (message: string) => void messages.push(message), lost };

  const users = await Promise.all([useEmbeddedPostgres(options), useEmbeddedPostgres(options)]);
  const [first, second] = users;
  assert(first && second);
  assert.equal(first.url, second.url, "two that start at once get one server");
  assert.ok(await answers(first.url));

  await first.release();
  assert.ok(await answers(second.url), "it runs on for the other");

  const before = await postmasterOf(dataDir);
  process.kill(before, "SIGKILL");
  const until = performance.now() + 20_000;
  while (!(await answers(second.url)) && performance.now() < until) await sleep(50);
  assert.ok(await answers(second.url), "it was started again, at the same address");
  assert.notEqual(await postmasterOf(dataDir), before);
  assert.deepEqual(messages.slice(-2), ["PostgreSQL has gone; starting it again", "PostgreSQL is back"]);

  await second.release();
  assert.equal(await findEmbeddedPostgres(dataDir), null, "the last one stopped it");
});

test("a user who comes while the last one leaves gets a server all the same", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "tefo-shared-"));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const options = { dataDir, log: () => {}, lost };
  let user = await useEmbeddedPostgres(options);
  for (let round = 0; round < 3; round++) {
    const [, next] = await Promise.all([user.release(), sleep(round).then(() => useEmbeddedPostgres(options))]);
    assert.ok(await answers(next.url), `round ${round}`);
    user = next;
  }
  await user.release();
  assert.equal(await findEmbeddedPostgres(dataDir), null);
});
