import assert from "node:assert/strict";
import { test } from "node:test";
import { areTyped, NO_TIERS, tiersInWords, tiersOf, typedTiers } from "./tiers.ts";

const GRADUATED = {
  tierMode: "graduated",
  tiers: [
    { upTo: 100, unitAmount: 1.5, flatAmount: 0 },
    { upTo: null, unitAmount: 0.75, flatAmount: 20 },
  ],
  includedUnits: 10,
} as const;
const PACKAGE = { tierMode: "package", tiers: [{ upTo: 50, unitAmount: 99, flatAmount: 0 }] } as const;

test("tiers of the API go through the form unchanged", () => {
  const { tiers, ...rest } = GRADUATED;
  const [first, last] = tiers;
  assert.deepEqual(tiersOf(typedTiers(GRADUATED)), {
    ...rest,
    tiers: [{ upTo: first.upTo, unitAmount: first.unitAmount }, last],
  });
  assert.deepEqual(tiersOf(typedTiers(PACKAGE)).tiers, [{ upTo: 50, unitAmount: 99 }]);
  assert.deepEqual(typedTiers({}), NO_TIERS);
  assert.deepEqual(tiersOf(NO_TIERS), { tiers: null, includedUnits: 0 });
});

test("what remains of other tiers is not sent with a package", () => {
  const typed = { ...typedTiers(GRADUATED), tierMode: "package" as const };
  assert.equal(tiersOf(typed).tiers?.length, 1);
});

test("tiers are typed once each has a price, and an end where it must have one", () => {
  const tier = (upTo: number | string, unitAmount: number | string) => ({ upTo, unitAmount, flatAmount: "" });
  const cases = [
    ["", [], true],
    ["graduated", [tier("", 1)], true],
    ["graduated", [tier("", "")], false],
    ["volume", [tier(100, 1), tier("", 0)], true],
    ["volume", [tier("", 1), tier("", 0)], false],
    ["graduated", [tier(100, 1), tier("", "")], false],
    ["package", [tier(50, 99)], true],
    ["package", [tier("", 99)], false],
  ] as const;
  for (const [tierMode, tiers, typed] of cases)
    assert.equal(areTyped({ tierMode, tiers: [...tiers] }), typed, `${tierMode} ${JSON.stringify(tiers)}`);
});

test("tiers in words say which units cost what", () => {
  const said = (...asked: Parameters<typeof tiersInWords>) =>
    tiersInWords(...asked).map((line) => line.replaceAll("\u00a0", " "));
  assert.deepEqual(said(GRADUATED, "ZAR"), [
    "10 units included",
    "0 to 100: R 1.50 each",
    "over 100: R 0.75 each and R 20.00",
  ]);
  assert.deepEqual(said({ ...GRADUATED, tierMode: "volume", includedUnits: undefined }, "ZAR"), [
    "0 to 100 in all: R 1.50 each",
    "over 100 in all: R 0.75 each and R 20.00",
  ]);
  assert.deepEqual(said(PACKAGE, "ZAR"), ["R 99.00 for each begun 50 units"]);
  const small = [{ upTo: null, unitAmount: 0.0035, flatAmount: 0 }];
  assert.deepEqual(said({ tierMode: "graduated", tiers: small }, "ZAR"), ["over 0: R 0.0035 each"]);
  assert.deepEqual(said({}, "ZAR"), []);
});
