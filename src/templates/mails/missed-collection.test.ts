import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type AfterMissed, missedCollectionMail } from "./missed-collection.ts";

/* The text about the next step after a missed collection. */

const on = "2027-04-02" as CalendarDay;
const last = "2027-04-08" as CalendarDay;
const online = "https://tefo.example/pay/x";

const facts = {
  brand: {
    name: "Karoo Books",
    accentColour: null,
    supportEmail: "help@karoo.example",
    address: null,
    vatNumber: null,
    sandbox: false,
  },
  plan: "Gold",
  amount: cents(11500),
  currency: "ZAR",
  invoiceNumber: "INV-000001",
  reason: "Declined.",
};

const text = (next: AfterMissed, url: string | null): string => missedCollectionMail({ ...facts, next, url }).text;

const ROWS: [what: string, next: AfterMissed, url: string | null, says: string][] = [
  [
    "a retry, after the last of which it stays past due",
    { what: "try_again", on },
    online,
    "We will retry on 2 April 2027. You can also pay it now; the card that pays is then used from now on.",
  ],
  [
    "a retry, after the last of which it ends",
    { what: "try_again", on, endsAfter: last },
    online,
    "We will retry on 2 April 2027. If it cannot be collected by 8 April 2027, your subscription ends. " +
      "You can also pay it now; the card that pays is then used from now on.",
  ],
  [
    "the last retry",
    { what: "try_again", on: last, endsAfter: last },
    null,
    "We will retry on 8 April 2027. If that fails too, your subscription ends.",
  ],
  [
    "the end",
    { what: "cancel", on: null },
    online,
    "We do not retry, and your subscription ends. The invoice can still be paid.",
  ],
  ["no end", { what: "stop", on: null }, online, "We do not retry. Please pay it now."],
  [
    "no end, and no page to pay on",
    { what: "stop", on: null },
    null,
    "We do not retry. Please contact us, so that it can be paid.",
  ],
  [
    "a card that will never pay",
    { what: "card", on: last },
    online,
    "Your card cannot be charged any more. Please pay now with another card, which is then used from now on; " +
      "on 8 April 2027 your subscription ends otherwise.",
  ],
  [
    "a debit order",
    { what: "mandate", on },
    online,
    "It is collected again with your debit order of 2 April 2027. You can also pay it now.",
  ],
  ["no debit order any more", { what: "mandate", on: null }, null, "Please contact us, so that it can be paid."],
];
for (const [what, next, url, says] of ROWS)
  test(`what follows a missed payment: ${what}`, () => {
    const mail = text(next, url).replace(/\s+/g, " ");
    assert.ok(mail.includes(says), mail);
    assert.ok(mail.includes("Declined."), mail);
    assert.equal(mail.includes("/pay/x"), url !== null, mail);
  });

test("what others write is text", () => {
  const next = { what: "stop", on: null } as const;
  const mail = missedCollectionMail({ ...facts, plan: "<b>Gold</b>", reason: "<i>No</i>", next, url: null });
  assert.ok(String(mail.html).includes("&lt;b&gt;Gold"), String(mail.html));
  assert.ok(!String(mail.html).includes("<i>No"), String(mail.html));
});
