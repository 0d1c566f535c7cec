import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runHistory } from "../simulation/history.ts";
import { openWorld, type World } from "../simulation/world.ts";

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

test("whatever the network, the gateway and the database lose, each history ends with everything done once and in the books", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { steps, found } = await runHistory(world, seed);
    assert.deepEqual(found, [], `seed ${seed}: ${steps.join(", ")}`);
  }
  assert.deepEqual([...world.trouble.counts.keys()].sort(), [
    "committedUnheard",
    "noAnswer",
    "notSent",
    "rolledBack",
    "twice",
  ]);
});

test("a seed is one history", async () => {
  const [one, again] = [await runHistory(world, 4711), await runHistory(world, 4711)];
  assert.deepEqual([again.steps, again.left], [one.steps, one.left]);
});
