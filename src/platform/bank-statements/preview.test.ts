import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../kernel/errors.ts";
import type { ColumnMapping } from "./mapping.ts";
import { previewStatement } from "./preview.ts";

const preview = (csv: string, mapping: ColumnMapping | null = null) => previewStatement(Buffer.from(csv), mapping);

describe("a statement before it is imported", () => {
  test("of a known bank is shown as it would be read", async () => {
    const csv =
      "Name:, Smit\n\nDate, Amount, Balance, Description\n2026/11/05, 150.00, 155.00, a\n2026/11/25, -12.50, 5.00, b\n";
    const shown = await preview(csv);
    assert.partialDeepStrictEqual(shown, {
      format: "csv",
      bank: "FNB",
      columns: ["Date", "Amount", "Balance", "Description"],
      problem: null,
      count: 2,
      first: "2026-11-05",
      last: "2026-11-25",
    });
    assert.deepEqual(shown.rows[1], ["2026/11/25", "-12.50", "5.00", "b"]);
    assert.partialDeepStrictEqual(shown.mapping, {
      date: "Date",
      amount: "Amount",
      description: "Description",
      dateFormat: "YYYY-MM-DD",
    });
    assert.deepEqual(
      shown.lines.map(({ amount }) => amount),
      [15_000, -1250],
    );
  });

  test("OFX has no columns", async () => {
    const line = "<STMTTRN><DTPOSTED>20261105<TRNAMT>1.00<NAME>a</STMTTRN>";
    const shown = await preview(`OFXHEADER:100\n<OFX><BANKTRANLIST>${line}</BANKTRANLIST></OFX>`);
    assert.partialDeepStrictEqual(shown, { format: "ofx", columns: [], mapping: null, problem: null, count: 1 });
  });

  const GUESSED: [string, string, ColumnMapping][] = [
    [
      "by its cells, below headings that say nothing",
      "Rekening;62001\nWanneer;Nr;Wat;Hoeveel;Saldo\n05.11.2026;1;Betaling Smit;1 234,56;5,00\n25.11.2026;2;Fooi;-12,50;3,00\n",
      { date: "Wanneer", description: "Wat", amount: "Hoeveel" },
    ],
    [
      "by its cells, without headings",
      "05/11/2026,62001,150.00,EFT SMIT,1.00\n25/11/2026,62001,-12.50,FEE,2.00\n",
      { date: "1", description: "4", amount: "3" },
    ],
  ];
  for (const [name, csv, guess] of GUESSED)
    test(`is guessed ${name}, and read with that`, async () => {
      const shown = await preview(csv);
      assert.match(shown.problem ?? "", /needs a date and an amount/);
      assert.deepEqual([shown.mapping, shown.count, shown.lines], [guess, 0, []]);
      const { problem, mapping, lines } = await preview(csv, { ...shown.mapping, dateFormat: "DD/MM/YYYY" });
      assert.deepEqual([problem, lines.length], [null, 2]);
      assert.partialDeepStrictEqual(mapping, guess);
    });

  test("says what is wrong, and shows what it understood", async () => {
    const shown = await preview("date,amount\n01/02/2026,1.00\n02/03/2026,x\n");
    assert.match(shown.problem ?? "", /x is not an amount/);
    assert.partialDeepStrictEqual(shown.mapping, { date: "date", amount: "amount" });
    const unclear = await preview("date,amount\n01/02/2026,1.00\n02/03/2026,2.00\n");
    assert.match(unclear.problem ?? "", /say which with dateFormat/);
  });

  for (const file of ["%PDF-1.7", "a,b\n1,2\n", ""])
    test(`${JSON.stringify(file)} is refused`, () =>
      assert.rejects(preview(file), (error) => error instanceof ApiError && error.status === 400));
});
