import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, type Shortcut, step } from "./shortcuts.ts";

const shortcut = (...keys: string[]): Shortcut => ({ keys, label: keys.join(" "), run() {} });
const ALL = [shortcut("g", "i"), shortcut("g", "c"), shortcut("n"), shortcut("Shift A"), shortcut("i")];

function walked(...keys: string[]): string[] {
  let pending: readonly string[] = [];
  return keys.map((key) => {
    const next = step(ALL, pending, key);
    pending = next.pending;
    return next.shortcut?.label ?? (pending.length > 0 ? "…" : "–");
  });
}

test("keys follow one another, and one that continues nothing begins anew", () => {
  assert.deepEqual(walked("g", "i"), ["…", "g i"]);
  assert.deepEqual(walked("g", "g", "c"), ["…", "…", "g c"]);
  assert.deepEqual(walked("g", "n"), ["…", "n"]);
  assert.deepEqual(walked("x", "i", "Shift A"), ["–", "i", "Shift A"]);
});

test("of equal shortcuts the last one counts, which is the page's", () => {
  const last = shortcut("n");
  assert.equal(step([...ALL, last], [], "n").shortcut, last);
});

test("a key is named without regard to capitals, and not with a key of the browser", () => {
  const pressed = { key: "a", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
  assert.equal(keyOf({ ...pressed, key: "A" }), "a");
  assert.equal(keyOf({ ...pressed, key: "A", shiftKey: true }), "Shift A");
  assert.equal(keyOf({ ...pressed, key: "?", shiftKey: true }), "?");
  assert.equal(keyOf({ ...pressed, ctrlKey: true }), null);
  assert.equal(keyOf({ ...pressed, altKey: true }), null);
});
