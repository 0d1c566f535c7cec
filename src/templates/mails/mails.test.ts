import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, instant } from "../../kernel/time.ts";
import type { PricedDocument } from "../document.ts";
import { bankDetailsChangedMail } from "./bank-details-changed.ts";
import { bankTransferMail, proofRejectedMail } from "./bank-transfer.ts";
import * as debitAlerts from "./debit-alerts.ts";
import { endpointDisabledMail } from "./endpoint-disabled.ts";
import { invitationMail } from "./invitation.ts";
import { invoiceMail } from "./invoice.ts";
import type { Mail } from "./layout.ts";
import { portalLinkMail } from "./portal-link.ts";
import { quoteMail } from "./quote.ts";
import { receiptMail } from "./receipt.ts";
import { refundMail } from "./refund.ts";
import * as alerts from "./staff-alert.ts";
import { staffAlertMail } from "./staff-alert.ts";
import { migrationMail, subscriptionLinkMail } from "./subscription-link.ts";
import { welcomeMail } from "./welcome.ts";

const at = instant("2026-11-20T12:05:00Z");
const url = "https://tefo.example/x?a=1&b=2";
const reference = "TEFO-20261120-9F3A1C0B";
const amounts = { amount: cents(123450), currency: "ZAR" };

const alerted = (organisationName: string, sandbox: boolean) => ({ organisationName, sandbox, reference, at, url });
const brandOf = (text: string, sandbox: boolean) => ({
  name: text,
  accentColour: text,
  supportEmail: text,
  address: null,
  vatNumber: text,
  sandbox,
});

const priced = (text: string, count = 2, taxInclusive = false): PricedDocument => ({
  number: text,
  currency: "ZAR",
  issueDate: "2026-11-06" as CalendarDay,
  lastDay: "2026-11-20" as CalendarDay,
  period: null,
  taxInclusive,
  discount: null,
  lines: Array.from({ length: count }, (_, index) => ({
    description: text,
    details: null,
    quantity: (index === 0 ? "1" : "2.5") as Decimal,
    unitPrice: (index === 0 ? "500" : "200") as Decimal,
    taxRate: "15" as Decimal,
    amount: cents(50000),
    tax: cents(7500),
    periodStart: null,
    periodEnd: null,
  })),
  subtotal: cents(100000),
  tax: cents(15000),
  total: cents(115000),
  paid: cents(0),
  due: cents(115000),
  notes: null,
});

const invoiceFacts = (text: string, sandbox = false, change: Partial<PricedDocument> = {}) => ({
  brand: brandOf(text, sandbox),
  invoice: { ...priced(text), ...change },
  url,
  accountUrl: "https://tefo.example/portal/karoo",
});

const quoteFacts = (text: string, sandbox = false) => ({
  brand: brandOf(text, sandbox),
  quote: { ...priced(text, 12, true), lastDay: "2026-12-20" as CalendarDay },
  url,
});

const transferFacts = (text: string, sandbox = false) => ({
  brand: brandOf(text, sandbox),
  ...amounts,
  title: text,
  reference,
  url,
  expiresAt: at,
});

const bankOf = (text: string) => ({
  bankName: text,
  accountName: text,
  accountNumber: text,
  branchCode: text,
  accountType: text,
});

const alertOf = (text: string, sandbox: boolean) =>
  ({ organisationName: text, sandbox, reference, at, url, title: text, payerEmail: text, currency: "ZAR" }) as const;

const TAKEN_BACK = [
  "reversed",
  "refund_failed",
  "disputed",
  "dispute_lost",
  "dispute_won",
  "dispute_given_back",
  "dispute_repaid",
] as const;
const takenBack = (text: string, sandbox: boolean, kind: (typeof TAKEN_BACK)[number]): Mail =>
  staffAlertMail(alerts.takenBack(kind), {
    ...alertOf(text, sandbox),
    paid: cents(123450),
    amount: cents(100),
    reason: text,
  });
const batch = { actionDate: "2027-04-01" as CalendarDay, debits: 3, ...amounts } as const;
const days = { day: batch.actionDate, expectedOn: batch.actionDate };
const told = (text: string) => ({ ...amounts, ...days, gatewayName: text, reason: text, name: text });
const batchAlert = (text: string, sandbox: boolean, what: "refused" | "held" | "unclear" | "undecided"): Mail =>
  staffAlertMail(debitAlerts.batch, { ...alerted(text, sandbox), what, ...batch, gatewayName: text, reason: text });

/** Every mail, with `text` in every place that merchants or payers write. */
const MAILS: Readonly<Record<string, (text: string, sandbox?: boolean) => Mail>> = {
  receipt: (text, sandbox = false) =>
    receiptMail({
      brand: brandOf(text, sandbox),
      ...amounts,
      title: text,
      reference,
      paidAt: at,
      method: text,
      invoice: { number: text, balance: cents(5000) },
      url,
    }),
  refund: (text, sandbox = false) =>
    refundMail({
      brand: brandOf(text, sandbox),
      ...amounts,
      payment: { title: text, reference, amount: cents(200000) },
      refundedInAll: cents(150000),
      refundNumber: text,
      refundedAt: at,
      reason: text,
      method: "manual",
    }),
  welcome: (text, sandbox = false) =>
    welcomeMail({ brand: brandOf(text, sandbox), customerName: text, accountCode: text, portalUrl: url }),
  "portal link": (text, sandbox = false) =>
    portalLinkMail({ brand: brandOf(text, sandbox), customerName: text, url, expiresAt: at }),
  invitation: (text, sandbox = false) =>
    invitationMail({ organisationName: text, sandbox, inviterName: text, role: text, url, expiresAt: at }),
  "endpoint disabled": (text, sandbox = false) =>
    endpointDisabledMail({
      ...{ organisationName: text, sandbox, endpointUrl: text, reason: "failing", lastError: text, url },
      ...{ failingSince: at, disabledAt: at },
    }),
  "bank details changed": (text, sandbox = false) =>
    bankDetailsChangedMail({
      ...{ organisationName: text, sandbox, kind: "changed", gatewayName: text, fields: ["bankName", text], url },
      ...{ before: bankOf(text), after: bankOf(text), by: text, ip: text, changedAt: at, heldUntil: at },
    }),
  overpaid: (text, sandbox = false) =>
    staffAlertMail(alerts.overpaid, { ...alertOf(text, sandbox), paid: cents(123450), excess: cents(23450) }),
  ...Object.fromEntries(TAKEN_BACK.map((kind) => [kind, (text: string, box = false) => takenBack(text, box, kind)])),
  waits: (text, box = false) =>
    staffAlertMail(alerts.waits, { ...alertOf(text, box), paid: cents(123450), gatewayName: text, reason: text }),
  invoice: (text, sandbox) => invoiceMail({ ...invoiceFacts(text, sandbox), kind: "sent" }),
  "invoice due soon": (text, sandbox) => invoiceMail({ ...invoiceFacts(text, sandbox), kind: "before" }),
  "invoice overdue": (text, sandbox) => invoiceMail({ ...invoiceFacts(text, sandbox), kind: "after" }),
  quote: (text, sandbox) => quoteMail(quoteFacts(text, sandbox)),
  "bank details": (text, sandbox) =>
    bankTransferMail({ ...transferFacts(text, sandbox), kind: "details", bank: bankOf(text) }),
  "bank transfer reminder": (text, sandbox) =>
    bankTransferMail({ ...transferFacts(text, sandbox), kind: "reminder", bank: bankOf(text) }),
  "proof rejected": (text, sandbox) => proofRejectedMail({ ...transferFacts(text, sandbox), reason: null }),
  "missed charge": (text, sandbox = false) =>
    subscriptionLinkMail({ brand: brandOf(text, sandbox), title: text, ...amounts, frequency: null, url }),
  "new amount": (text, sandbox = false) =>
    subscriptionLinkMail({ brand: brandOf(text, sandbox), title: text, ...amounts, frequency: "monthly", url }),
  migration: (text, sandbox = false) => {
    const terms = { ...amounts, frequency: "monthly", nextDate: "2027-04-01" as CalendarDay } as const;
    return migrationMail({ brand: brandOf(text, sandbox), payerName: text, ...terms, url });
  },
  "missing renewal": (text, sandbox = false) =>
    staffAlertMail(alerts.renewalMissing, { ...alertOf(text, sandbox), ...told(text) }),
  "subscription runs on": (text, sandbox = false) =>
    staffAlertMail(alerts.notCancelled, { ...alertOf(text, sandbox), ...told(text) }),
  "subscription not begun": (text, sandbox = false) =>
    staffAlertMail(alerts.notBegun, { ...alertOf(text, sandbox), ...amounts, gatewayName: text, reason: text }),
  "mandate paused": (text, sandbox = false) =>
    staffAlertMail(debitAlerts.mandatePaused, {
      ...alertOf(text, sandbox),
      withoutAuthority: false,
      ...amounts,
      reason: text,
    }),
  "mandate without authority": (text, sandbox = false) =>
    staffAlertMail(debitAlerts.mandatePaused, {
      ...alertOf(text, sandbox),
      withoutAuthority: true,
      ...amounts,
      reason: text,
    }),
  "statement refused": (text, sandbox = false) =>
    staffAlertMail(debitAlerts.statementRefused, { ...alertOf(text, sandbox), ...told(text) }),
  "not on the statement": (text, sandbox = false) =>
    staffAlertMail(debitAlerts.notOnStatement, {
      ...alertOf(text, sandbox),
      gatewayName: text,
      count: 2,
      references: text,
    }),
  "news not understood": (text, sandbox = false) =>
    staffAlertMail(debitAlerts.unread, { ...alertOf(text, sandbox), event: text, gatewayName: text, reason: text }),
  "batch refused": (text, sandbox = false) => batchAlert(text, sandbox, "refused"),
  "batch held": (text, sandbox = false) => batchAlert(text, sandbox, "held"),
  "batch unclear": (text, sandbox = false) => batchAlert(text, sandbox, "unclear"),
  "batch undecided": (text, sandbox = false) => batchAlert(text, sandbox, "undecided"),
  "proof received": (text, sandbox = false) =>
    staffAlertMail(alerts.proofReceived, { ...alertOf(text, sandbox), ...amounts }),
  "notification mismatch": (text, sandbox = false) => {
    const mismatch = { what: "amount", expected: text, received: text } as const;
    return staffAlertMail(alerts.mismatch, { ...alerted(text, sandbox), gatewayName: text, ...mismatch });
  },
};

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r\nBcc: all@example.test",
        "\n\n",
        "\u2028",
        "\u0085",
        "\0",
        "<script>alert(1)</script>",
        '"><img src=//evil.example/x>',
        "' style='x",
        "كتب",
        "\u202e",
        "\ud800",
      ),
      fc.string({ unit: "grapheme", maxLength: 10 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => `x${parts.join("")}`);

const skeleton = (page: string): string =>
  (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""')).join("\n");

for (const [name, mail] of Object.entries(MAILS)) {
  describe(name, () => {
    test("the subject is one line of at most 180 characters, whatever others write", () => {
      fc.assert(
        fc.property(hostile, (text) => {
          const { subject } = mail(text.repeat(20));
          assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u);
          assert.ok(subject.isWellFormed());
          assert.ok(Array.from(subject).length <= 180);
        }),
      );
    });

    test("what others write stays text", () => {
      const plain = skeleton(String(mail("xyz").html));
      fc.assert(fc.property(hostile, (text) => assert.equal(skeleton(String(mail(text).html)), plain)));
    });

    test("what others write adds no line to the text part", () => {
      const lines = (text: string) => mail(text).text.split("\n").length;
      fc.assert(fc.property(hostile, (text) => assert.equal(lines(text), lines("xyz"))));
    });

    test("loads nothing from anywhere and has no script", () => {
      assert.doesNotMatch(String(mail("Karoo Books").html), /<(img|link|script|style)|src=|url\(/);
    });

    test("says that it is a test for a sandbox organisation, in every part, and for no other", () => {
      const test = mail("Karoo Books", true);
      for (const part of [test.subject, test.text, test.html]) assert.match(String(part), /TEST/);
      const live = mail("Karoo Books", false);
      for (const part of [live.subject, live.text, live.html]) assert.doesNotMatch(String(part), /TEST/);
    });
  });
}

test("a receipt says what was paid, to whom, when and under which reference", () => {
  const { subject, text, html } = MAILS["receipt"]?.("Karoo Books") ?? assert.fail();
  assert.equal(subject, "Receipt from Karoo Books: R 1 234.50");
  for (const line of ["R 1 234.50", "Paid: 20 November 2026, 14:05", `Reference: ${reference}`, "Balance due: R 50.00"])
    assert.ok(text.split("\n").includes(line), line);
  assert.ok(text.includes(`View payment:\n${url}\n`));
  assert.match(String(html), /R\u00a01\u00a0234\.50/);
  assert.match(String(html), /href="https:\/\/tefo\.example\/x\?a=1&amp;b=2"/);
});

const linesOf = ({ text }: Mail): string[] => text.replaceAll("\u00a0", " ").split("\n");

test("an invoice says what is charged, what it comes to, when it is due and where to pay", () => {
  const mail = invoiceMail({ ...invoiceFacts("Karoo Books", false, { number: "INV-000017" }), kind: "sent" });
  assert.equal(mail.subject, "Invoice INV-000017 from Karoo Books: R 1 150.00");
  for (const line of [
    "Karoo Books sent you an invoice. It is due on 20 November 2026.",
    "Karoo Books: R 500.00",
    "2.5 × Karoo Books: R 500.00",
    "Subtotal: R 1 000.00",
    "VAT: R 150.00",
    "Total: R 1 150.00",
    "Invoice: INV-000017",
    "Date: 6 November 2026",
    "Due: 20 November 2026",
  ])
    assert.ok(linesOf(mail).includes(line), line);
  assert.ok(mail.text.includes(`View and pay:\n${url}\n`));
});

test("an invoice that is paid in part asks for the rest", () => {
  const mail = invoiceMail({
    ...invoiceFacts("Karoo Books", false, { number: "INV-000017", paid: cents(100000), due: cents(15000) }),
    kind: "after",
  });
  assert.equal(mail.subject, "Overdue: invoice INV-000017 from Karoo Books, R 150.00");
  for (const line of ["R 150.00", "Total: R 1 150.00", "Paid so far: R 1 000.00", "Balance due: R 150.00"])
    assert.ok(linesOf(mail).includes(line), line);
  assert.match(mail.text, /was due on 20 November 2026\./);
});

test("an invoice that credit covers asks for nothing", () => {
  const mail = invoiceMail({
    ...invoiceFacts("Karoo Books", false, { paid: cents(115000), due: cents(0) }),
    url: null,
    kind: "sent",
  });
  assert.ok(linesOf(mail).includes("Karoo Books sent you an invoice. Your credit covers it: nothing is left to pay."));
  assert.ok(linesOf(mail).includes("Balance due: R 0.00"));
  assert.match(mail.subject, /R\u00a01\u00a0150\.00$|R 1 150\.00$/);
});

test("an invoice without a pay page leads to the customer's account, where its PDF is", () => {
  const { text, html } = invoiceMail({ ...invoiceFacts("Karoo Books"), url: null, kind: "before" });
  for (const part of [text, html]) assert.doesNotMatch(String(part), /View and pay/);
  assert.match(text, /View in your account:\nhttps:\/\/tefo\.example\/portal\/karoo\n/);
  assert.match(text, /You can download the invoice as a PDF there\. We email you a link to sign in\./);
});

test("of many lines the first ten are shown; a gross total says how much VAT is in it", () => {
  const mail = quoteMail(quoteFacts("Karoo Books"));
  assert.equal(linesOf(mail).filter((line) => line.endsWith("Karoo Books: R 500.00")).length, 10);
  assert.ok(linesOf(mail).includes("and 2 more"));
  assert.ok(linesOf(mail).includes("Total, with R 150.00 VAT: R 1 150.00"));
  assert.ok(linesOf(mail).includes("Valid until: 20 December 2026"));
  assert.doesNotMatch(mail.text, /Subtotal/);
});

test("notes keep their lines, each marked as a line of theirs, and stay text", () => {
  const notes = "Thank you!\r\n\n<b>Bank</b>\n-- \nTotal: R 1.00\u2028x";
  const { text, html } = invoiceMail({ ...invoiceFacts("Karoo Books", false, { notes }), kind: "sent" });
  assert.match(text, /\n\| Thank you!\n\| \n\| <b>Bank<\/b>\n\| --\n\| Total: R 1\.00 x\n\n/);
  assert.match(String(html), /<div dir="auto">&lt;b&gt;Bank&lt;\/b&gt;<\/div>/);
  const endless = invoiceMail({ ...invoiceFacts("Karoo Books", false, { notes: "x\n".repeat(4000) }), kind: "sent" });
  assert.ok(endless.text.length < 10_000);
});

test("bank details are all there, with the reference to write on the transfer", () => {
  const bank = {
    bankName: "Karoo Bank",
    accountName: "Karoo Books (Pty) Ltd",
    accountNumber: "62 0000 1234",
    branchCode: "250655",
    accountType: "current",
  };
  const mail = bankTransferMail({ ...transferFacts("Karoo Books"), kind: "details", bank });
  for (const line of [
    "Bank: Karoo Bank",
    "Account name: Karoo Books (Pty) Ltd",
    "Account number: 62 0000 1234",
    "Branch code: 250655",
    "Account type: current",
    `Reference: ${reference}`,
    "Amount: R 1 234.50",
  ])
    assert.ok(linesOf(mail).includes(line), line);
  assert.match(mail.text, /by 20 November 2026, 14:05\./);
});

test("the mail about a rejected proof has the reason", () => {
  const mail = proofRejectedMail({
    ...transferFacts("Karoo Books"),
    reason: "Not our account.\nBcc: all@example.test",
  });
  assert.equal(mail.subject, "Karoo Books did not accept your proof of payment");
  assert.match(mail.text, /\n\| Not our account\.\n\| Bcc: all@example\.test\n/);
  assert.ok(linesOf(mail).includes("Amount: R 1 234.50"));
});

test("the merchant's address keeps its lines and stays text", () => {
  const brand = { ...brandOf("Karoo Books", false), address: "12 Church Street\r\n\r\n<b>Prince Albert</b>" };
  const { text, html } = portalLinkMail({ brand, customerName: null, url, expiresAt: at });
  assert.match(text, /Karoo Books\n12 Church Street\n<b>Prince Albert<\/b>\n/);
  assert.match(String(html), /<div dir="auto">&lt;b&gt;Prince Albert&lt;\/b&gt;<\/div>/);
});

test("the text part's heading is underlined, and keeps a name unchanged", () => {
  const { text } = portalLinkMail({
    brand: brandOf("Karoo", false),
    customerName: "Nomvula McKay",
    url,
    expiresAt: at,
  });
  assert.match(text, /^Hello Nomvula McKay\n={19}\n\n/);
});

test("a name that is written from right to left does not turn the sentence around", () => {
  const { subject } = MAILS["receipt"]?.("كتب الكارو") ?? assert.fail();
  assert.equal(subject, "Receipt from \u2068كتب الكارو\u2069: R 1 234.50");
});

test("a mail cannot be made to link elsewhere than to http(s)", () => {
  assert.throws(
    () =>
      invitationMail({
        organisationName: "K",
        sandbox: false,
        inviterName: null,
        role: "admin",
        url: "javascript:x",
        expiresAt: at,
      }),
    /http/,
  );
});
