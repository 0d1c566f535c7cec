import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, refusal, type TestApi } from "../support/api.ts";
import { imported, importFile, openReconciling, type Reconciling, type RunBody } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Whole files as banks, spreadsheets and people make them, sent over HTTP. What is refused leaves nothing behind. */

let api: TestApi;
let shop: Reconciling;
before(async () => {
  api = await openApi();
  shop = await openReconciling(api);
});
after(() => closeVerified(api));

const HEAD = "date,description,amount\n";
const plain = `${HEAD}2027-03-01,Andr\u00e9,1.00\n2027-03-02,b,-2.50\n`;
const utf16 = (text: string) => Buffer.from(text, "utf16le");
const entry = (amount: string, currency = "ZAR", more = "") =>
  `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2027-03-01</Dt></BookgDt>${more}</Ntry>`;
const camt = (inside: string, type = "") =>
  `<?xml version="1.0"?>${type}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>${inside}</Stmt></BkToCstmrStmt></Document>`;
const ofx = (inside: string, type = "") =>
  `<?xml version="1.0"?>${type}<?OFX OFXHEADER="200"?><OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>ZAR</CURDEF><BANKTRANLIST>${inside}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
const paid = (name: string) =>
  `<STMTTRN><DTPOSTED>20270301</DTPOSTED><TRNAMT>1.00</TRNAMT><NAME>${name}</NAME></STMTTRN>`;
/** Ten names, each of which is ten of the one before: 10 GB of text once they are put in. */
const LAUGHS = `<!DOCTYPE lolz [<!ENTITY a0 "lol">${Array.from({ length: 10 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join("")}]>`;
const OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>';

describe("what is read, whatever its form", () => {
  const both = [
    ["2027-03-01", "Andr\u00e9", 1],
    ["2027-03-02", "b", -2.5],
  ];
  const dated = (first: string, second: string) => `${HEAD}${first},a,1\n${second},b,2\n`;
  const days = [
    ["2027-03-01", "a", 1],
    ["2027-03-22", "b", 2],
  ];
  const FILES: [string, string | Buffer, unknown[][]][] = [
    ["Windows-1252", Buffer.from(plain, "latin1"), both],
    ["UTF-8 with a byte order mark", `\ufeff${plain}`, both],
    ["UTF-16, small end first", utf16(`\ufeff${plain}`), both],
    ["UTF-16, big end first", utf16(`\ufeff${plain}`).swap16(), both],
    ["UTF-16, small end first, without a mark", utf16(plain), both],
    ["UTF-16, big end first, without a mark", utf16(plain).swap16(), both],
    ["1 234,56", `${HEAD.replaceAll(",", ";")}2027-03-01;a;1 234,56\n`, [["2027-03-01", "a", 1234.56]]],
    ["1 234,56 in quotes", `${HEAD}2027-03-01,a,"1\u00a0234,56"\n`, [["2027-03-01", "a", 1234.56]]],
    ["(1,234.56)", `${HEAD}2027-03-01,a,"(1,234.56)"\n`, [["2027-03-01", "a", -1234.56]]],
    ["dates as YYYY-MM-DD", dated("2027-03-01", "2027-03-22"), days],
    ["dates as DD/MM/YYYY", dated("01/03/2027", "22/03/2027"), days],
    ["dates as MM/DD/YYYY", dated("03/01/2027", "03/22/2027"), days],
    ["dates as YYYY-DD-MM", dated("2027-01-03", "2027-22-03"), days],
    ["a formula in a text", `${HEAD}2027-03-01,"=cmd|' /C calc'!A0",1\n`, [["2027-03-01", "=cmd|' /C calc'!A0", 1]]],
  ];
  for (const [name, file, lines] of FILES)
    test(name, async () => {
      const { items } = await imported(shop.staff, file, { account: name });
      assert.deepEqual(
        items.map(({ date, description, amount }) => [date, description, amount]),
        lines,
      );
    });

  test("the same file twice, and once more with new lines below", async () => {
    const statuses = async (file: string) =>
      (await imported(shop.staff, file, { account: "Twice" })).items.map(({ status }) => status);
    const twin = `${plain}2027-03-02,b,-2.50\n`;
    assert.deepEqual(await statuses(twin), ["unmatched", "unmatched", "unmatched"]);
    assert.deepEqual(await statuses(twin), ["duplicate", "duplicate", "duplicate"]);
    const more = `${twin}2027-03-02,b,-2.50\n2027-03-03,c,3\n`;
    assert.deepEqual(await statuses(more), ["duplicate", "duplicate", "duplicate", "unmatched", "unmatched"]);
  });
});

describe("what is refused leaves nothing behind but a failed run that says why", () => {
  const FILES: [string, string | Buffer, RegExp][] = [
    [
      "two currencies",
      "date,amount,currency\n2027-03-01,1,ZAR\n2027-03-02,1,USD\n",
      /Line 3: the line is in USD, others are in ZAR/,
    ],
    ["two currencies in CAMT.053", camt(entry("1.00") + entry("1.00", "USD")), /the line is in USD/],
    ["no column of amounts", "date,description\n2027-03-01,a\n", /needs a date and an amount/],
    ["a row without its amount", `${plain}2027-03-03,c\n`, /Line 4: has 2 of 3 columns/],
    ["dates that could be of two orders", `${HEAD}01/02/2027,a,1\n`, /say which with dateFormat/],
    ["dates of two orders", `${HEAD}13/02/2027,a,1\n02/13/2027,a,1\n`, /more than one order/],
    ["a formula for an amount", `${HEAD}2027-03-01,a,=1+1\n`, /column amount: =1\+1 is not an amount/],
    ["a CSV file that is cut in a quoted cell", `${plain}2027-03-03,"half a`, /not CSV.*|quot/],
    ["a CSV file that is cut in a row", `${plain}2027-03-0`, /has 1 of 3 columns: the file may be cut off/],
    ["CAMT.053 that is cut in a line", camt(entry("1.00").repeat(3)).slice(0, -150), /cannot be read/],
    ["OFX that is cut in a line", ofx(paid("a").repeat(3)).slice(0, -150), /cannot be read|too early/],
    [
      "CAMT.053 with an entity of outside",
      camt(entry("1.00", "ZAR", "<AddtlNtryInf>&x;</AddtlNtryInf>"), OUTSIDE),
      /document type/,
    ],
    [
      "CAMT.053 with entities of entities",
      camt(entry("1.00", "ZAR", "<AddtlNtryInf>&a10;</AddtlNtryInf>"), LAUGHS),
      /document type/,
    ],
    ["OFX with an entity of outside", ofx(paid("&x;"), OUTSIDE), /document type/],
    ["OFX with entities of entities", ofx(paid("&a10;"), LAUGHS), /document type/],
  ];
  for (const [name, file, message] of FILES)
    test(name, async () => {
      const answer = await importFile(shop.staff, file, { account: name });
      assert.deepEqual(refusal(answer), [400, "invalid_request"], answer.text);
      assert.match(answer.body.message, message);
      const { body } = await shop.merchant.get<{ data: RunBody[] }>(
        `/reconciliation/runs?q=${encodeURIComponent(name)}&limit=100`,
      );
      const runs = body.data.filter(({ account }) => account === name);
      assert.deepEqual(
        runs.map(({ status, failure, fileName, totals }) => [status, failure, fileName, totals["items"]]),
        [["failed", answer.body.message, "statement.csv", 0]],
      );
      const accounts = await shop.staff<{ data: { account: string }[] }>("GET", "/reconciliation/accounts");
      assert.ok(accounts.body.data.every(({ account }) => account !== name));
    });
});

describe("what is large", () => {
  const LINES = 100_000;
  const LIMIT = 20 * 1024 * 1024;
  const line = (n: number) => `2027-03-01,${`payment ${n} `.padEnd(180, "x")},${n}.00\n`;

  test("100 000 lines of 20 MB are read to the last, which refuses them all, without the memory growing with them", async () => {
    const file = Buffer.from(
      `${HEAD}${Array.from({ length: LINES - 1 }, (_, n) => line(n + 1)).join("")}2027-03-01,last,x\n`,
    );
    assert.ok(file.length > 19_000_000 && file.length < LIMIT, String(file.length));
    let most = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 20);
    const answer = await importFile(shop.staff, file, { account: "Large" }).finally(() => clearInterval(watch));
    assert.deepEqual(refusal(answer), [400, "invalid_request"]);
    assert.match(answer.body.message, /Line 100001, column amount: x is not an amount/);
    // The form in the test and the file in the service are 20 MB each, and their sockets' buffers as much.
    assert.ok(most > 0 && most < 300 * 1024 * 1024, `${Math.round(most / 1024 / 1024)} MB more`);
    const rows = await api.query("select status, item_count from reconciliation_runs where account = 'Large'");
    assert.deepEqual(rows, [{ status: "failed", item_count: 0 }]);
  });

  test("a byte over 20 MB is 413", async () => {
    const over = Buffer.alloc(LIMIT + 1, "x");
    assert.deepEqual(refusal(await importFile(shop.staff, over)), [413, "invalid_request"]);
    assert.deepEqual(refusal(await importFile(shop.staff, over.subarray(1))), [400, "invalid_request"]);
  });
});
