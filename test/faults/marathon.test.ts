import assert from "node:assert/strict";
import { test } from "node:test";
import { runMarathon } from "../marathon/marathon.ts";

test("a short marathon: kills of processes and of PostgreSQL, a full disk, broken connections, a failover, and nothing is lost or done twice", {
  timeout: 900_000,
}, async (t) => {
  const outcome = await runMarathon(t, {
    seed: 7,
    minutes: 10,
    kills: 1,
    bin: null,
    faults: [
      "kill of a process",
      "unreliable gateway",
      "kill of the primary",
      "full disk",
      "broken connections to the database",
      "failover",
      "kill of a process",
    ],
    signal: t.signal,
    say: (line) => t.diagnostic(line),
  });
  assert.deepEqual(outcome.found, []);
  assert.equal(outcome.kills, 4);
  t.diagnostic(JSON.stringify(outcome.answers));
  assert.ok(outcome.work > 50, `${outcome.work} pieces of work`);
});
