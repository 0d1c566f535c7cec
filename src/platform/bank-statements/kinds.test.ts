import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { balance, camt, csv, entry, moved, ofx, read } from "../../../test/support/bank-statements.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { ColumnMapping } from "./mapping.ts";
import { previewStatement } from "./preview.ts";

/* One table for each kind of fault that readers of bank files have had: what is read of a small file, or what is asked. */

describe("no row is lost in silence", () => {
  const ROWS: [string, string, Record<string, number>][] = [
    [
      "mixed ends of lines",
      "Date,Description,Amount\r\n2027-06-08,a,1\n2027-06-09,b,2\r\n2027-06-10,c,3\r2027-06-11,d,4\n",
      { lines: 4 },
    ],
    [
      "a text that goes on",
      csv("Date,Description,Amount", "2027-06-08,a,1", ",of NKOSI,", ",EFT-AB23CD45,"),
      { lines: 1, joined: 2 },
    ],
    [
      "a text that goes on in the first column",
      csv("Date,Description,Amount", "2027-06-08,a,1", "of NKOSI,,"),
      { lines: 1, joined: 1 },
    ],
    [
      "balances",
      csv(
        "Date,Description,Amount,Balance",
        "2027-06-01,Balance brought forward,9.00,9.00",
        "2027-06-08,a,1,10.00",
        "2027-06-30,CLOSING BALANCE,,10.00",
      ),
      { lines: 1, balances: 2 },
    ],
    [
      "balances without their column",
      csv(
        "Date,Description,Amount",
        "2027-06-01,Opening balance,9.00",
        "2027-06-08,Balance,1.00",
        "2027-06-08,BALANCE OF INVOICE 12,1.00",
      ),
      { lines: 2, balances: 1 },
    ],
    [
      "totals, headings, zeros and remarks",
      csv(
        "Date,Description,Amount",
        "2027-06-08,a,1",
        "2027-06-08,b,0.00",
        "Date,Description,Amount",
        "Total,,1.00",
        ",Page 1 of 1,",
      ),
      { lines: 1, zero: 1, headings: 1, totals: 1, remarks: 1 },
    ],
    [
      "rows above the headings",
      csv("ACCOUNT TRANSACTION HISTORY", "Name:,Smit", "Date,Description,Amount", "2027-06-08,a,1"),
      { lines: 1, above: 2 },
    ],
    [
      "a text that goes on, with the balance again",
      csv("Date,Description,Amount,Balance", "2027-06-08,a,1,10.00", ",of NKOSI,,10.00", ",EFT-AB23CD45,,10.00"),
      { lines: 1, joined: 2 },
    ],
    [
      "an opening balance of Nedbank",
      csv(
        "Statement Enquiry :",
        "Account Number : ,1002",
        "02Jun2027,OPENING BALANCE,,1000.00",
        "02Jun2027,a,250.00,1250.00",
      ),
      { lines: 1, balances: 1, above: 2 },
    ],
    [
      "opening and closing of Standard Bank behind the account's number",
      csv("ALL,0000,000000000,OPEN,1000.00", "HIST,20270607,,250.00,a,b,1234,0", "ALL,0000,000000000,CLOSE,1250.00"),
      { lines: 1, balances: 2 },
    ],
    ["a total of two cells", csv("Date,Description,Amount", "2027-06-08,a,1", "Total,1.00"), { lines: 1, totals: 1 }],
    [
      "a total with a date, of amounts without balances",
      csv(
        "Date,Description,Amount",
        "2027-06-01,Opening balance,10",
        "2027-06-08,a,1",
        "2027-06-08,b,2",
        "2027-06-30,Total,13",
      ),
      { lines: 2, balances: 1, totals: 1 },
    ],
    [
      "a total of one line and what was brought forward",
      csv("Date,Description,Amount", "2027-06-01,BAL B/F,10", "2027-06-08,a,1", "2027-06-30,Total,11"),
      { lines: 1, balances: 1, totals: 1 },
    ],
    [
      "who is called total",
      csv(
        "Date,Description,Amount",
        "2027-06-08,TOTAL,1",
        "2027-06-08,a,1",
        "2027-06-08,TOTAL ENERGIES,2",
        "2027-06-08,TOTAL,7",
      ),
      { lines: 4 },
    ],
    [
      "a charge beside an amount",
      csv("Date,Description,Money In,Money Out,Fee", "2027-06-08,a,,5.00,-1.00"),
      { lines: 1, charges: 1 },
    ],
    [
      "OFX without end tags",
      ofx("<STMTTRN><DTPOSTED>20270608<TRNAMT>1<NAME>a", "<STMTTRN><DTPOSTED>20270608<TRNAMT>2<NAME>b"),
      { lines: 2 },
    ],
    [
      "OFX that is not booked",
      ofx("<STMTTRNP><DTTRAN>20270608<TRNAMT>1<NAME>a</STMTTRNP>", moved("CREDIT", "2")),
      { lines: 1, pending: 1 },
    ],
    [
      "CAMT.053 that is not booked",
      camt(entry("1.00", "CRDT") + entry("2.00", "CRDT").replace("BOOK", "PDNG")),
      { lines: 1, pending: 1 },
    ],
  ];
  for (const [name, file, some] of ROWS)
    test(name, async () => {
      const { rows } = await read(file);
      const { total, charges, ...kinds } = rows;
      assert.deepEqual(
        Object.fromEntries(Object.entries({ ...kinds, charges }).filter(([, count]) => count > 0)),
        some,
      );
      assert.equal(
        total,
        Object.values(kinds).reduce((all, one) => all + one, 0),
      );
    });

  test("the text that goes on is the line's", async () =>
    assert.equal(
      (await read(csv("Date;Description;Credit;Debit", "08/06/2027;TRANSFER IN;7;", ";of NKOSI;;", "13/06/2027;b;;2")))
        .lines[0]?.description,
      "TRANSFER IN of NKOSI",
    ));

  test("the text that goes on beside the balance is the line's, too", async () =>
    assert.equal(
      (await read(csv("Date,Description,Amount,Balance", "2027-06-08,a,1,10.00", ",of NKOSI,,10.00"))).lines[0]
        ?.description,
      "a of NKOSI",
    ));

  const REFUSED: [string, string, RegExp][] = [
    ["an end without its begin", ofx("<DTPOSTED>20270608<TRNAMT>1</STMTTRN>"), /without its start tag/],
    [
      "two transactions in one",
      ofx("<STMTTRN><DTPOSTED>20270608<TRNAMT>1<FITID>1<DTPOSTED>20270608<TRNAMT>2<FITID>2</STMTTRN>"),
      /without its start tag/,
    ],
    [
      "a quotation mark within a text that one begins",
      csv("Date,Description,Amount", '2027-06-08,"5" PIPE",1'),
      /on line 2 a quotation mark/,
    ],
    [
      "an OFX time that no clock shows",
      ofx("<STMTTRN><DTPOSTED>20270608250000<TRNAMT>1</STMTTRN>"),
      /Line 5.*is not a date/,
    ],
    ["a minute that no clock shows", csv("Date,Description,Amount", "2027-06-08 10:61,a,1"), /Line 2.*is not a date/],
    ["MT940", ":20:START\n:25:123\n", /MT940 cannot be read/],
  ];
  for (const [name, file, message] of REFUSED) test(`refused: ${name}`, () => assert.rejects(read(file), message));
});

describe("balances prove the rows", () => {
  const gap = (...rows: string[]) => csv("Date,Description,Amount,Balance", ...rows);
  const FILES: [string, string, (number | null)[]][] = [
    ["all follow", gap("2027-06-07,a,10,110", "2027-06-08,b,-20,90", "2027-06-09,c,5,95"), []],
    ["the newest first", gap("2027-06-09,c,5,95", "2027-06-08,b,-20,90", "2027-06-07,a,10,110"), []],
    ["a line is missing", gap("2027-06-07,a,10,110", "2027-06-09,c,5,95"), [3]],
    ["a line is missing, the newest first", gap("2027-06-10,d,1,96", "2027-06-09,c,5,95", "2027-06-07,a,10,110"), [4]],
    ["after what was brought forward", gap("2027-06-01,Brought forward,,100", "2027-06-07,a,10,111"), [3]],
    ["a balance for some rows only", gap("2027-06-07,a,10,110", "2027-06-08,b,-20,", "2027-06-09,c,5,95"), []],
    [
      "opening and closing of Standard Bank",
      "OPEN,20270601,,100.00,OPEN BALANCE,,\nHIST,20270607,,10.00,a,,0,0\nCLOSE,20270630,,111.00,CLOSE BALANCE,,\n",
      [3],
    ],
    ["a gap before the closing balance", gap("2027-06-07,a,100,1200", "2027-06-30,Closing balance,,1300"), [3]],
    [
      "opening of Nedbank",
      "Statement Enquiry :\n02Jun2027,OPENING BALANCE,,1000.00\n02Jun2027,a,250.00,1250.00\n03Jun2027,b,-40.00,1200.00\n",
      [4],
    ],
    [
      "closing of Standard Bank behind the account's number",
      "ALL,0000,000000000,OPEN,1000.00\nHIST,20270607,,250.00,a,b,1234,0\nHIST,20270608,,-5.00,a,b,1234,0\nALL,0000,000000000,CLOSE,1250.00\n",
      [4],
    ],
    [
      "opening and closing of CAMT.053",
      camt(balance("OPBD", "100.00") + balance("CLBD", "85.00") + entry("10.00", "CRDT") + entry("20.00", "DBIT")),
      [1],
    ],
    [
      "what CAMT.053 adds up to",
      camt(balance("OPBD", "100.00") + balance("CLBD", "90.00") + entry("10.00", "CRDT") + entry("20.00", "DBIT")),
      [],
    ],
  ];
  for (const [name, file, lines] of FILES)
    test(name, async () =>
      assert.deepEqual(
        (await read(file)).warnings.map(({ line }) => line),
        lines,
      ),
    );
});

describe("what a line is called, when it was, and by which id", () => {
  const line = async (file: string, mapping: ColumnMapping | null = null) => (await read(file, mapping)).lines[0];
  const TEXTS: [string, string, string, ColumnMapping?][] = [
    [
      "Description 1 and 2",
      csv("Date,Description 1,Description 2,Amount", "2027-06-08,PAYMENT,EFT-AB23CD45,1"),
      "PAYMENT EFT-AB23CD45",
    ],
    ["Statement Description", csv("Date,Statement Description,Amount", "2027-06-08,a,1"), "a"],
    [
      "Long Description, which has the other within it",
      csv("Date,Description,Long Description,Amount", "2027-06-08,a b,x a b c,1"),
      "x a b c",
    ],
    [
      "several that are named",
      csv("Date,Wat,Meer,Amount", "2027-06-08,a,b,1"),
      "b a",
      { description: ["Meer", "Wat"] },
    ],
    ["sep= in the first line", csv("sep=;", "Date;Description;Amount", "2027-06-08;a, b, c;1,50"), "a, b, c"],
  ];
  for (const [name, file, text, mapping] of TEXTS)
    test(name, async () => assert.equal((await line(file, mapping ?? null))?.description, text));
  test("a column that may hold the texts is asked for", async () => {
    const file = csv("Date,Wat,Amount", "2027-06-08,PAYMENT EFT-AB23CD45,1");
    await assert.rejects(read(file), /Line 2, column Wat: no line has a description/);
    assert.equal((await previewStatement(Buffer.from(file), null)).question, "description");
  });
  test("a file without any text says so", async () =>
    assert.match(
      (await read(csv("Date,Amount", "2027-06-08,1"))).warnings[0]?.message ?? "",
      /No line has a description/,
    ));

  const DAYS: [string, string, string][] = [
    ["a time in London", csv("Date,Description,Amount", "2027-06-08T22:30:00Z,a,1"), "2027-06-09"],
    ["a time here", csv("Date,Description,Amount", "2027-06-08T22:30:00+02:00,a,1"), "2027-06-08"],
    ["a time without a zone", csv("Date,Description,Amount", "2027-06-08 23:30,a,1"), "2027-06-08"],
    ["OFX in New York", ofx("<STMTTRN><DTPOSTED>20270608193000.000[-5:EST]<TRNAMT>1<NAME>a</STMTTRN>"), "2027-06-09"],
    ["OFX at noon in London", ofx("<STMTTRN><DTPOSTED>20270608120000[0:GMT]<TRNAMT>1<NAME>a</STMTTRN>"), "2027-06-08"],
    [
      "CAMT.053",
      camt(entry("1", "CRDT").replace("<Dt>2027-06-08</Dt>", "<DtTm>2027-06-08T22:00:00Z</DtTm>")),
      "2027-06-09",
    ],
  ];
  for (const [name, file, day] of DAYS) test(name, async () => assert.equal((await line(file))?.date, day));

  const IDS: [string, string, string | null][] = [
    ["FITID", ofx(moved("CREDIT", "1", "<FITID>M1<NAME>a")), "M1"],
    ["zeros", ofx(moved("CREDIT", "1", "<FITID>000000<NAME>a")), null],
    [
      "an id of several lines",
      ofx(moved("CREDIT", "1", "<FITID>7<NAME>a"), moved("CREDIT", "2", "<FITID>7<NAME>b")),
      null,
    ],
    ...[
      "N.A.",
      "N.A",
      "N-A",
      "n/a",
      "NOREF",
      "NO REF",
      "TBA",
      "UNSPECIFIED",
      "EMPTY",
      "X",
      "XXXX",
      "999999",
      "11111111",
      "aaaa",
    ].map((id): [string, string, null] => [id, ofx(moved("CREDIT", "1", `<FITID>${id}<NAME>a`)), null]),
    ["a number of one figure", ofx(moved("CREDIT", "1", "<FITID>9<NAME>a")), "9"],
    ["a list number of two", csv("Tran List No,Date,Description,Amount", "11,2027-06-08,a,1"), "11"],
    ["AcctSvcrRef", camt(entry("1", "CRDT", "<AcctSvcrRef>S1</AcctSvcrRef>")), "S1"],
    ["NONREF", camt(entry("1", "CRDT", "<AcctSvcrRef>NONREF</AcctSvcrRef>")), null],
    ["a list number", csv("Tran List No,Date,Description,Amount", "31,2027-06-08,a,1"), "31"],
  ];
  for (const [name, file, id] of IDS) test(`id: ${name}`, async () => assert.equal((await line(file))?.bankId, id));

  test("the currency of the payer is not the line's", async () =>
    assert.equal(
      (await read(ofx(moved("CREDIT", "1", "<NAME>a<ORIGCURRENCY><CURRATE>18<CURSYM>USD</ORIGCURRENCY>")))).currency,
      "ZAR",
    ));

  const EMPTY: [string, string, (string | null)[]][] = [
    ["OFX", ofx(), ["2027-06-07", "2027-06-09"]],
    [
      "CAMT.053",
      camt("<FrToDt><FrDtTm>2027-06-07T00:00:00+02:00</FrDtTm><ToDtTm>2027-06-07T23:59:59+02:00</ToDtTm></FrToDt>"),
      ["2027-06-07", "2027-06-07"],
    ],
    ["CSV", csv("Date,Description,Amount"), [null, null]],
    [
      "CSV with balances",
      csv(
        "Date,Description,Amount,Balance",
        "13/06/2027,Balance brought forward,,9.00",
        "14/06/2027,Closing balance,,9.00",
      ),
      ["2027-06-13", "2027-06-14"],
    ],
    ["Nedbank", "Statement Enquiry :\n02Jun2027,OPENING BALANCE,,1000.00\n", ["2027-06-02", "2027-06-02"]],
    [
      "CAMT.053 with a balance",
      camt(balance("CLBD", "1.00").replace("</Bal>", "<Dt><Dt>2027-06-08</Dt></Dt></Bal>")),
      ["2027-06-08", "2027-06-08"],
    ],
    [
      "OFX with a balance",
      ofx()
        .replace(/<DTSTART>.*/, "")
        .replace("</STMTRS>", "<LEDGERBAL><BALAMT>1<DTASOF>20270608</LEDGERBAL></STMTRS>"),
      ["2027-06-08", "2027-06-08"],
    ],
  ];
  for (const [name, file, days] of EMPTY)
    test(`a day without entries: ${name}`, async () => {
      const { count, first, last } = await read(file);
      assert.deepEqual([count, first, last], [0, ...days]);
    });

  test("a year that no statement has is no date", () =>
    assert.rejects(
      read(csv("Date,Description,Amount", "0207-06-08,a,1")),
      (error) => error instanceof ApiError && /0207-06-08 is not a date/.test(error.message),
    ));
});

describe("quotation marks in a text that none begins", () => {
  const texts = async (row: string, separator = ",") => {
    const file = ["Date", "Description", "Amount"].join(separator);
    return (await read(csv(file, row))).lines.map(({ description, amount }) => [description, amount]);
  };
  test("are text", async () => {
    assert.deepEqual(await texts('2027-06-08,Paint 5" brush,1'), [['Paint 5" brush', 100]]);
    assert.deepEqual(await texts('2027-06-08,2" and 3" "best",1'), [['2" and 3" "best"', 100]]);
    assert.deepEqual(await texts('2027-06-08;Pipe 5";1,50', ";"), [['Pipe 5"', 150]]);
    assert.deepEqual(await texts('2027-06-08, "Paint, 5"" brush",1'), [['Paint, 5" brush', 100]]);
  });
  test("are text where pieces of a large file meet", async () => {
    const rows = Array.from({ length: 9000 }, (_, at) => `2027-06-08,${"a".repeat(at % 7)}5" brush,1`);
    const { lines } = await read(csv("Date,Description,Amount", ...rows));
    assert.equal(lines.length, 9000);
    assert.ok(lines.every(({ description }) => description.endsWith('5" brush')));
  });
});

describe("FNB's numbered export", () => {
  const HEAD = [
    "2,62012345678,'MS T NKOSI','FNB GOLD CHEQUE ACCOUNT'",
    "3,'Statement Number','From Date','To Date','Opening Balance','Closing Balance','VAT Paid'",
    "3,92,'11 December 2026','12 January 2027',100.00,180.00,-1.10",
    "5,'Number','Date','Description1','Description2','Description3','Amount','Balance','Accrued Charges'",
  ];
  test("is read with the year of the statement's days", async () => {
    const rows = [
      '5,1,\'13 Dec\',"FNB OB Pmt","EFT-AB23CD45","",150.00,250.00,',
      "5,2,'02 Jan','Paid to','Smith, J','Ref 4',-70.00,180.00,1.50",
    ];
    const statement = await read([...HEAD, ...rows, "6,'END'", ""].join("\n"));
    assert.equal(statement.bank, "FNB");
    assert.deepEqual(
      statement.lines.map(({ date, description, amount }) => [date, description, amount]),
      [
        ["2026-12-13", "FNB OB Pmt EFT-AB23CD45", 15_000],
        ["2027-01-02", "Paid to Smith, J Ref 4", -7000],
      ],
    );
    assert.deepEqual(statement.warnings, []);
  });
  test("is refused without the statement's days, since its dates have no year", () =>
    assert.rejects(read([HEAD[3], "5,1,'13 Dec','a','','',1.00,1.00,", ""].join("\n")), /13 Dec is not a date/));
});
