import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csvRows } from "../csv.ts";
import { readStatement } from "./read-statement.ts";

/* What one file may cost, whatever it holds (decisions.md#files-are-read-in-a-thread). */

const MEGABYTE = 1024 * 1024;
const CAMT =
  '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Ntry>';
const OFX = "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><BANKTRANLIST>";
const many = (count: number, one: (place: number) => string) =>
  Array.from({ length: count }, (_, n) => one(n)).join("");
const fill = (text: string, bytes = 20 * MEGABYTE) => text.repeat(Math.floor(bytes / text.length));

const hostile: readonly [what: string, file: () => string, refusal: RegExp][] = [
  ["20 MB of commas", () => fill(","), /Line 1 has more than 500 cells/],
  ["20 MB of rows of 600 cells", () => fill(`${",".repeat(599)}\n`), /Line 1 has more than 500 cells/],
  ["20 MB of such rows that end in a return alone", () => fill(`${",".repeat(599)}\r`), /Line 1 has more than 500/],
  ["20 MB of empty lines", () => fill("\n"), /more than 400000 lines/],
  ["20 MB of empty lines as Windows ends them", () => fill("\r\n"), /more than 400000 lines/],
  ["20 MB of rows without text", () => fill(";;\n"), /more than 400000 lines/],
  ["CAMT with 4 million references", () => CAMT + fill("&#65;"), /too many references/],
  ["CAMT with references in each element", () => CAMT + fill(`<a>${"&#65;".repeat(999)}</a>`), /too many references/],
  ["CAMT with references in attributes", () => CAMT + fill(`<a b="${"&#65;".repeat(999)}"/>`), /too many references/],
  ["an element with many attributes", () => `${CAMT}<a ${many(100, (n) => `a${n}="1" `)}/>`, /more than 50 attributes/],
  ["CAMT with 5 million elements", () => CAMT + fill("<a/>"), /more than 1500000 elements/],
  ["OFX with millions of tags", () => OFX + fill("<A>1"), /more than 1500000 elements/],
  ["OFX with millions of end tags", () => OFX + fill("</A>"), /more than 1500000 elements/],
  ["OFX with millions of references", () => OFX + fill(`<A>${"&amp;".repeat(999)}`), /too many references/],
];

describe("a file that would cost too much is refused", () => {
  for (const [what, file, refusal] of hostile)
    test(what, async () => {
      await assert.rejects(readStatement(Buffer.from(file()), null), refusal);
    });
});

test("rows of a few lines that end in a return alone are read", async () => {
  const text = many(400, (n) => `${n},a\r`);
  const rows = [];
  for await (const row of csvRows(Buffer.from(text))) rows.push(row.cells);
  assert.deepEqual([rows.length, rows[0], rows.at(-1)], [400, ["0", "a"], ["399", "a"]]);
});
