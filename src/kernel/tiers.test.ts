import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import type { Unit } from "./currency.ts";
import { addDecimals, type Decimal, toDecimal } from "./decimal.ts";
import { lineAmount } from "./lines.ts";
import { type DaysDue, nameOfTier, partsOf, type Tier, type Tiering, tieringAsked, withMinimum } from "./tiers.ts";

const dec = (value: number): Decimal => toDecimal(value);

/** Tiers as `upTo unitAmount flatAmount`, `*` without end. */
const tiersOf = (text: string): readonly Tier[] =>
  text.split(", ").map((one) => {
    const [upTo, unitAmount, flatAmount] = one.split(" ");
    return {
      upTo: upTo === "*" ? null : (upTo as Decimal),
      unitAmount: unitAmount as Decimal,
      ...(flatAmount && { flatAmount: flatAmount as Decimal }),
    };
  });

const shown = (quantity: number, tiering: Tiering): string =>
  partsOf(dec(quantity), "0" as Decimal, tiering)
    .map((part) => `${part.quantity} x ${part.unitAmount}${part.tier ? ` (${nameOfTier(part.tier)})` : ""}`)
    .join("; ");

const STEPS = tiersOf("100 0, 1000 0.5, * 0.2");
const WITH_FLAT = tiersOf("10 5 20, * 4 30");

test("a quantity costs what its tiers say", () => {
  const rows: [what: string, tiering: Tiering, quantity: number, parts: string][] = [
    ["graduated", { tiers: STEPS, tierMode: "graduated" }, 100, "100 x 0 (tier 1, up to 100)"],
    [
      "graduated",
      { tiers: STEPS, tierMode: "graduated" },
      1500,
      "100 x 0 (tier 1, up to 100); 900 x 0.5 (tier 2, over 100 up to 1000); 500 x 0.2 (tier 3, over 1000)",
    ],
    ["graduated, nothing", { tiers: WITH_FLAT, tierMode: "graduated" }, 0, ""],
    [
      "graduated, flat",
      { tiers: WITH_FLAT, tierMode: "graduated" },
      10,
      "10 x 5 (tier 1, up to 10); 1 x 20 (tier 1, up to 10, flat amount)",
    ],
    [
      "graduated, flat",
      { tiers: WITH_FLAT, tierMode: "graduated" },
      10.5,
      "10 x 5 (tier 1, up to 10); 1 x 20 (tier 1, up to 10, flat amount); 0.5 x 4 (tier 2, over 10); 1 x 30 (tier 2, over 10, flat amount)",
    ],
    ["volume", { tiers: STEPS, tierMode: "volume" }, 100, "100 x 0 (tier 1 for all units, up to 100)"],
    ["volume", { tiers: STEPS, tierMode: "volume" }, 101, "101 x 0.5 (tier 2 for all units, over 100 up to 1000)"],
    [
      "volume, flat",
      { tiers: WITH_FLAT, tierMode: "volume" },
      11,
      "11 x 4 (tier 2 for all units, over 10); 1 x 30 (tier 2, over 10, flat amount)",
    ],
    ["volume, nothing", { tiers: WITH_FLAT, tierMode: "volume" }, 0, ""],
    ["package", { tiers: tiersOf("100 25"), tierMode: "package" }, 0, ""],
    ["package", { tiers: tiersOf("100 25"), tierMode: "package" }, 1, "1 x 25 (tier 1, packages of 100)"],
    ["package", { tiers: tiersOf("100 25"), tierMode: "package" }, 100, "1 x 25 (tier 1, packages of 100)"],
    ["package", { tiers: tiersOf("100 25"), tierMode: "package" }, 100.5, "2 x 25 (tier 1, packages of 100)"],
    [
      "included",
      { tiers: STEPS, tierMode: "graduated", includedUnits: dec(50) },
      160,
      "50 x 0 (included); 100 x 0 (tier 1, up to 100); 10 x 0.5 (tier 2, over 100 up to 1000)",
    ],
    ["included, all", { tiers: STEPS, tierMode: "volume", includedUnits: dec(50) }, 50, "50 x 0 (included)"],
    [
      "included, less",
      { tiers: tiersOf("10 9"), tierMode: "package", includedUnits: dec(50) },
      20,
      "20 x 0 (included)",
    ],
    [
      "included, package",
      { tiers: tiersOf("10 9"), tierMode: "package", includedUnits: dec(50) },
      61,
      "50 x 0 (included); 2 x 9 (tier 1, packages of 10)",
    ],
  ];
  for (const [what, tiering, quantity, parts] of rows)
    assert.equal(shown(quantity, tiering), parts, `${what} of ${quantity}`);
});

test("without tiers included units come off the quantity", () => {
  const of = (quantity: number) =>
    partsOf(dec(quantity), dec(3), { includedUnits: dec(10) }).map((part) => [part.quantity, part.unitAmount]);
  assert.deepEqual(of(4), [["4", "0"]]);
  assert.deepEqual(of(10), [["10", "0"]]);
  assert.deepEqual(of(12.5), [
    ["10", "0"],
    ["2.5", "3"],
  ]);
  assert.deepEqual(partsOf(dec(2), dec(3)), [{ quantity: "2", unitAmount: "3" }]);
});

test("what the parts are short of a minimum is one more part, by whole units of the currency", () => {
  const of = (quantity: number, minimum: number, unit: Unit, days?: DaysDue) =>
    withMinimum(partsOf(dec(quantity), dec(0.333)), { minimumAmount: dec(minimum) }, unit, days).map((part) =>
      [`${part.quantity} x ${part.unitAmount}`, part.minimum ? `of ${part.minimum.amount}` : ""].join(" ").trim(),
    );
  const rows: [what: string, parts: string[], expected: string[]][] = [
    ["nothing", of(0, 10, 1), ["1 x 10 of 10"]],
    ["less: rounded as its line is", of(5, 10, 1), ["5 x 0.333", "1 x 8.33 of 10"]],
    ["as much as it", of(30, 9.99, 1), ["30 x 0.333"]],
    ["more", of(31, 9.99, 1), ["31 x 0.333"]],
    ["a share of days", of(5, 10, 1, { billed: 10, of: 31 }), ["5 x 0.333", "1 x 1.56 of 10"]],
    ["no days", of(0, 10, 1, { billed: 0, of: 31 }), []],
    ["yen", of(5, 10.4, 100), ["5 x 0.333", "1 x 8 of 10.4"]],
    ["none", of(5, 0, 1), ["5 x 0.333"]],
  ];
  for (const [what, parts, expected] of rows) assert.deepEqual(parts, expected, what);
});

test("graduated tiers charge each unit once, and cost what each unit costs in turn", () => {
  const tiers = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 500 })), { minLength: 1, maxLength: 5 })
    .map((steps) => {
      let end = 0;
      return steps.map(([size, price], place): Tier => {
        end += size;
        return { upTo: place === steps.length - 1 ? null : dec(end), unitAmount: dec(price) };
      });
    });
  fc.assert(
    fc.property(tiers, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 10 }), (of, quantity, included) => {
      const tiering: Tiering = { tiers: of, tierMode: "graduated", includedUnits: dec(included) };
      const parts = partsOf(dec(quantity), dec(0), tiering);
      assert.equal(parts.map((part) => part.quantity).reduce(addDecimals, dec(0)), String(quantity));
      const cost = parts.reduce((all, part) => all + lineAmount(part.quantity, part.unitAmount, 1), 0);
      const priceOf = (unit: number) => of.find(({ upTo }) => upTo === null || unit <= Number(upTo))?.unitAmount;
      let expected = 0;
      for (let unit = 1; unit <= quantity - included; unit++) expected += Number(priceOf(unit)) * 100;
      assert.equal(cost, expected);
    }),
  );
});

test("tiers that cannot be are refused where they are wrong", () => {
  const rows: [tiers: string, mode: "graduated" | "volume" | "package", path: string][] = [
    ["10 1, 20 2", "graduated", "tiers.1.upTo"],
    ["* 1, 20 2", "graduated", "tiers.0.upTo"],
    ["10 1, 10 2, * 3", "volume", "tiers.1.upTo"],
    ["10 1, 9 2, * 3", "volume", "tiers.1.upTo"],
    ["10 1, * 2", "package", "tiers"],
    ["* 2", "package", "tiers.0.upTo"],
  ];
  for (const [tiers, tierMode, path] of rows)
    assert.throws(
      () => tieringAsked({ tiers: tiersOf(tiers), tierMode }, undefined, []),
      (error: { issues?: { path: (string | number)[] }[] }) => error.issues?.[0]?.path.join(".") === path,
      `${tiers} as ${tierMode}`,
    );
});

test("what a body leaves out of tiers stays, and null removes them", () => {
  const known = tieringAsked({ tiers: tiersOf("10 1, * 2"), includedUnits: dec(5) }, undefined, []).tiering;
  assert.deepEqual(known, { tiers: tiersOf("10 1, * 2"), tierMode: "graduated", includedUnits: "5" });
  assert.deepEqual(tieringAsked({}, known, []).tiering, known);
  assert.deepEqual(tieringAsked({ tierMode: "volume" }, known, []).tiering, { ...known, tierMode: "volume" });
  assert.deepEqual(tieringAsked({ tiers: null }, known, []).tiering, { includedUnits: "5" });
  assert.deepEqual(tieringAsked({ tiers: null, includedUnits: dec(0) }, known, []), {});
  assert.throws(() => tieringAsked({ tierMode: "volume" }, undefined, []), /tiers/);
  const least = tieringAsked({ minimumAmount: dec(9) }, known, []).tiering;
  assert.deepEqual(least, { ...known, minimumAmount: "9" });
  assert.deepEqual(tieringAsked({ tiers: null, includedUnits: dec(0) }, least, []).tiering, { minimumAmount: "9" });
  assert.deepEqual(tieringAsked({ minimumAmount: dec(0) }, least, []).tiering, known);
});
