import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { cents } from "../kernel/money.ts";
import { type Cell, type CsvRow, csvRows, csvText } from "./csv.ts";

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

async function rowsOf(file: string | Uint8Array): Promise<CsvRow[]> {
  return Array.fromAsync(csvRows(typeof file === "string" ? Buffer.from(file) : file));
}

test("rows of a file, with the line on which each begins", async () => {
  const table: readonly [file: string | Uint8Array, rows: readonly [line: number, ...cells: string[]][]][] = [
    [
      "a,b\n1,2\n",
      [
        [1, "a", "b"],
        [2, "1", "2"],
      ],
    ],
    [
      "a;b\r\n1;2,5",
      [
        [1, "a", "b"],
        [2, "1", "2,5"],
      ],
    ],
    [
      "a\tb\n1\t2\n",
      [
        [1, "a", "b"],
        [2, "1", "2"],
      ],
    ],
    [
      "\ufeffa\n1\n",
      [
        [1, "a"],
        [2, "1"],
      ],
    ],
    [Buffer.from("na\xefve,b\n", "latin1"), [[1, "na\u00efve", "b"]]],
    [Buffer.from([0x80, 0x0a]), [[1, "\u20ac"]]],
    [
      "a,b\n\n , \n1,2",
      [
        [1, "a", "b"],
        [4, "1", "2"],
      ],
    ],
    [
      'a,b\n"x\ny",1\n2,3\n',
      [
        [1, "a", "b"],
        [2, "x\ny", "1"],
        [4, "2", "3"],
      ],
    ],
    [
      'a\n"say ""hi"""\n',
      [
        [1, "a"],
        [2, 'say "hi"'],
      ],
    ],
    [
      "a\n=1+1\n'=1+1\n'tis\n",
      [
        [1, "a"],
        [2, "=1+1"],
        [3, "=1+1"],
        [4, "'tis"],
      ],
    ],
    [
      "a,b\n1\n1,2,3\n",
      [
        [1, "a", "b"],
        [2, "1"],
        [3, "1", "2", "3"],
      ],
    ],
    ["", []],
  ];
  for (const [file, rows] of table)
    assert.deepEqual(
      (await rowsOf(file)).map(({ line, cells }) => [line, ...cells]),
      rows,
      JSON.stringify(String(file)),
    );
});

test("a file that is not CSV is refused", async () => {
  for (const file of ['a\n"b\n', `a\n"${"x".repeat(100_001)}\n`, 'a\n"b"c\n'])
    await assert.rejects(rowsOf(file), { code: "invalid_request", status: 400 });
});

test("what csvText writes, csvRows reads", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", ",", ";", '"', "\n", "=", "-", "+", "@", "\u00e9") });
  const cell = text.map((value) => `x${value}`);
  const formula = text.map((value) => `=${value}x`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, fc.oneof(cell, formula)), { minLength: 1 }), async (rows) => {
      const header = ["one", "two"];
      const read = await rowsOf(csvText([header, ...rows]));
      assert.deepEqual(
        read.map(({ cells }) => cells),
        [header, ...rows].map((row) => row.map((one) => one.trim())),
      );
    }),
  );
});
