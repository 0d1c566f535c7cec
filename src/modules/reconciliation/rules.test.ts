import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { parseCalendarDay } from "../../kernel/time.ts";
import {
  decideByReference,
  decideParts,
  fragmentOf,
  lineKey,
  namesIn,
  namesPayment,
  referencesIn,
  ruleFor,
  uniquePairs,
} from "./rules.ts";
import type { ItemId, NamedPayment, PaymentFacts, ReturnFacts, Rule } from "./types.ts";

const payment = (id: string, amount: number, open = amount): PaymentFacts => ({
  id: `txn_${id}` as PaymentFacts["id"],
  reference: id,
  amount: cents(amount),
  open: cents(open),
  gatewayAccountId: "gw_1" as PaymentFacts["gatewayAccountId"],
  gatewayType: "manual_eft",
});
const back = (of: PaymentFacts, id: string, open: number, kind: ReturnFacts["kind"] = "refund"): ReturnFacts => ({
  kind,
  id,
  payment: of,
  open: cents(open),
  manual: true,
});
const line = (description: string, reference: string | null = null) => ({ description, reference });

describe("references that a line names", () => {
  const CASES: [string, string | null, readonly string[]][] = [
    ["FNB OB PMT EFT-AB23CD45 SMIT", null, ["EFT-AB23CD45"]],
    ["pmt eft ab23cd45", null, ["EFT-AB23CD45"]],
    ["IBEFTAB23CD45THANDI", null, ["EFT-AB23CD45"]],
    ["EFT AB23 CD45", null, ["EFT-AB23CD45"]],
    ["", "order/17", ["order/17"]],
    ["TEFO 20261105 1A2B3C4D", null, ["TEFO-20261105-1A2B3C4D"]],
    ["DO00AB12CD3420261105", null, ["DO00AB12CD34-20261105"]],
    // Letters that references leave out, since they look like digits.
    ["EFT-AB01CDIO", null, []],
  ];
  for (const [description, reference, expected] of CASES)
    test(`${description} ${reference ?? ""}`, () => {
      const found = referencesIn(line(description, reference));
      const own = found.filter((one) => /^(EFT-[2-9A-HJKMNP-Z]{8}|TEFO-|DO.*-|order)/.test(one));
      assert.deepEqual(own, expected);
    });
  test("of a long text, at most forty", () =>
    assert.equal(referencesIn(line(Array.from({ length: 99 }, (_, n) => `WORD${n + 100}`).join(" "))).length, 40));
});

describe("what references decide", () => {
  const [a, b] = [payment("A", 100), payment("B", 200)];
  const CASES: [string, number, readonly PaymentFacts[], readonly ReturnFacts[], readonly string[] | null][] = [
    ["one payment of the amount", 100, [a], [], ["A"]],
    ["less than the payment", 99, [a], [], null],
    ["more than the payment", 101, [a], [], null],
    ["what is left of a payment", 40, [payment("A", 100, 40)], [], ["A"]],
    ["a payment that was shown", 100, [payment("A", 100, 0)], [], null],
    ["several that add up", 300, [a, b], [], ["A", "B"]],
    ["several that do not", 301, [a, b], [], null],
    ["several, one of which fits alone", 100, [a, b], [], null],
    ["several, one of which was shown in part", 240, [payment("A", 100, 40), b], [], null],
    ["none", 100, [], [], null],
    ["a refund", -40, [a], [back(a, "r", 40)], ["r"]],
    ["a refund of another amount", -41, [a], [back(a, "r", 40)], null],
    ["two equal refunds of a payment", -40, [a], [back(a, "r", 40), back(a, "s", 40)], ["r"]],
    ["a refund and a reversal", -40, [a], [back(a, "r", 40), back(a, "s", 40, "reversal")], null],
    ["equal refunds of two payments", -40, [a, b], [back(a, "r", 40), back(b, "s", 40)], null],
    ["what went out, without a refund", -100, [a], [], null],
    ["what came in, with a refund of its amount", 40, [a], [back(a, "r", 40)], null],
  ];
  for (const [name, amount, payments, returns, expected] of CASES)
    test(name, () => {
      const decision = decideByReference(cents(amount), payments, returns);
      const found =
        decision && ("returned" in decision ? [decision.returned.id] : decision.payments.map((one) => one.reference));
      assert.deepEqual(found, expected);
    });
});

test("lines that name a payment are parts of it when they add up to what is open of it", () => {
  const [a, b, c] = [payment("A", 100), payment("B", 100), payment("C", 100)];
  const part = (itemId: string, of: PaymentFacts, amount: number) => ({
    itemId: itemId as ItemId,
    payment: of,
    amount: cents(amount),
  });
  const parts = [part("1", a, 40), part("2", b, 40), part("3", a, 60), part("4", b, 50), part("5", c, 100)];
  assert.deepEqual(
    decideParts(parts).map((together) => together.map(({ itemId }) => itemId)),
    [["1", "3"]],
  );
});

describe("whether a line names a payment", () => {
  const day = parseCalendarDay("2026-11-05");
  assert.ok(day);
  const named: NamedPayment = {
    ...payment("EFT-AB23CD45", 100),
    paidOn: day,
    externalReference: "order-17",
    invoiceNumber: "INV-000123",
    customer: {
      id: "cus_1" as NonNullable<NamedPayment["customer"]>["id"],
      accountCode: "C-9001",
      externalReference: "shop 44",
      firstName: "Thandi",
      lastName: "Dlámini",
      company: "Karoo Trading (Pty) Ltd",
    },
  };
  const CASES: [string, boolean][] = [
    ["INV 000123", true],
    ["PAYMENT ORDER 17", true],
    ["c-9001", true],
    ["SHOP-44", true],
    ["MAGTAPE DLAMINI T", true],
    ["KAROO TRADING CC", true],
    ["AB23CD", true],
    ["X23CD45X", true],
    ["AB23C", false],
    ["THANDI", false],
    ["DLAMINIS", false],
    ["KAROO", false],
    ["PTY LTD", false],
    ["INV 0001234", false],
    ["", false],
  ];
  for (const [text, expected] of CASES)
    test(JSON.stringify(text), () => assert.equal(namesPayment(line(text), named), expected));
  test("a company name of common words alone identifies nobody", () => {
    const customer = named.customer && { ...named.customer, company: "The Trust", lastName: "Li" };
    assert.equal(namesPayment(line("THE TRUST LI"), { ...named, customer }), false);
  });
});

test("a pair counts when neither its line nor its payment stands in another", () => {
  const pair = (itemId: string, id: string) => ({ itemId: itemId as ItemId, payment: payment(id, 1) });
  const pairs = [pair("1", "A"), pair("2", "B"), pair("2", "C"), pair("3", "D"), pair("4", "D")];
  assert.deepEqual(
    uniquePairs(pairs).map(({ itemId }) => itemId),
    ["1"],
  );
});

describe("rules", () => {
  const FRAGMENTS: [string, string | null][] = [
    ["MONTHLY FEE 11/2026", "MONTHLY FEE"],
    ["monthly   fee", "MONTHLY FEE"],
    ["Fooi #12", "FOOI"],
    ["FEE 12", null],
    ["12345", null],
  ];
  for (const [text, fragment] of FRAGMENTS) test(text, () => assert.equal(fragmentOf(text), fragment));

  const rule = (fragment: string, direction: Rule["direction"], kind: Rule["kind"]) =>
    ({ fragment, direction, kind, subject: null }) as Rule;
  const fee = rule("MONTHLY FEE", "out", "bank_fee");
  const USED: [string, number, readonly Rule[], Rule | null][] = [
    ["Monthly fee 12", -1, [fee], fee],
    ["Monthly fee 12", 1, [fee], null],
    ["Monthly fee extra", -1, [fee], null],
    ["Monthly fee", -1, [fee, rule("MONTHLY FEE", "out", "own_transfer")], null],
    ["Monthly fee", -1, [], null],
  ];
  for (const [description, amount, rules, expected] of USED)
    test(`${description} of ${amount}, with ${rules.length}`, () =>
      assert.equal(ruleFor({ description, amount: cents(amount) }, rules), expected));
});

test("the key of a line is everything that the statement says about it", () => {
  const day = parseCalendarDay("2026-11-05");
  assert.ok(day);
  const one = { date: day, description: "a", amount: cents(1), reference: null };
  const keys = [
    lineKey("Cheque", one),
    lineKey("Savings", one),
    lineKey("Cheque", { ...one, description: "b" }),
    lineKey("Cheque", { ...one, amount: cents(2) }),
    lineKey("Cheque", { ...one, reference: "" }),
  ].map((key) => key.toString("hex"));
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(lineKey("Cheque", { ...one }), lineKey("Cheque", one));
});

test("a line may name a customer by words that banks do not write on any line, the longest first", () => {
  for (const [description, reference, names] of [
    ["EFT MOKOENA JULY", null, ["MOKOENA", "JULY"]],
    ["fnb ob pmt Thandi Müller-Nkosi", "INV 000123 thandi", ["THANDI", "MULLER", "NKOSI", "FNB"]],
    ["PAYMENT FROM THE KAROO (PTY) LTD 4U2", null, ["KAROO"]],
    ["", null, []],
  ] as const)
    assert.deepEqual(namesIn({ description, reference }), names, description);
});
