import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../kernel/errors.ts";
import type { ColumnMapping } from "./mapping.ts";
import { previewAsKept } from "./preview.ts";
import { readAsKept, readStatement } from "./read-statement.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const read = async (content: string | Buffer, mapping: ColumnMapping | null = null) => {
  const statement = await readStatement(typeof content === "string" ? bytes(content) : content, mapping);
  const lines = [];
  for await (const { date, amount, description, reference } of statement.lines())
    lines.push([date, amount, description, reference]);
  return { ...statement, lines };
};
const refused = (content: string | Buffer, message: RegExp, mapping: ColumnMapping | null = null) =>
  assert.rejects(read(content, mapping), (error) => {
    assert.ok(error instanceof ApiError && error.status === 400, String(error));
    const issues = (error.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`).join("\n");
    assert.match(`${error.message}\n${issues}`, message);
    return true;
  });

const OFX1 = `OFXHEADER:100
DATA:OFXSGML
ENCODING:USASCII
CHARSET:1252

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261130</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>ZAR<BANKACCTFROM><BANKID>1<ACCTID>62</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261101<DTEND>20261130
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261105120000[+2:SAST]<TRNAMT>150.00<FITID>1<NAME>EFT-AB23CD45<MEMO>Smit &amp; Seun
</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261106<TRNAMT>-12,50</TRNAMT><FITID>2<NAME></NAME><MEMO>Fee</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`;
const OFX2 = `<?xml version="1.0"?><?OFX OFXHEADER="200"?>
<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>ZAR</CURDEF><BANKTRANLIST>
<STMTTRN><DTPOSTED>20261105</DTPOSTED><TRNAMT>150.00</TRNAMT><NAME>Caf\u00e9 &lt;1&gt;</NAME><REFNUM>R1</REFNUM></STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
const entry = (amount: string, side: string, more = "", currency = "ZAR") =>
  `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt>${more}</Ntry>`;
const camt = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><ns:Document xmlns:ns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><ns:BkToCstmrStmt><ns:Stmt>${entries.join("\n")}</ns:Stmt></ns:BkToCstmrStmt></ns:Document>`;

describe("CSV of each bank is known by its headings", () => {
  const line = ["2026-11-05", 15_000, "EFT-AB23CD45 SMIT", null];
  const out = ["2026-11-25", -1250, "MONTHLY FEE", null];
  const BANKS: [string, string][] = [
    [
      "FNB",
      'ACCOUNT TRANSACTION HISTORY\r\n\r\nName:, Smit,\r\nAccount:, 62001, [Cheque]\r\nBalance:, 5.00, 5.00\r\n\r\nDate, Amount, Balance, Description\r\n2026/11/05, 150.00, 155.00, "EFT-AB23CD45 SMIT"\r\n2026/11/25, -12.50, 5.00, "MONTHLY FEE"\r\n',
    ],
    [
      "Absa",
      "Date,Description,Amount,Balance\n20261105,EFT-AB23CD45 SMIT,150.00,155.00\n20261125,MONTHLY FEE,-12.50,142.50\n",
    ],
    [
      "Standard Bank",
      "ALL,0,,10112233,,,\nACC-NO,0,,,,,\nOPEN,20261101,,5.00,OPEN BALANCE,,\nHIST,20261105,,150.00,EFT-AB23CD45 SMIT,,0,0\nHIST,20261125,##,-12.50,MONTHLY FEE,,0,0\nCLOSE,20261130,,5.00,CLOSE BALANCE,,\n",
    ],
    [
      "Standard Bank",
      "Date,Description,Payments,Deposits,Balance\n05 Nov 2026,EFT-AB23CD45 SMIT,,150.00,155.00\n25 Nov 2026,MONTHLY FEE,-12.50,,142.50\n",
    ],
    [
      "Nedbank",
      "Statement Enquiry :\nAccount Number : ,1002\nAccount Description : ,Current\n\n05Nov2026,EFT-AB23CD45 SMIT,150.00,155.00\n25Nov2026,MONTHLY FEE,-12.50,142.50\n",
    ],
    [
      "Nedbank",
      "Tran List No,Date,Description,Fees (R),Debits (R),Credits (R),Balance (R)\n,2026-11-01,BROUGHT FORWARD,,,,5.00\n1,2026-11-05,EFT-AB23CD45 SMIT,,,150.00,155.00\n2,2026-11-25,MONTHLY FEE,12.50,,,142.50\n",
    ],
    [
      "Capitec",
      "Nr,Account,Posting Date,Transaction Date,Description,Original Description,Parent Category,Category,Money In,Money Out,Fee,Balance\n1,14,2026-11-05,2026-11-04,EFT-AB23CD45 SMIT,EFT-AB23CD45 SMIT,Income,Other,150.00,,,155.00\n2,14,2026-11-25,2026-11-25,MONTHLY FEE,MONTHLY FEE,Fees,Fees,,,-12.50,142.50\n",
    ],
    // As accounting software reads them from these banks' business sites.
    [
      "FNB",
      "ACCOUNT TRANSACTION HISTORY,,,,,,,\nFOR ACCOUNT NUMBER 1234567890,,,,,,,\nDate,SERVICE FEE,Amount,DESCRIPTION,REFERENCE,Balance,CHEQUE NUMBER,\n2026/11/05,0,150,EFT-AB23CD45 SMIT,,155.00,0,\n2026/11/25,0,-12.5,MONTHLY FEE,,142.50,0,\n",
    ],
    [
      "Capitec",
      "Balance brought forward:,5.00,,,,,,\n,,,,,,,\nAccount,Date,Description,Reference,Amount,Fees,Balance,\n1051,05/11/2026,EFT-AB23CD45 SMIT,,150.00,,155.00,\n1051,25/11/2026,MONTHLY FEE,,,-12.50,142.50,\nTotal:,,,,150.00,-12.50,142.50,\n",
    ],
    [
      "Nedbank",
      "Statement Enquiry :,,,,\nAccount Number :,1234567891,,,\nAccount Description :,CURRENT,,,\nStatement Number :,3000,,,\n05Nov2026,EFT-AB23CD45 SMIT,150,155,\n25Nov2026,VAT 25/10-24/11 = R1.63,,155,\n25Nov2026,MONTHLY FEE,-12.5,142.5,\n25Nov2026,CARRIED FORWARD,,142.5,\n25Nov2026,PROVISIONAL STATEMENT,,,\n",
    ],
    [
      "Standard Bank",
      "Statement of Account,,,,,,,,,\n,,,,,,,,,\nAccount No:,12345678 - SBZAZAJJ,,,,,,,,\nCurrency:,ZAR - SOUTH AFRICAN RAND,,,,,,,,\nDate,Value Date,Statement Number,Description,Amount,Balance,Type,Originator Reference,Customer Reference,\n2026/11/05,2026/11/05,0249,OPEN BALANCE 0511,,+5.00,,OPEN BALANCE,,\n2026/11/05,2026/11/05,0250,EFT-AB23CD45 SMIT,150.00,+155.00,TRF,SMIT,,\n2026/11/25,2026/11/25,0250,MONTHLY FEE,-12.50,+142.50,FEE,,,\n2026/11/25,2026/11/25,0250,CLOSE BALANCE 2511,,+142.50,TRF,CLOSE BALANCE,,\n",
    ],
    [
      "Investec",
      "Date,Description,Debit,Credit,Balance\n05/11/2026,EFT-AB23CD45 SMIT,,150.00,155.00\n25/11/2026,MONTHLY FEE,12.50,,142.50\n",
    ],
  ];
  for (const [bank, csv] of BANKS)
    test(`${bank}: ${csv.slice(0, 24).replaceAll(/\s+/g, " ")}`, async () => {
      const statement = await read(csv);
      assert.deepEqual([statement.bank, statement.format, statement.lines], [bank, "csv", [line, out]]);
      assert.deepEqual([statement.first, statement.last], ["2026-11-05", "2026-11-25"]);
    });
});

describe("CSV of any bank", () => {
  const plain = "date,description,amount,reference\n2026-11-05,Smit,150.00,EFT-AB23CD45\n";
  const expected = [["2026-11-05", 15_000, "Smit", "EFT-AB23CD45"]];
  const ENCODED: [string, Buffer][] = [
    ["UTF-8", bytes(plain)],
    ["UTF-8 with a byte order mark", bytes(`\ufeff${plain}`)],
    ["UTF-16 with a byte order mark", Buffer.from(`\ufeff${plain}`, "utf16le")],
    ["UTF-16 without one", Buffer.from(plain, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\ufeff${plain}`, "utf16le").swap16()],
  ];
  for (const [name, content] of ENCODED)
    test(name, async () => assert.deepEqual((await read(content)).lines, expected));
  test("Windows-1252", async () => {
    const csv = Buffer.from("date,description,amount\n2026-11-05,Andr\xe9 \x80,1.00\n", "latin1");
    assert.deepEqual((await read(csv)).lines, [["2026-11-05", 100, "André €", null]]);
  });
  test("semicolons and decimal commas", async () => {
    const csv = "Datum;Beskrywing;Bedrag\n05.11.2026;Betaling, dankie, Jan;1 234,56\n25.11.2026;Fooi;-12,50\n";
    assert.deepEqual((await read(csv)).lines, [
      ["2026-11-05", 123_456, "Betaling, dankie, Jan", null],
      ["2026-11-25", -1250, "Fooi", null],
    ]);
  });
  test("tabs, quotation marks and a break inside a cell", async () => {
    const csv = 'Date\tDetails\tAmount\n2026-11-05\t"Two\nlines ""x"""\t1.00\n2026-11-06\tb\t2.00\n';
    assert.deepEqual(
      (await read(csv)).lines.map(([, , text]) => text),
      ['Two lines "x"', "b"],
    );
  });
  test("a formula is text, never an amount", async () => {
    const csv = (amount: string) => `date,description,amount\n2026-11-05,"=HYPERLINK(""http://x"")",${amount}\n`;
    assert.deepEqual((await read(csv("1.00"))).lines[0]?.[2], '=HYPERLINK("http://x")');
    await refused(csv("=1+1"), /Line 2, column amount: =1\+1 is not an amount/);
  });
  test("a charge beside an amount is a line of its own, remarks below are none", async () => {
    const csv =
      "Date,Description,Money In,Money Out,Fee\n2026-11-05,Card,,100.00,-2.50\n2026-11-06,Closing balance,,,\n,Thank you,,,\n";
    assert.deepEqual(
      (await read(csv)).lines.map(([, amount, text]) => [amount, text]),
      [
        [-10_000, "Card"],
        [-250, "Card (fee)"],
      ],
    );
  });
  test("a mapping names the columns, whatever their case", async () => {
    const csv = "When,What,Note,How much,Ours\n11/05/2026,a,b,5.00,R1\n";
    const mapping = {
      date: "when",
      description: "NOTE",
      amount: "How much",
      reference: "ours",
      dateFormat: "MM/DD/YYYY",
    };
    assert.deepEqual((await read(csv, mapping)).lines, [["2026-11-05", 500, "b", "R1"]]);
    await refused(csv, /Column Paid: the file has no such column; it has When, What/, { ...mapping, amount: "Paid" });
    await refused(csv, /could be DD\/MM\/YYYY or MM\/DD\/YYYY/, {
      ...mapping,
      dateFormat: undefined,
    });
    assert.deepEqual((await read(csv.replace("When", "Date"), { amount: "how much", dateFormat: "DMYY" })).lines, [
      ["2026-05-11", 500, "", null],
    ]);
    await refused(csv, /name the columns of date and amount/, { amount: "How much" });
    await refused(csv, /dateFormat MM is none/, { ...mapping, dateFormat: "MM" });
  });
  test("without known headings it says what is needed", () => refused("a,b\n1,2\n", /it needs a date and an amount/));
});

describe("by what is kept of an account", () => {
  const kept = { date: "Wanneer", amount: "Hoeveel", description: "Wat", dateFormat: "DD/MM/YYYY" };
  const own = (...rows: string[]) => ["Wanneer,Hoeveel,Wat", ...rows].join("\n");
  const known = (...rows: string[]) => ["date,amount,description", ...rows].join("\n");
  const [iso, cut] = ["2027-06-05,12.00,a", "2027-06-0"];
  const REFUSED: [string, string, RegExp][] = [
    [
      "a file that is cut off",
      own("05/06/2027,12.00,a", "06/0"),
      /Line 3: has 1 of 3 columns: the file may be cut off/,
    ],
    ["one with dates of another order", own(iso, iso, cut), /Line 4: has 1 of 3 columns: the file may be cut off/],
    ["an export with headings that are known", known(iso, iso, cut), /Line 4: has 1 of 3 columns/],
    [
      "a date that is none",
      own("05/06/2027,12.00,a", "31/06/2027,1.00,a"),
      /Line 3, column Wanneer: 31\/06\/2027 is not/,
    ],
    ["a quotation mark that is not closed", own(...Array(2000).fill(iso), '"2027'), /not CSV/],
    ["other columns", "a,b\n1,2\n", /Column Wanneer: the file has no such column/],
  ];
  for (const [name, csv, message] of REFUSED)
    test(`the row that cannot be read is named: ${name}`, async () => {
      const mapping = csv.startsWith("date") ? { dateFormat: kept.dateFormat } : kept;
      await assert.rejects(readAsKept(Buffer.from(csv), mapping), (error: Error) => message.test(error.message));
      if (name === "other columns") return;
      assert.match((await previewAsKept(Buffer.from(csv), mapping)).problem ?? "", message);
    });
  test("dates in another order are read when the whole column has that one", async () => {
    const read = await readAsKept(Buffer.from(own(iso, "2027-06-13,1.00,b")), kept);
    assert.deepEqual([read.count, read.first, read.last, read.order], [2, "2027-06-05", "2027-06-13", "ymd"]);
  });
});

describe("bad input is named, and nothing is read of it", () => {
  const csv = (...rows: string[]) => ["date,description,amount,reference", ...rows, ""].join("\n");
  const good = "2026-11-05,a,1.00,r";
  const CASES: [string, string | Buffer, RegExp][] = [
    ["an empty file", "", /The file is empty/],
    ["a bad amount", csv(good, "2026-11-06,a,1.2.3,r"), /Line 3, column amount: 1\.2\.3 is not/],
    ["no amount", csv("2026-11-06,a,,r"), /Line 2, column amount: the amount is missing/],
    ["a bad date", csv(good, "2026-02-30,a,1.00,r"), /Line 3, column date: 2026-02-30 is not a date/],
    ["no date", csv(good, ",a,1.00,r"), /Line 3, column date: the date is missing/],
    ["several", csv("x,a,1.00,r", "2026-11-05,a,x,r"), /\(and 1 more\)[\s\S]*file\.3\.amount x is not/],
    ["half a file", `${csv(good)}2026-11-06,a,1`, /Line 3: has 3 of 4 columns: the file may be cut off/],
    [
      "half a file whose dates stand behind",
      "description,date,amount\nTotal Garage,2026-11-05,1.00\nTotal Gar",
      /Line 3: has 1 of 3 columns: the file may be cut off/,
    ],
    [
      "a row in the middle that has a text alone",
      "description,reference,date,amount\nSmit,r,2026-11-05,1.00\nSmit,r\nSmit,r,2026-11-05,1.00\n",
      /Line 3: has 2 of 4 columns/,
    ],
    [
      "half a file of Standard Bank",
      "OPEN,20261101,,5.00,OPEN BALANCE,,\nHIST,20261105,,150.00,SMIT,,0,0\nHIS",
      /Line 3: has 1 of 6 columns: the file may be cut off/,
    ],
    ["a quotation mark that is not closed", csv(good, '2026-11-06,"a,1.00,r'), /not CSV/],
    ["a separator that is not quoted", csv("2026-11-06,a,b,1.00,r"), /is not an amount|more columns than the 4/],
    ["dates of two orders", csv("13/02/2026,a,1.00,r", "02/13/2026,a,1.00,r"), /more than one order/],
    ["dates that could be either", csv("01/02/2026,a,1.00,r", "02/03/2026,a,1.00,r"), /say which with dateFormat/],
    [
      "two currencies",
      "date,amount,currency\n2026-11-05,1.00,ZAR\n2026-11-06,1.00,USD\n",
      /Line 3: the line is in USD, others are in ZAR/,
    ],
    ["money in and out in a row", "date,debit,credit\n2026-11-05,1.00,2.00\n", /stand in one row/],
    ["a PDF", "%PDF-1.7 x", /neither CSV nor OFX nor CAMT/],
    ["HTML", "<html><body>", /neither CSV nor OFX nor CAMT/],
    [
      "an entity",
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><BkToCstmrStmt >&x;</BkToCstmrStmt>`,
      /document type is not accepted/,
    ],
    ["an entity without a type", camt(entry("1.00", "CRDT", "<AddtlNtryInf>&x;</AddtlNtryInf>")), /cannot be read/],
    ["half of CAMT", camt(entry("1.00", "CRDT")).slice(0, -40), /cannot be read/],
    ["two currencies of CAMT", camt(entry("1.00", "CRDT"), entry("1.00", "CRDT", "", "USD")), /the line is in USD/],
    ["an amount of CAMT", camt(entry("x", "CRDT")), /column Amt: x is not/],
    ["a side of CAMT", camt(entry("1.00", "IN")), /column CdtDbtInd: IN is neither/],
    ["CAMT without a statement", camt().replaceAll("ns:Stmt", "ns:Other"), /holds no statement/],
    [
      "two accounts of CAMT",
      camt("<Acct><Id><IBAN>A1</IBAN></Id></Acct>", entry("1.00", "CRDT")).replace(
        "</ns:Stmt>",
        `</ns:Stmt><ns:Stmt><Acct><Id><Othr><Id>B2</Id></Othr></Id></Acct>${entry("2.00", "CRDT")}</ns:Stmt>`,
      ),
      /column Acct: the file has statements of two accounts, A1 and B2: import one at a time/,
    ],
    [
      "two accounts of OFX",
      OFX1.replace("</STMTRS>", "</STMTRS><STMTRS><BANKACCTFROM><ACCTID>63</BANKACCTFROM></STMTRS>"),
      /column ACCTID: the file has statements of two accounts, 62 and 63: import one at a time/,
    ],
    ["half of OFX 1", OFX1.slice(0, -40), /ends too early/],
    ["half of OFX 2", OFX2.slice(0, -40), /cannot be read/],
    ["a document type in OFX", OFX1.replace("<OFX>", "<!DOCTYPE x><OFX>"), /document type is not accepted/],
    ["an amount of OFX", OFX1.replace("150.00", "abc"), /column TRNAMT: abc is not/],
    [
      "a date of OFX",
      OFX1.replace("20261105120000", "20261305"),
      /column DTPOSTED: 20261305\[\+2:SAST\] is not a date/,
    ],
  ];
  for (const [name, content, message] of CASES) test(name, () => refused(content, message));
});

describe("OFX and CAMT.053", () => {
  test("OFX 1 is SGML, whose elements need not be closed", async () => {
    const { lines, currency, format } = await read(OFX1);
    assert.deepEqual([format, currency], ["ofx", "ZAR"]);
    assert.deepEqual(lines, [
      ["2026-11-05", 15_000, "EFT-AB23CD45 Smit & Seun", null],
      ["2026-11-06", -1250, "Fee", null],
    ]);
  });
  test("two statements of one account are one, and an account that is paid is none of the file's", async () => {
    const statement = "<Acct><Id><IBAN>A1</IBAN></Id></Acct>";
    const paid = entry(
      "2.00",
      "CRDT",
      "<NtryDtls><TxDtls><RltdPties><DbtrAcct><Id><IBAN>B2</IBAN></Id></DbtrAcct></RltdPties></TxDtls></NtryDtls>",
    );
    const twice = camt(statement, entry("1.00", "CRDT")).replace(
      "</ns:Stmt>",
      `</ns:Stmt><ns:Stmt>${statement}${paid}</ns:Stmt>`,
    );
    assert.equal((await read(twice)).count, 2);
    const to = "<NAME>EFT-AB23CD45<BANKACCTTO><ACCTID>99</BANKACCTTO>";
    assert.equal((await read(OFX1.replace("<NAME>EFT-AB23CD45", to))).count, 2);
  });
  test("OFX 2 is XML", async () =>
    assert.deepEqual((await read(OFX2)).lines, [["2026-11-05", 15_000, "Café <1>", "R1"]]));
  test("CAMT.053, with prefixes, sides and details; what is pending is left out", async () => {
    const details =
      "<NtryDtls><TxDtls><Refs><EndToEndId>E2E-1</EndToEndId></Refs><RltdPties><Dbtr><Nm>Smit</Nm></Dbtr></RltdPties><RmtInf><Ustrd>EFT-AB23CD45</Ustrd></RmtInf></TxDtls></NtryDtls>";
    const pending = entry("9.00", "CRDT").replace("BOOK", "PDNG");
    const { lines, currency, format } = await read(
      camt(entry("150.00", "CRDT", details), entry("12.5", "DBIT"), pending),
    );
    assert.deepEqual([format, currency], ["camt053", "ZAR"]);
    assert.deepEqual(lines, [
      ["2026-11-05", 15_000, "E2E-1 Smit EFT-AB23CD45", "E2E-1"],
      ["2026-11-05", -1250, "", null],
    ]);
  });
  test("of more than 150 000 lines the first that is too many is named", () => {
    const line = "<STMTTRN><DTPOSTED>20261105<TRNAMT>1</STMTTRN>\n";
    return refused(
      `OFXHEADER:100\n<OFX><BANKTRANLIST>\n${line.repeat(150_001)}</BANKTRANLIST></OFX>`,
      /Line 150003: a statement has at most 150000 lines: import the others from another file/,
    );
  });
  test("pieces may end anywhere", async () => {
    const many = Array.from(
      { length: 2000 },
      (_, n) => `<STMTTRN><DTPOSTED>20261105<TRNAMT>${n + 1}.00<NAME>line ${n}\n</STMTTRN>`,
    );
    const long = OFX1.replace(/<STMTTRN>[\s\S]*<\/STMTTRN>/, many.join("\n"));
    const { lines } = await read(long);
    assert.deepEqual([lines.length, lines.at(-1)], [2000, ["2026-11-05", 200_000, "line 1999", null]]);
    const xml = await read(camt(...many.map((_, n) => entry(`${n + 1}.00`, "CRDT"))));
    assert.equal(xml.lines.length, 2000);
  });
});
