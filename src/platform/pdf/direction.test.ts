import assert from "node:assert/strict";
import { test } from "node:test";
import { inVisualOrder, turnsRound } from "./direction.ts";

/** As if each text were of one font, which turns its right-to-left letters round by itself. */
const shown = (line: string) =>
  inVisualOrder(line, (text) => [{ font: "one", text }])
    .map(({ text }) => text)
    .join("|");

for (const [line, expected] of [
  ["אב גד", "גד| |אב"],
  ["Ltd אב גד end", "Ltd| |גד| |אב| |end"],
  ["אב 2020 גד", "גד| |2020| |אב"],
  ["אב Ltd CC", "Ltd| |CC| |אב"],
  ["سلام (", "(| |سلام".replace("(", ")")],
] as const)
  test(`${line} stands on the page as ${expected}`, () => assert.equal(shown(line), expected));

test("only lines with such letters are turned round", () =>
  assert.deepEqual(["Karoo", "Владимир", "李伟", "אב", "محمد"].map(turnsRound), [false, false, false, true, true]));
