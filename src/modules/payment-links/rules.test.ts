import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { outcomeUrl, type Unavailable, whyUnavailable } from "./rules.ts";

const NOW = "2026-03-01T10:00:00Z";
type Row = [
  string,
  Parameters<typeof whyUnavailable>[0],
  Partial<Parameters<typeof whyUnavailable>[1]>,
  Unavailable | null,
];
const open = { active: true, singleUse: true, paidCount: 0, expiresAt: null, collectsBalance: false };
const ROWS: Row[] = [
  ["open", open, {}, null],
  ["paid once, single use", { ...open, active: false, paidCount: 1 }, {}, "paid"],
  ["paid twice, many uses", { ...open, singleUse: false, paidCount: 2 }, {}, null],
  ["deactivated", { ...open, active: false }, {}, "deactivated"],
  ["expires now", { ...open, expiresAt: instant(NOW) }, {}, "expired"],
  ["expires in a millisecond", { ...open, expiresAt: instant("2026-03-01T10:00:00.001Z") }, {}, null],
  [
    "an invoice's own, paid in part",
    { ...open, collectsBalance: true, paidCount: 1 },
    { invoice: { status: "partially_paid" } },
    null,
  ],
  ["of a paid invoice", open, { invoice: { status: "paid" } }, "paid"],
  ["of a cancelled invoice", { ...open, active: false }, { invoice: { status: "cancelled" } }, "cancelled"],
  ["of an invoice, paid once itself", { ...open, paidCount: 1 }, { invoice: { status: "sent" } }, "paid"],
  ["being collected", open, { collecting: true }, "collecting"],
  ["charged within the hour", open, { attemptSoon: true }, "attempt_soon"],
  ["being confirmed", open, { confirming: true }, "confirming"],
  ["account read-only", open, { organisationReadOnly: true }, "account"],
  ["monthly limit", open, { monthlyLimitReached: true }, "quota"],
  ["no gateway", open, { gatewayAvailable: false }, "gateway"],
];
for (const [name, link, facts, expected] of ROWS)
  test(`a link that is ${name}: ${expected ?? "payable"}`, () => {
    const defaults = {
      now: instant(NOW),
      organisationReadOnly: false,
      monthlyLimitReached: false,
      gatewayAvailable: true,
      collecting: false,
      attemptSoon: false,
      confirming: false,
      invoice: null,
    };
    assert.equal(whyUnavailable(link, { ...defaults, ...facts }), expected);
  });

const RETURN_URLS: [string, string][] = [
  ["https://shop.example", "https://shop.example/?reference=T-1&status=complete"],
  ["https://shop.example/back", "https://shop.example/back?reference=T-1&status=complete"],
  ["https://shop.example/back?", "https://shop.example/back?reference=T-1&status=complete"],
  ["https://shop.example/?a=b%20c&d", "https://shop.example/?a=b%20c&d&reference=T-1&status=complete"],
  ["https://shop.example/?a=b&", "https://shop.example/?a=b&reference=T-1&status=complete"],
  ["https://shop.example/?reference=42&a=b", "https://shop.example/?a=b&reference=T-1&status=complete"],
  ["https://shop.example/?%73tatus=open&a=b&status", "https://shop.example/?a=b&reference=T-1&status=complete"],
  [
    "https://shop.example/?my_status=open&a=?b",
    "https://shop.example/?my_status=open&a=?b&reference=T-1&status=complete",
  ],
  ["https://shop.example/dankie/é?n=ü", "https://shop.example/dankie/%C3%A9?n=%C3%BC&reference=T-1&status=complete"],
];
for (const [url, expected] of RETURN_URLS)
  test(`the payer returns to ${url}`, () => assert.equal(outcomeUrl(url, "T-1", "complete"), expected));
