import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cents } from "../../../kernel/money.ts";
import { instant } from "../../../kernel/time.ts";
import { endpointDisabledMail } from "./endpoint-disabled.ts";
import { invitationMail } from "./invitation.ts";
import type { Mail } from "./layout.ts";
import { portalLinkMail } from "./portal-link.ts";
import { receiptMail } from "./receipt.ts";
import { refundMail } from "./refund.ts";
import { staffAlertMail } from "./staff-alert.ts";

const at = instant("2026-11-20T12:05:00Z");
const url = "https://tefo.example/x?a=1&b=2";
const reference = "TEFO-20261120-9F3A1C0B";
const amounts = { amount: cents(123450), currency: "ZAR" };

const brandOf = (text: string, sandbox: boolean) => ({
  name: text,
  accentColour: text,
  supportEmail: text,
  address: null,
  vatNumber: text,
  sandbox,
});

/** Every mail, with `text` wherever somebody else writes. */
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
  "portal link": (text, sandbox = false) =>
    portalLinkMail({ brand: brandOf(text, sandbox), customerName: text, url, expiresAt: at }),
  invitation: (text, sandbox = false) =>
    invitationMail({ organisationName: text, sandbox, inviterName: text, role: text, url, expiresAt: at }),
  "endpoint disabled": (text, sandbox = false) =>
    endpointDisabledMail({
      organisationName: text,
      sandbox,
      endpointUrl: text,
      reason: "failing",
      failingSince: at,
      disabledAt: at,
      lastError: text,
      url,
    }),
  overpaid: (text, sandbox = false) =>
    staffAlertMail({
      kind: "overpaid",
      organisationName: text,
      sandbox,
      reference,
      at,
      url,
      title: text,
      payerEmail: text,
      paid: cents(123450),
      excess: cents(23450),
      currency: "ZAR",
    }),
  "notification misfit": (text, sandbox = false) =>
    staffAlertMail({
      kind: "notification_misfit",
      organisationName: text,
      sandbox,
      reference,
      at,
      url,
      gatewayName: text,
      misfit: "amount",
      expected: text,
      received: text,
    }),
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
      const plain = skeleton(mail("xyz").html);
      fc.assert(fc.property(hostile, (text) => assert.equal(skeleton(mail(text).html), plain)));
    });

    test("what others write adds no line to the text part", () => {
      const lines = (text: string) => mail(text).text.split("\n").length;
      fc.assert(fc.property(hostile, (text) => assert.equal(lines(text), lines("xyz"))));
    });

    test("loads nothing from anywhere and has no script", () => {
      assert.doesNotMatch(mail("Karoo Books").html, /<(img|link|script|style)|src=|url\(/);
    });

    test("says that it is a test for a sandbox organisation, in every part, and for no other", () => {
      const test = mail("Karoo Books", true);
      for (const part of [test.subject, test.text, test.html]) assert.match(part, /TEST/);
      const live = mail("Karoo Books", false);
      for (const part of [live.subject, live.text, live.html]) assert.doesNotMatch(part, /TEST/);
    });
  });
}

test("a receipt says what was paid, to whom, when and under which reference", () => {
  const { subject, text, html } = MAILS["receipt"]?.("Karoo Books") ?? assert.fail();
  assert.equal(subject, "Receipt from Karoo Books: R 1 234.50");
  for (const line of [
    "R 1 234.50",
    "Paid: 20 November 2026, 14:05",
    `Reference: ${reference}`,
    "Still to pay on it: R 50.00",
  ])
    assert.ok(text.split("\n").includes(line), line);
  assert.ok(text.includes(`See this payment:\n${url}\n`));
  assert.match(html, /R\u00a01\u00a0234\.50/);
  assert.match(html, /href="https:\/\/tefo\.example\/x\?a&#61;1&#38;b&#61;2"/);
});

test("the merchant's address keeps its lines and stays text", () => {
  const brand = { ...brandOf("Karoo Books", false), address: "12 Church Street\r\n\r\n<b>Prince Albert</b>" };
  const { text, html } = portalLinkMail({ brand, customerName: null, url, expiresAt: at });
  assert.match(text, /Karoo Books\n12 Church Street\n<b>Prince Albert<\/b>\n/);
  assert.match(html, /<div dir="auto">&#60;b&#62;Prince Albert&#60;\/b&#62;<\/div>/);
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
