import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cents } from "../kernel/money.ts";
import { type Cell, csvText } from "./csv.ts";

const one = (cell: Cell): string => csvText([[cell]]).replace(/\r\n$/, "");

test("cells, as they are written", () => {
  const table: readonly [cell: Cell, written: string][] = [
    ["Karoo Books", "Karoo Books"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\rlines", '"two\rlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["كتب 📚 Ünïcode", "كتب 📚 Ünïcode"],
    ["=1+1", "'=1+1"],
    ["+27821234567", "'+27821234567"],
    ["-2+3", "'-2+3"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", '"\'\r=1"'],
    ["\n=1", '"\'\n=1"'],
    ["\uff1d1", "'\uff1d1"],
    ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
    [cents(123450), "1234.50"],
    [cents(-5), "-0.05"],
    [cents(0), "0.00"],
    [null, ""],
  ];
  for (const [cell, written] of table) assert.equal(one(cell), written, JSON.stringify(cell));
});

test("rows end with CRLF, and empty rows are kept", () => {
  assert.equal(
    csvText([
      ["a", null],
      [null, null],
      ["b", "c"],
    ]),
    "a,\r\n,\r\nb,c\r\n",
  );
});

/** A minimal reader of RFC 4180. */
function read(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

test("every cell is read back as it was written, and none begins like a formula", () => {
  const text = fc.string({ unit: fc.constantFrom("a", ",", '"', "\r", "\n", "=", "-", "+", "@", "\t", "é", " ") });
  const table = fc.array(fc.tuple(text, text), { minLength: 1 });
  fc.assert(
    fc.property(table, (rows) => {
      const back = read(csvText(rows));
      assert.deepEqual(
        back.map((row) => row.map((cell) => cell.replace(/^'/, ""))),
        rows,
      );
      for (const cell of back.flat()) assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/);
    }),
  );
});
