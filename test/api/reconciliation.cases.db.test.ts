import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { addDays, calendarDay, instant } from "../../src/kernel/time.ts";
import { issuePaths, openApi, refusal, type TestApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import {
  imported,
  importFile,
  ledgerBalances,
  openReconciling,
  type Reconciling,
  type RunBody,
  statementOf,
  uploadStatement,
} from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Small files that readers of bank statements have failed at, sent as staff send them; and statements that are withdrawn. */

let api: TestApi;
let shop: Reconciling;
before(async () => {
  api = await openApi();
  shop = await openReconciling(api);
});
after(() => closeVerified(api));

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/statements/${name}`, import.meta.url), "utf8");
const DAY = NOW.slice(0, 10);
const shapes = ({ items }: RunBody) => items.map(({ status, amount, description }) => [status, amount, description]);

interface Run extends RunBody {
  readonly rows: Readonly<Record<string, number>>;
  readonly warnings: readonly { readonly line: number | null; readonly message: string }[];
  readonly withdrawnAt: string | null;
}
const importing = async (account: string, file: string, fields: Readonly<Record<string, string>> = {}): Promise<Run> =>
  (await imported(shop.staff, file, { account, ...fields })) as Run;

describe("small inputs", () => {
  const FILES: [string, unknown[][]][] = [
    [
      "f01-capitec-older.csv",
      [
        ["unmatched", 250, "In from T Nkosi EFT-AB23CD45"],
        ["unmatched", -2, "Bank charge June"],
      ],
    ],
    [
      "f06-stmttrn-open.ofx",
      [
        ["unmatched", 10, "ONE"],
        ["unmatched", 20, "TWO"],
        ["unmatched", 30, "THREE"],
      ],
    ],
    [
      "f14-continued.csv",
      [
        ["unmatched", 7500, "TRANSFER IN from NKOSI EFT-AB23CD45"],
        ["unmatched", -20, "CHARGE"],
      ],
    ],
    [
      "f15-cr-only.csv",
      [
        ["unmatched", 1000, "SALES"],
        ["unmatched", -250, "GIVEN BACK TO NKOSI"],
      ],
    ],
  ];
  for (const [name, lines] of FILES)
    test(name, async () => {
      const run = await importing(name, fixture(name));
      assert.deepEqual(shapes(run), lines);
      const { total, charges: _, ...kinds } = run.rows;
      assert.equal(
        total,
        Object.values(kinds).reduce((all, one) => all + one, 0),
      );
      assert.deepEqual(
        shapes(await importing(name, fixture(name))).map(([status]) => status),
        lines.map(() => "duplicate"),
      );
    });

  test("f01 names the order that it pays", async () => {
    const { reference } = await shop.paid(250);
    const { items } = await importing("Nkosi", fixture("f01-capitec-older.csv").replaceAll("EFT-AB23CD45", reference));
    assert.deepEqual(
      items.map(({ transactionReference }) => transactionReference),
      [reference, null],
    );
  });

  test("f07: money given back is not money that is awaited", async () => {
    const { merchant, paid } = shop;
    const { body } = await merchant.post<{ id: string }>("/customers", {
      email: "t@example.com",
      firstName: "Thandi",
      lastName: "Nkosi",
    });
    const { reference } = await paid(250, { customerId: body.id });
    const file = fixture("f07-unsigned-debit.ofx").replaceAll("20270609", DAY.replaceAll("-", ""));
    const run = await importing("f07", file);
    assert.deepEqual(run.items.map(({ status, amount }) => [status, amount]).slice(0, 1), [["unmatched", -250]]);
    assert.ok(run.items.some((one) => one.status === "not_received" && one.transactionReference === reference));
  });
});

describe("the bank's own id", () => {
  test("two ids are two lines, and one id is one line", async () => {
    const statuses = async (account: string, ...names: string[]) => {
      const found = [];
      for (const name of names)
        found.push(...(await importing(account, fixture(name))).items.map(({ status }) => status));
      return found;
    };
    assert.deepEqual(await statuses("ids", "f04a-morning.ofx", "f04b-afternoon.ofx"), ["unmatched", "unmatched"]);
    assert.deepEqual(await statuses("id", "f04a-morning.ofx", "f04c-same-id-other-text.ofx"), [
      "unmatched",
      "duplicate",
    ]);
  });

  const ofx = (...lines: [string, string, string, string][]) =>
    `OFXHEADER:100\n<OFX><STMTRS><CURDEF>ZAR<BANKTRANLIST>\n${lines.map(([id, day, amount, name]) => `<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>${day}<TRNAMT>${amount}<FITID>${id}<NAME>${name}</STMTTRN>`).join("\n")}</BANKTRANLIST></STMTRS></OFX>`;
  const FILES: [string, string[], string[][]][] = [
    [
      "zeros are none",
      [ofx(["0", "20270608", "5", "A"]), ofx(["0", "20270608", "5", "A"], ["0", "20270608", "5", "A"])],
      [["unmatched"], ["duplicate", "unmatched"]],
    ],
    [
      "an id of another line",
      [ofx(["1", "20270608", "5", "A"]), ofx(["1", "20270709", "9", "B"])],
      [["unmatched"], ["unmatched"]],
    ],
    [
      "files that are numbered anew overlap",
      [
        ofx(["1", "20270607", "4", "A"], ["2", "20270608", "5", "B"]),
        ofx(["1", "20270608", "5", "B"], ["2", "20270609", "6", "C"]),
      ],
      [
        ["unmatched", "unmatched"],
        ["duplicate", "unmatched"],
      ],
    ],
    [
      "lines that were imported without ids",
      ["date,description,amount\n2027-06-08,A,5\n", ofx(["M1", "20270608", "5", "A"], ["M2", "20270608", "5", "A"])],
      [["unmatched"], ["duplicate", "unmatched"]],
    ],
  ];
  for (const [name, files, expected] of FILES)
    test(name, async () => {
      const found = [];
      for (const file of files) found.push((await importing(name, file)).items.map(({ status }) => status));
      assert.deepEqual(found, expected);
    });
});

describe("a statement says what it is worth before it is imported", () => {
  const csv = "Date,Description,Amount,Balance\n2027-02-22,a,10,110\n2027-02-23,b,-20,90\n2027-02-24,c,5,90\n";
  test("lines of days that are still to come, in the preview and in the run", async () => {
    const ahead = (days: number) => addDays(calendarDay(instant(NOW)), days);
    const file = (days: number) => `Date,Description,Amount\n${DAY},a,-10\n${ahead(days)},b,20\n`;
    const run = await importing("ahead", file(1500));
    assert.match(run.warnings[0]?.message ?? "", new RegExp(`${ahead(1500)}, which is still to come`));
    const path = "/reconciliation/imports/preview";
    const { body } = await uploadStatement<{ warnings: unknown }>(shop.staff, path, file(1500), {});
    assert.deepEqual(body.warnings, run.warnings);
    assert.deepEqual(
      (await importing("ahead", file(3))).warnings,
      [],
      "banks date some lines to the next business day",
    );
  });
  test("a gap in its balances, in the preview and in the run", async () => {
    const { body } = await uploadStatement<{ warnings: unknown; rowCounts: unknown }>(
      shop.staff,
      "/reconciliation/imports/preview",
      csv,
      {},
    );
    const run = await importing("gap", csv);
    assert.deepEqual(
      run.warnings.map(({ line }) => line),
      [4],
    );
    assert.match(run.warnings[0]?.message ?? "", /Line 4: the balance is 90.00, but 95.00 follows/);
    assert.deepEqual(body.warnings, run.warnings);
    assert.partialDeepStrictEqual(run.rows, { total: 3, lines: 3, duplicates: 0 });
    const again = await importing("gap", csv);
    assert.partialDeepStrictEqual(again.rows, { total: 3, lines: 0, duplicates: 3 });
  });

  test("a day without entries is an empty run of its days", async () => {
    const empty =
      "OFXHEADER:100\n<OFX><STMTRS><CURDEF>ZAR<BANKTRANLIST><DTSTART>20270607<DTEND>20270608</BANKTRANLIST></STMTRS></OFX>";
    const { items, status, periodStart, periodEnd, rows } = await importing("empty", empty);
    assert.deepEqual(
      [items, status, periodStart, periodEnd, rows["total"]],
      [[], "completed", "2027-06-07", "2027-06-08", 0],
    );
  });

  test("a day without entries misses what was paid on the days that it says, and nothing where it says none", async () => {
    const { reference } = await shop.paid(261);
    const missing = async (file: string, fields: Readonly<Record<string, string>> = {}) => {
      const { items, warnings } = await importing(
        `no entries ${file}${fields["periodStart"] ?? ""}`.slice(0, 100),
        file,
        fields,
      );
      assert.notEqual(warnings.length, 0);
      return items.some(({ transactionReference }) => transactionReference === reference);
    };
    const headings = "Date,Description,Amount,Balance\n";
    assert.equal(await missing(headings), false);
    assert.equal(await missing(headings, { periodStart: DAY, periodEnd: DAY }), true);
    assert.equal(await missing(`${headings}${DAY},Balance brought forward,,9.00\n`), true);
    assert.equal(await missing(`${headings}2020-01-01,Balance brought forward,,9.00\n`), false);
  });

  test("OFX that does not say a side is asked about, and the answer holds for this file", async () => {
    const file = (id: string) =>
      `OFXHEADER:100\n<OFX><STMTRS><BANKTRANLIST><STMTTRN><TRNTYPE>XFER<DTPOSTED>20270608<TRNAMT>7<FITID>${id}<NAME>a</STMTTRN></BANKTRANLIST></STMTRS></OFX>`;
    const refused = async (id: string) => {
      const answer = await importFile(shop.staff, file(id), { account: "asked" });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer), ["mapping.direction"]);
    };
    await refused("1");
    const shown = (fields: Readonly<Record<string, string>>) =>
      uploadStatement<Run & { question: string | null }>(
        shop.staff,
        "/reconciliation/imports/preview",
        file("1"),
        fields,
      );
    assert.partialDeepStrictEqual((await shown({ account: "asked" })).body, { question: "direction", lines: [] });
    const answered = { account: "asked", mapping: JSON.stringify({ unsigned: "out" }) };
    assert.partialDeepStrictEqual((await shown(answered)).body, { question: null, lines: [{ amount: -7 }] });
    assert.deepEqual(shapes((await imported(shop.staff, file("1"), answered)) as Run), [["unmatched", -7, "a"]]);
    await refused("2");
  });

  test("a mapping that names the direction and several descriptions is kept for the account", async () => {
    const mapping = { date: "Dag", amount: "Rand", direction: "Rigting", description: ["Wat", "Wie"] };
    const file = "Dag,Wat,Wie,Rand,Rigting\n2027-06-08,a,b,5.00,Dt\n";
    assert.deepEqual(shapes(await importing("kept", file, { mapping: JSON.stringify(mapping) })), [
      ["unmatched", -5, "a b"],
    ]);
    assert.deepEqual(shapes(await importing("kept", file)), [["duplicate", -5, "a b"]]);
    const { body } = await shop.staff<{ data: { account: string; mapping: unknown }[] }>(
      "GET",
      "/reconciliation/accounts",
    );
    assert.deepEqual(body.data.find(({ account }) => account === "kept")?.mapping, mapping);
  });
});

describe("a statement is withdrawn", () => {
  const withdraw = (id: string) =>
    shop.staff<Run & { error: string; message: string }>("POST", `/reconciliation/runs/${id}/withdraw`);

  test("with what it matched, and its lines are new when they are imported again", async () => {
    const { reference } = await shop.paid(70);
    const file = statementOf([DAY, "pays", 70, reference], [DAY, "other", -3]);
    const before = await ledgerBalances(api, shop);
    const run = await importing("Withdrawn", file);
    assert.notDeepEqual(await ledgerBalances(api, shop), before);
    const { status, body } = await withdraw(run.id);
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(body, {
      status: "completed",
      totals: { items: 2, matched: 0, unmatched: 0, notReceived: 0 },
    });
    assert.ok(body.withdrawnAt);
    assert.deepEqual(await ledgerBalances(api, shop), before);
    const again = await importing("Withdrawn", file);
    assert.deepEqual(shapes(again).slice(0, 2), [
      ["matched", 70, "pays"],
      ["unmatched", -3, "other"],
    ]);
    assert.deepEqual(refusal(await withdraw(run.id)), [409, "invalid_state"]);
    const gone = (await shop.staff<Run>("GET", `/reconciliation/runs/${run.id}`)).body.items[0]?.id ?? "";
    assert.deepEqual(refusal(await shop.staff("POST", `/reconciliation/items/${gone}/unmatch`)), [
      409,
      "invalid_state",
    ]);
  });

  test("and lines of another statement that repeated its lines take their place", async () => {
    const first = await importing("Repeated", statementOf([DAY, "a", 1], [DAY, "b", 2]));
    const second = await importing("Repeated", statementOf([DAY, "b", 2], [DAY, "b", 2], [DAY, "c", 3]));
    await withdraw(first.id);
    const { body } = await shop.staff<Run>("GET", `/reconciliation/runs/${second.id}`);
    assert.deepEqual(
      shapes(body)
        .slice(0, 3)
        .map(([status]) => status),
      ["unmatched", "unmatched", "unmatched"],
    );
    assert.equal(body.totals["unmatched"], 3);
  });

  test("not while a line of it is matched by hand", async () => {
    const run = await importing("By hand", statementOf([DAY, "fee", -9]));
    const id = run.items[0]?.id ?? "";
    await shop.staff("POST", `/reconciliation/items/${id}/match`, { allocations: [{ kind: "bank_fee" }] });
    const refused = await withdraw(run.id);
    assert.deepEqual(refusal(refused), [409, "invalid_state"]);
    assert.match(refused.body.message, /A line of this statement was matched by hand. Undo that first/);
    await shop.staff("POST", `/reconciliation/items/${id}/unmatch`);
    assert.equal((await withdraw(run.id)).status, 200);
  });

  test("not when it was never imported", async () => {
    const { status } = await importFile(shop.staff, "date,amount\nx,y\n", { account: "Failed" });
    const runs = await shop.staff<{ data: Run[] }>("GET", "/reconciliation/runs?q=Failed");
    assert.deepEqual([status, refusal(await withdraw(runs.body.data[0]?.id ?? ""))], [400, [409, "invalid_state"]]);
    assert.deepEqual(refusal(await withdraw("rcn_none")), [404, "not_found"]);
  });
});
