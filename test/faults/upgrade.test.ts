import assert from "node:assert/strict";
import { test } from "node:test";
import { runMarathon } from "../marathon/marathon.ts";
import { openRelease, RELEASE_BEFORE } from "../marathon/release.ts";

test("an upgrade from the release before, one process after the other under load: nothing is lost or done twice", {
  timeout: 900_000,
}, async (t) => {
  const release = await openRelease(t, RELEASE_BEFORE);
  if (release === null) return t.diagnostic("left out: this copy has no git history");
  const outcome = await runMarathon(t, {
    seed: 11,
    // One round.
    minutes: 0.01,
    kills: 1,
    bin: null,
    release,
    faults: [],
    signal: t.signal,
    say: (line) => t.diagnostic(line),
  });
  assert.deepEqual(outcome.found, []);
  assert.equal(outcome.faults["upgrade"], 1);
  t.diagnostic(JSON.stringify(outcome.answers));
  assert.ok(outcome.work > 50, `${outcome.work} pieces of work`);
});
