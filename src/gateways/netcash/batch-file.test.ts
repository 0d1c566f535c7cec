import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { BANK_FILE, type BankRecord, batchFile, CARD_FILE, type CardRecord } from "./batch-file.ts";

const HEAD = {
  serviceKey: "5f0a6d3e-7c1b-4a52-9c0e-3b1d2f4a6c8e",
  instruction: "TwoDay",
  name: "dbat_1",
  actionDate: "2027-03-04" as CalendarDay,
} as const;

const BANK: BankRecord = {
  accountReference: "DO0123456789",
  accountName: "T Nkosi",
  amount: cents(29_900),
  reference: "DO0123456789-20270304",
  bank: { holder: "T Nkosi", number: "0062123456", branchCode: "250655", type: "savings" },
};

const CARD: CardRecord = {
  accountReference: "C0123456789abcdef-1",
  accountName: "T Nkosi",
  amount: cents(1),
  reference: "TEFOC-0123456789abcdef-1",
  card: {
    holder: "T Nkosi",
    code: "1",
    expiryMonth: 8,
    expiryYear: 2031,
    token: "2f6a7c1e-0b3d-4e5f-8a9b-0c1d2e3f4a5b",
    masked: "424242******4242",
  },
};

const whole = async (file: AsyncIterable<string>) => (await Array.fromAsync(file)).join("");

test("a file of bank debits, to the byte", async () => {
  const second = {
    ...BANK,
    accountReference: "DO0123456789-2",
    amount: cents(1),
    reference: "DO0123456789-20270304-2",
  };
  assert.equal(
    await whole(batchFile(HEAD, BANK_FILE, [BANK, second])),
    [
      "H\t5f0a6d3e-7c1b-4a52-9c0e-3b1d2f4a6c8e\t1\tTwoDay\tdbat_1\t20270304\t24ade73c-98cf-47b3-99be-cc7b867b3080",
      "K\t101\t102\t131\t132\t133\t134\t136\t162\t301",
      "T\tDO0123456789\tT Nkosi\t1\tT Nkosi\t2\t250655\t0062123456\t29900\tDO0123456789-20270304",
      "T\tDO0123456789-2\tT Nkosi\t1\tT Nkosi\t2\t250655\t0062123456\t1\tDO0123456789-20270304-2",
      "F\t2\t29901\t9999",
    ].join("\n"),
  );
});

test("a file of card debits, to the byte", async () => {
  assert.equal(
    await whole(batchFile({ ...HEAD, instruction: "Sameday", name: CARD.reference }, CARD_FILE, [CARD])),
    [
      "H\t5f0a6d3e-7c1b-4a52-9c0e-3b1d2f4a6c8e\t1\tSameday\tTEFOC-0123456789abcdef-1\t20270304\t24ade73c-98cf-47b3-99be-cc7b867b3080",
      "K\t101\t102\t131\t132\t133\t134\t135\t136\t137\t162\t301",
      "T\tC0123456789abcdef-1\tT Nkosi\t2\tT Nkosi\t1\t08\t2031\t2f6a7c1e-0b3d-4e5f-8a9b-0c1d2e3f4a5b\t424242******4242\t1\tTEFOC-0123456789abcdef-1",
      "F\t1\t1\t9999",
    ].join("\n"),
  );
});

// A name, and how the file has it in the fields of 50 and of 30 characters.
const NAMES: [string, string, string][] = [
  ["Tab\tand\r\nbreak\u2028s", "Tab and break s", "Tab and break s"],
  ["é😀".repeat(25), "é😀".repeat(25), "é😀".repeat(15)],
  ["é😀".repeat(26), "é😀".repeat(25), "é😀".repeat(15)],
  ["x".repeat(29), "x".repeat(29), "x".repeat(29)],
  ["x".repeat(30), "x".repeat(30), "x".repeat(30)],
  [`${"x".repeat(29)} y`, `${"x".repeat(29)} y`, "x".repeat(29)],
  ["Q'wabe & Søn <Môrester>", "Q'wabe & Søn <Môrester>", "Q'wabe & Søn <Môrester>"],
];
for (const [name, account, holder] of NAMES)
  test(`the name ${JSON.stringify(name.slice(0, 40))}`, async () => {
    const line = { ...BANK, accountName: name, bank: { ...BANK.bank, holder: name } };
    const fields = (await whole(batchFile(HEAD, BANK_FILE, [line]))).split("\n")[2]?.split("\t");
    assert.deepEqual([fields?.length, fields?.[2], fields?.[4]], [10, account, holder]);
  });

test("a large file is made a record at a time, from records that are read once", async () => {
  let made = 0;
  async function* many() {
    for (; made < 100_000; made++) yield BANK;
  }
  let [records, last] = [0, ""];
  for await (const piece of batchFile(HEAD, BANK_FILE, many())) {
    records++;
    last = piece;
    assert.ok(made <= records, "no record is made before it is asked for");
  }
  assert.deepEqual([records, last], [100_003, `\nF\t100000\t${100_000 * 29_900}\t9999`]);
});
