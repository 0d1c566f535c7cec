import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import {
  bankAccountWarnings,
  cardOf,
  chargeOutcome,
  debitOutcome,
  decide,
  feeOf,
  mandateRejection,
  merchantOf,
  newSandboxId,
  nextUrl,
  type PaymentChoice,
  type PaymentFormFields,
  paymentView,
  readPaymentForm,
  refundFault,
  renewalOutcome,
  type SandboxPayment,
  settle,
  TEST_CARDS,
  withStatus,
} from "./server.ts";
import { Payment } from "./wire.ts";

const NOW = instant("2026-11-20T10:00:00Z");
const PAYMENT: SandboxPayment = {
  id: newSandboxId("sbp"),
  kind: "checkout",
  checkoutId: newSandboxId("sbc"),
  reference: "TEFO-20261120-9F3C01AB",
  amount: cents(10_000),
  currency: "ZAR",
  description: "Membership",
  payer: { email: "p@example.com", firstName: "Thabo", lastName: "Nkosi", phone: null },
  returnUrl: "https://tefo.example/return",
  cancelUrl: "https://tefo.example/cancel",
  notifyUrl: "https://tefo.example/api/webhooks/sandbox?account=gw_1",
  recurring: null,
  saveCard: true,
  status: "pending",
  card: null,
  decline: null,
  fee: null,
  subscription: null,
  ending: null,
  settlesAt: null,
  createdAt: NOW,
  decidedAt: null,
};
const RECURRING: SandboxPayment = {
  ...PAYMENT,
  saveCard: false,
  recurring: { frequency: "monthly", amount: 10_000, nextChargeOn: null },
};
const SUBSCRIPTION = { id: "sbs_1", nextChargeOn: "2026-12-20" };

function choose(fields: PaymentFormFields, payment = PAYMENT): PaymentChoice {
  const reading = readPaymentForm(fields, payment);
  assert.equal(reading.kind, "choice");
  return reading.kind === "choice" ? reading.choice : assert.fail();
}
const pay = (fields: PaymentFormFields, payment = PAYMENT) =>
  decide(payment, choose(fields, payment), SUBSCRIPTION, NOW);

// Interface 13.6: 2.9 % plus 1.00. Halves: 500 cents give 14.5, 1500 give 43.5.
const FEES: [number, number][] = [
  [100, 103],
  [1, 100],
  [17, 100],
  [18, 101],
  [500, 115],
  [1_500, 144],
  [10_000, 390],
  [1_999, 158],
  [1_000_000_000, 29_000_100],
];
for (const [amount, fee] of FEES)
  test(`the fee of ${amount} cents is ${fee}`, () => assert.equal(feeOf(cents(amount)), fee));

test("the fee is 2.9 % plus 1.00 with half a cent away from zero, for every amount", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (amount) => {
      const exact = BigInt(amount) * 29n + 100_000n; // in thousandths of a cent
      const fee = BigInt(feeOf(cents(amount))) * 1000n;
      assert.ok(exact - fee < 500n && fee - exact <= 500n);
    }),
  );
});

const FORMS: [string, PaymentFormFields, Partial<PaymentChoice> | Record<string, RegExp>][] = [
  ["complete without a card", { outcome: "complete" }, { outcome: "complete", card: null, saveCard: false }],
  ["visa, saved", { outcome: "complete", card: "4242424242424242", saveCard: "on" }, { saveCard: true }],
  ["spaces in the number", { outcome: "complete", card: " 4242 4242 4242 4242 " }, { outcome: "complete" }],
  [
    "expiry",
    { outcome: "complete", card: "5555-5555-5555-4444", expiry: "08/29" },
    { expiryMonth: 8, expiryYear: 2029 },
  ],
  ["expiry with spaces", { outcome: "complete", expiry: " 12 / 30 " }, { expiryMonth: 12, expiryYear: 2030 }],
  ["no expiry", { outcome: "complete", expiry: "" }, { expiryMonth: null, expiryYear: null }],
  ["unticked by value", { outcome: "complete", saveCard: "false" }, { saveCard: false }],
  ["failed with nonsense beside it", { outcome: "failed", card: "1", expiry: "x" }, { outcome: "failed", card: null }],
  ["cancelled", { outcome: "cancelled" }, { outcome: "cancelled" }],
  ["no outcome", { card: "4242424242424242" }, { outcome: /Choose/ }],
  ["another outcome", { outcome: "refunded" }, { outcome: /Choose/ }],
  ["a real card", { outcome: "complete", card: "4111111111111111" }, { card: /test card numbers/ }],
  ["month 13", { outcome: "complete", expiry: "13/29" }, { expiry: /MM\/YY/ }],
  ["month 0", { outcome: "complete", expiry: "00/29" }, { expiry: /MM\/YY/ }],
  ["four-digit year", { outcome: "complete", expiry: "08/2029" }, { expiry: /MM\/YY/ }],
  ["both wrong", { outcome: "complete", card: "1", expiry: "1" }, { card: /test card numbers/, expiry: /MM\/YY/ }],
];
for (const [what, fields, expected] of FORMS)
  test(`form: ${what}`, () => {
    const reading = readPaymentForm(fields, PAYMENT);
    if (reading.kind === "choice") return assert.partialDeepStrictEqual(reading.choice, expected);
    assert.deepEqual(Object.keys(reading.faults), Object.keys(expected));
    for (const [field, message] of Object.entries(reading.faults))
      assert.match(message, (expected as Record<string, RegExp>)[field] ?? /^$/);
  });

// Interface 13.6, card for card: brand, later charge, renewals.
const CARDS: [string, string, string, string][] = [
  ["4242424242424242", "visa", "complete", "complete"],
  ["5555555555554444", "mastercard", "complete", "complete"],
  ["378282246310005", "amex", "complete", "complete"],
  ["36227206271667", "diners", "complete", "complete"],
  ["4000000000000341", "visa", "declined", "declined"],
  ["4000000000009979", "visa", "card_token_error", "complete"],
];
test("every test card is in the table above", () => {
  assert.deepEqual(
    TEST_CARDS.map(({ number }) => number),
    CARDS.map(([number]) => number),
  );
  assert.equal(new Set(TEST_CARDS.map(({ number }) => number.slice(-4))).size, CARDS.length);
});
for (const [number, brand, charge, renewal] of CARDS)
  test(`${number} is ${brand}: paid now, charge ${charge}, renewal ${renewal}`, () => {
    const paid = pay({ outcome: "complete", card: number, expiry: "08/29", saveCard: "on" });
    assert.equal(paid.status, "complete");
    const { token, ...shown } = paid.card ?? assert.fail();
    assert.deepEqual(shown, {
      brand,
      last4: number.slice(-4),
      expiryMonth: 8,
      expiryYear: 2029,
      holderName: "Thabo Nkosi",
      fingerprint: `sbf_${number.slice(-4)}`,
    });
    assert.equal(chargeOutcome(token ?? ""), charge);
    assert.equal(renewalOutcome(token), renewal);
    assert.equal(cardOf(token ?? "")?.brand, brand);
    assert.doesNotMatch(JSON.stringify(paid), new RegExp(number));
  });

test("the same card saved twice has two tokens and one fingerprint", () => {
  const [a, b] = [1, 2].map(() => pay({ outcome: "complete", card: "4242424242424242", saveCard: "on" }).card);
  assert.notEqual(a?.token, b?.token);
  assert.equal(a?.fingerprint, b?.fingerprint);
});

const KEPT: [string, PaymentFormFields, SandboxPayment, boolean][] = [
  ["asked and ticked", { card: "4242424242424242", saveCard: "on" }, PAYMENT, true],
  ["asked, not ticked", { card: "4242424242424242" }, PAYMENT, false],
  ["ticked, not asked", { card: "4242424242424242", saveCard: "on" }, { ...PAYMENT, saveCard: false }, false],
  ["asked and ticked, no card", { saveCard: "on" }, PAYMENT, false],
  ["recurring", { card: "5555555555554444" }, RECURRING, true],
  ["recurring, no card: the first test card", {}, RECURRING, true],
];
for (const [what, fields, payment, kept] of KEPT)
  test(`card ${kept ? "kept" : "not kept"}: ${what}`, () =>
    assert.equal(Boolean(pay({ outcome: "complete", ...fields }, payment).card?.token), kept));

test("unknown tokens charge nothing", () => {
  for (const token of ["", "sct_x_4242", "sct_000000000000000000000000_0000", "AUTH_1"]) {
    assert.equal(chargeOutcome(token), null);
    assert.equal(cardOf(token), null);
  }
  assert.equal(renewalOutcome(null), "complete");
});

// Rows: what it was; columns: what is submitted next.
const DECISIONS: [SandboxPayment["status"], Record<PaymentChoice["outcome"], SandboxPayment["status"]>][] = [
  ["pending", { complete: "complete", failed: "failed", cancelled: "cancelled" }],
  ["failed", { complete: "complete", failed: "failed", cancelled: "cancelled" }],
  ["cancelled", { complete: "complete", failed: "failed", cancelled: "cancelled" }],
  ["complete", { complete: "complete", failed: "complete", cancelled: "complete" }],
];
for (const [from, row] of DECISIONS)
  for (const [outcome, to] of Object.entries(row))
    test(`${from}, then ${outcome}: ${to}`, () => {
      const before = from === "pending" ? PAYMENT : pay({ outcome: from });
      const after = pay({ outcome }, before);
      assert.equal(after.status, to);
      assert.equal(after.fee, to === "complete" ? 390 : null);
      assert.equal(after.decline?.code ?? null, to === "failed" ? "declined" : null);
      assert.equal(nextUrl(after), to === "cancelled" ? PAYMENT.cancelUrl : PAYMENT.returnUrl);
      if (from === "complete") assert.equal(after, before);
    });

test("a subscription starts with the payment that completes it, and with no other", () => {
  assert.deepEqual(pay({ outcome: "complete" }, RECURRING).subscription, SUBSCRIPTION);
  assert.equal(pay({ outcome: "failed" }, RECURRING).subscription, null);
  assert.equal(pay({ outcome: "complete" }).subscription, null);
});

test("a token error is a hard decline, the others are soft", () => {
  const declines = (["card_token_error", "declined", "unpaid"] as const).map(
    (end) => settle(PAYMENT, end, NOW).decline,
  );
  assert.deepEqual(
    declines.map((decline) => [decline?.code, decline?.hard]),
    [
      ["card_token_error", true],
      ["declined", false],
      ["02", false],
    ],
  );
});

test("a notification can contradict the status, or repeat it unchanged", () => {
  const paid = pay({ outcome: "complete" });
  for (const status of ["pending", "failed", "cancelled", "complete"] as const) {
    const reported = paymentView(withStatus(paid, status, NOW));
    assert.equal(reported.status, status);
    assert.equal(reported.id, paid.id);
    assert.equal(reported.fee, status === "complete" ? 390 : null);
    assert.deepEqual(Payment.parse(reported), reported);
  }
  assert.equal(withStatus(paid, "complete", NOW), paid);
});

test("notifications match the protocol; an undecided checkout has no payment id, a charge has one at once", () => {
  const all = [PAYMENT, pay({ outcome: "complete", card: "4242424242424242" }), pay({ outcome: "failed" })];
  for (const payment of all) assert.deepEqual(Payment.parse(paymentView(payment)), paymentView(payment));
  assert.equal(paymentView(PAYMENT).id, null);
  assert.equal(paymentView({ ...PAYMENT, kind: "charge" }).id, PAYMENT.id);
});

// Interface 13.6: endings of bank account numbers.
const ACCOUNTS: [string, string, boolean, boolean][] = [
  ["62123456700", "complete", false, false],
  ["62123456702", "unpaid", false, false],
  ["62123456705", "complete", true, false],
  ["62123456709", "complete", false, true],
];
for (const [number, outcome, warns, rejects] of ACCOUNTS)
  test(`account …${number.slice(-2)}: ${outcome}${warns ? ", warning" : ""}${rejects ? ", e-mandate rejected" : ""}`, () => {
    assert.equal(debitOutcome(number), outcome);
    assert.equal(bankAccountWarnings(number).length > 0, warns);
    assert.equal(mandateRejection(number) !== null, rejects);
  });

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const CALLERS: [string | undefined, { merchantId: string; secret: string } | null][] = [
  [basic("sbm_1:se:cret"), { merchantId: "sbm_1", secret: "se:cret" }],
  [basic("sbm_1"), null],
  [basic(":secret"), null],
  [basic("sbm_1:"), null],
  ["Bearer sbm_1:secret", null],
  ["Basic !", null],
  ["", null],
  [undefined, null],
];
for (const [header, merchant] of CALLERS)
  test(`${header} is ${merchant?.merchantId ?? "nobody"}`, () => assert.deepEqual(merchantOf(header), merchant));

const REFUNDS: [SandboxPayment["status"], number, number, RegExp | null][] = [
  ["complete", 0, 10_000, null],
  ["complete", 4_000, 6_000, null],
  ["complete", 4_000, 6_001, /more than is left/],
  ["pending", 0, 1, /is pending/],
  ["failed", 0, 1, /is failed/],
];
for (const [status, before, amount, fault] of REFUNDS)
  test(`refunding ${amount} after ${before} of a ${status} payment: ${fault ? "refused" : "done"}`, () => {
    const found = refundFault({ ...PAYMENT, status }, cents(before), cents(amount));
    if (fault) assert.match(found ?? "", fault);
    else assert.equal(found, null);
  });
