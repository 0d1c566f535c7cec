import assert from "node:assert/strict";
import { test } from "node:test";
import { FREQUENCIES } from "../kernel/frequency.ts";
import { cents } from "../kernel/money.ts";
import type { CalendarDay } from "../kernel/time.ts";
import { type AgreementBlock, type AgreementFacts, agreementBlocks, agreementText } from "./agreement.ts";

const FACTS: AgreementFacts = {
  merchant: "Karoo Coffee",
  merchantAddress: "14 Church Street",
  customer: null,
  accountHolder: "T Nkosi",
  bank: null,
  branchCode: "250655",
  accountType: "savings",
  accountNumberLast4: "7701",
  accountReference: "DO0123456789",
  description: "Coffee, 2 kg",
  plan: null,
  amount: cents(35050),
  currency: "ZAR",
  frequency: "quarterly",
  debitDay: 31,
  firstDebitDate: "2027-03-31" as CalendarDay,
  startDate: "2027-03-02" as CalendarDay,
  endDate: null,
  today: "2027-03-01" as CalendarDay,
};

// A template, then the text.
const FILLED: [string, string][] = [
  ["{{merchant}}, {{ merchantAddress }}", "Karoo Coffee, 14 Church Street"],
  ["{{customer}} {{accountHolder}}", "T Nkosi T Nkosi"],
  ["{{bank}} {{branchCode}} {{accountType}} {{accountNumber}}", "my bank 250655 savings 7701"],
  ["{{accountReference}}: {{description}}", "DO0123456789: Coffee, 2 kg"],
  ["{{amount}} {{frequency}}", "R\u00a0350.50 every 3 months"],
  ["{{debitDay}} {{firstDebitDate}} {{startDate}}", "31 31 March 2027 2 March 2027"],
  ["{{until}}, {{date}}", "until I cancel it, 1 March 2027"],
  ["{{toString}} {{Merchant}} {merchant} {{}}", "{{toString}} {{Merchant}} {merchant} {{}}"],
  ["  one\r\ntwo\r ", "one\ntwo"],
];
for (const [template, text] of FILLED)
  test(`the template ${JSON.stringify(template)}`, () => assert.equal(agreementText(template, FACTS, null), text));

test("a value that looks like a placeholder is not filled in", () =>
  assert.equal(agreementText("{{description}}", { ...FACTS, description: "{{amount}}" }, null), "{{amount}}"));

test("the agreement of a mandate that collects a subscription says that its amounts differ, before the notes", () => {
  const text = agreementText("Only {{amount}}", { ...FACTS, plan: "Gold" }, "By phone");
  assert.match(
    text,
    /^Only R.+\n\n# Amounts\n\nEach debit is of what is due of an invoice of my subscription to Gold\. .*\n\n# Notes/s,
  );
});

test("an end date is named; without a first date the start is", () => {
  const facts = { ...FACTS, endDate: "2028-02-29" as CalendarDay, firstDebitDate: null };
  assert.equal(agreementText("{{until}} {{firstDebitDate}}", facts, null), "until 29 February 2028 2 March 2027");
});

test("the service's own agreement leaves no placeholder, in any frequency, and ends with the notes", () => {
  for (const frequency of FREQUENCIES) {
    const text = agreementText(null, { ...FACTS, frequency }, "First month free");
    assert.doesNotMatch(text, /\{\{/);
    assert.match(text, /Karoo Coffee to collect R\u00a0350\.50 every .* by debit order, for: Coffee, 2 kg\./);
    assert.match(text, /\n\n# Notes\n\nFirst month free$/);
  }
});

// A text, then its blocks.
const BLOCKS: [string, AgreementBlock[]][] = [
  ["", []],
  ["one\ntwo", [{ kind: "paragraph", text: "one\ntwo" }]],
  [
    "# Head\none\n\n\ntwo",
    [
      { kind: "heading", text: "Head" },
      { kind: "paragraph", text: "one" },
      { kind: "paragraph", text: "two" },
    ],
  ],
  [
    "a\n## Head\n#tag",
    [
      { kind: "paragraph", text: "a" },
      { kind: "heading", text: "Head" },
      { kind: "paragraph", text: "#tag" },
    ],
  ],
];
for (const [text, blocks] of BLOCKS)
  test(`the blocks of ${JSON.stringify(text)}`, () => assert.deepEqual(agreementBlocks(text), blocks));
