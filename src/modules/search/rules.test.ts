import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { readAmounts, readSearch } from "./rules.ts";

describe("what is typed into the search", () => {
  test("is an amount when people write amounts so", () => {
    const amounts: readonly (readonly [string, number | null])[] = [
      ["249", 249_00],
      ["249.5", 249_50],
      ["249.50", 249_50],
      ["249,50", 249_50],
      ["1 234.50", 1234_50],
      ["1,234.50", 1234_50],
      ["R 1\u00a0234.50", 1234_50],
      ["R249", 249_00],
      ["zar 10", 10_00],
      ["0.07", 7],
      ["007", 7_00],
      ["249.505", null],
      ["12,34,56", null],
      ["INV-000001", null],
      ["-5", null],
      ["1e3", null],
      ["99999999999", null],
      ["\u0663", null],
    ];
    for (const [text, amount] of amounts) {
      const [first, ...others] = readAmounts(text);
      assert.equal(first, amount === null ? undefined : cents(amount), text);
      assert.deepEqual(
        [others.length, others.at(-1)],
        amount === null || /[.,]\d{1,2}$/.test(text) ? [0, undefined] : [99, cents(amount + 99)],
        text,
      );
    }
  });

  test("is words, the start of a reference, and a number without its letters", () => {
    assert.deepEqual(readSearch("  Thandi   NKOSI, ", ["INV-"]), {
      text: "Thandi NKOSI,",
      words: ["Thandi", "NKOSI"],
      references: ["THANDI NKOSI,"],
      addresses: ["Thandi NKOSI,", "thandi nkosi,", "Thandi nkosi,"],
      amounts: [],
    });
    assert.deepEqual(readSearch("12", ["INV-", "QUO-", "ACME"]), {
      text: "12",
      words: ["12"],
      references: ["12", "INV-000012", "QUO-000012", "ACME000012"],
      addresses: ["12"],
      amounts: readAmounts("12"),
    });
  });

  test("finds nothing when it is empty, or longer than any field", () => {
    for (const q of ["", "   ", "x".repeat(201), "😀".repeat(10_000)]) assert.equal(readSearch(q, []), null);
    assert.equal(readSearch("x".repeat(200), [])?.text.length, 200);
  });

  test("the end of a prefix comes after every text that begins with it", () => {
    for (const rest of ["", "a", "\uffff", "\u{10fffe}z"])
      assert.ok(Buffer.compare(Buffer.from(`ab${rest}`), Buffer.from(endOfPrefix("ab"))) < 0);
    assert.ok(Buffer.compare(Buffer.from("ac"), Buffer.from(endOfPrefix("ab"))) > 0);
  });
});
