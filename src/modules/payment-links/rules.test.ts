import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { type Unavailable, whyUnavailable } from "./rules.ts";

const NOW = "2026-03-01T10:00:00Z";
type Row = [
  string,
  Parameters<typeof whyUnavailable>[0],
  Partial<Parameters<typeof whyUnavailable>[1]>,
  Unavailable | null,
];
const open = { active: true, singleUse: true, paidCount: 0, expiresAt: null };
const ROWS: Row[] = [
  ["open", open, {}, null],
  ["paid once, single use", { ...open, active: false, paidCount: 1 }, {}, "paid"],
  ["paid twice, many uses", { ...open, singleUse: false, paidCount: 2 }, {}, null],
  ["deactivated", { ...open, active: false }, {}, "deactivated"],
  ["expires now", { ...open, expiresAt: instant(NOW) }, {}, "expired"],
  ["expires in a millisecond", { ...open, expiresAt: instant("2026-03-01T10:00:00.001Z") }, {}, null],
  ["account read-only", open, { accountReadOnly: true }, "account"],
  ["monthly limit", open, { monthlyLimitReached: true }, "quota"],
  ["no gateway", open, { gatewayAvailable: false }, "gateway"],
];
for (const [name, link, facts, expected] of ROWS)
  test(`a link that is ${name}: ${expected ?? "payable"}`, () => {
    const surroundings = {
      now: instant(NOW),
      accountReadOnly: false,
      monthlyLimitReached: false,
      gatewayAvailable: true,
      ...facts,
    };
    assert.equal(whyUnavailable(link, surroundings), expected);
  });
