import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayUnclear } from "../http.ts";
import { readStatement } from "./statement.ts";

const line = (
  type: string,
  changes: Partial<Record<"date" | "id" | "text" | "amount" | "sign" | "extra1", string>> = {},
) =>
  [
    changes.date ?? "2027-03-01",
    type,
    changes.id ?? "800001",
    changes.text ?? "Debit order",
    changes.amount ?? "299.0000",
    changes.sign ?? "+",
    "0",
    changes.extra1 ?? "DO0123456789-20270301",
    "",
    "",
    "Debtors",
  ].join("\t");

for (const type of ["TDD", "SDD", "TDC", "SDC", "DCS"])
  test(`${type}: collected, and counts after two business days`, () => {
    const [read] = readStatement(line(type));
    assert.equal(read?.id, "800001");
    assert.equal(read?.countsFrom, "2027-03-03");
    assert.partialDeepStrictEqual(read?.fact, { kind: "paid", amount: 29_900, reference: "DO0123456789-20270301" });
  });
test("what is collected on a Friday, or before a public holiday, waits longer", () => {
  assert.equal(readStatement(line("TDD", { date: "2027-03-05" }))[0]?.countsFrom, "2027-03-09");
  // Good Friday and Family Day.
  assert.equal(readStatement(line("TDD", { date: "2027-03-25" }))[0]?.countsFrom, "2027-03-31");
});
for (const type of ["PNC", "PNE", "PNP", "PNM"])
  test(`${type}: paid at once`, () => assert.equal(readStatement(line(type))[0]?.countsFrom, null));

// The end of a description, then the code and whether the same account can never pay.
const CODES: [string, string | null, boolean][] = [
  ["- Code: 02", "02", false],
  [" - Code: 22", "22", false],
  ["-Code:01", "01", true],
  ["- Code: 2", "02", false],
  ["- Code: 12", "12", true],
  ["- Code: 30", "30", true],
  ["- Code: 99", "99", true],
  ["", null, false],
];
for (const type of ["DRU", "DCU", "DCX", "DCD", "PNU", "PNZ", "PNQ", "PNW", "PND"])
  for (const [end, code, hard] of CODES)
    test(`${type} ${end}: given back`, () => {
      const [read] = readStatement(line(type, { text: `Debit order unpaid ${end}`, sign: "-" }));
      const takesBack = { code: code ?? type };
      assert.partialDeepStrictEqual(read?.fact, { kind: "declined", amount: 29_900, hard, takesBack });
    });
test("PNR: refunded in Netcash's dashboard; without whole cents it tells no amount", () => {
  const [read] = readStatement(line("PNR", { sign: "-" }));
  const refund = { about: "refund", kind: "processed", refundId: null, currency: "ZAR" };
  assert.partialDeepStrictEqual(read?.fact, { ...refund, providerRefundRef: read?.id, amount: 29_900 });
});
test("a code in a column of its own belongs to the description", () => {
  const columns = line("DRU", { sign: "-" }).split("\t");
  const [read] = readStatement([...columns.slice(0, 4), "-Code:30", ...columns.slice(4)].join("\t"));
  assert.partialDeepStrictEqual(read?.fact, { amount: 29_900, takesBack: { code: "30" } });
});

test("balances, fees, transfers and lines without a reference say nothing of payments", () => {
  const others = ["OBL", "CBL", "NSF", "VAT", "BTR", "INP", "IAT", "CRP", "PNR"].map((type) => line(type));
  assert.deepEqual(readStatement([...others, line("TDD", { extra1: "" })].join("\n")), []);
});

for (const [name, separator] of Object.entries({ LF: "\n", CRLF: "\r\n", CR: "\r" }))
  test(`lines are separated by ${name}`, () =>
    assert.equal(readStatement([line("TDD"), line("TDC", { id: "2" }), ""].join(separator)).length, 2));

test("amounts that are none are kept, so that they fit no payment", () => {
  for (const amount of ["299.001", "-299.00", "29900,00", ""]) {
    const [read] = readStatement(line("TDD", { amount }));
    assert.ok(read?.fact.kind === "paid" && (read.fact.inexactAmount !== undefined || read.fact.amount < 0), amount);
  }
  assert.partialDeepStrictEqual(readStatement(line("TDD", { amount: "299" }))[0]?.fact, { amount: 29_900 });
});

const CUT: [string, string][] = [
  ["after its date", "2027-03-01"],
  ["within its type", "2027-03-01\tTD"],
  ["before its sign", line("TDD").split("\t").slice(0, 5).join("\t")],
  ["a page", "<html>"],
];
for (const [where, text] of CUT)
  test(`a statement that is cut ${where} is unclear`, () =>
    assert.throws(() => readStatement(`${line("TDD")}\n${text}`), GatewayUnclear));
test("a line with the sign of the opposite is unclear", () => {
  assert.throws(() => readStatement(line("TDD", { sign: "-" })), GatewayUnclear);
  assert.throws(() => readStatement(line("DRU", { sign: "+" })), GatewayUnclear);
});
