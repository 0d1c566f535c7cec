import assert from "node:assert/strict";
import { test } from "node:test";
import { instant, toTimestampOrNull } from "../../kernel/time.ts";
import { newId } from "../../platform/new-id.ts";
import {
  asOf,
  endsAt,
  expiringFrom,
  inListOrder,
  isExpiring,
  knownExpiry,
  promotedAfter,
  recognised,
  renewed,
} from "./rules.ts";
import type { Card } from "./types.ts";

const NOW = instant("2027-03-10T10:00:00Z");

const card = (given: Partial<Card> = {}): Card => ({
  id: newId("card"),
  customerId: newId("cus"),
  gatewayAccountId: newId("gw"),
  fingerprint: "f",
  tokenSealed: "sealed",
  brand: "visa",
  last4: "4242",
  expiryMonth: null,
  expiryYear: null,
  holderName: null,
  status: "active",
  isDefault: false,
  source: "card_setup",
  expiringAnnouncedAt: null,
  lastUsedAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

// Expiry, then when it is expiring from and when it ends: South African midnights, 30 days apart.
for (const [month, year, from, end] of [
  [3, 2027, "2027-03-01T22:00:00.000Z", "2027-03-31T22:00:00.000Z"],
  [2, 2027, "2027-01-29T22:00:00.000Z", "2027-02-28T22:00:00.000Z"],
  [2, 2028, "2028-01-30T22:00:00.000Z", "2028-02-29T22:00:00.000Z"],
  [12, 2027, "2027-12-01T22:00:00.000Z", "2027-12-31T22:00:00.000Z"],
] as const)
  test(`a card of ${month}/${year} expires at ${end}`, () => {
    const known = card({ expiryMonth: month, expiryYear: year });
    assert.equal(toTimestampOrNull(expiringFrom(known)), from);
    assert.equal(toTimestampOrNull(endsAt(known)), end);
    const just = (iso: string, ms: number) => instant(new Date(iso).getTime() + ms);
    assert.deepEqual(
      [just(from, -1), just(from, 0), just(end, -1), just(end, 0)].map((now) => [
        asOf(known, now).status,
        isExpiring(known, now),
      ]),
      [
        ["active", false],
        ["active", true],
        ["active", true],
        ["expired", false],
      ],
    );
  });

test("a card without a known expiry never ends, and one that is failed or removed neither expires nor is expiring", () => {
  assert.deepEqual([endsAt(card()), expiringFrom(card()), isExpiring(card(), NOW)], [null, null, false]);
  for (const status of ["failed", "removed"] as const) {
    const over = card({ status, expiryMonth: 1, expiryYear: 2027 });
    assert.equal(asOf(over, NOW).status, status);
    assert.equal(isExpiring({ ...over, expiryMonth: 3 }, NOW), false);
  }
});

// What a gateway reported, then what is stored of it.
for (const [month, year, kept] of [
  [8, 2029, { expiryMonth: 8, expiryYear: 2029 }],
  [13, 2029, { expiryMonth: null, expiryYear: null }],
  [0, 2029, { expiryMonth: null, expiryYear: null }],
  [8, 29, { expiryMonth: null, expiryYear: null }],
  [8, null, { expiryMonth: null, expiryYear: null }],
  [null, 2029, { expiryMonth: null, expiryYear: null }],
] as const)
  test(`of the expiry ${month}/${year} is kept ${kept.expiryMonth}/${kept.expiryYear}`, () =>
    assert.deepEqual(knownExpiry({ expiryMonth: month, expiryYear: year }), kept));

// The card, what its gateway tells of it, and what changes of the card; null: nothing.
const TOLD = {
  brand: "visa",
  last4: "4242",
  holderName: null,
  fingerprint: "f",
  expiryMonth: 4,
  expiryYear: 2027,
} as const;
const KNOWN = { expiryMonth: 4, expiryYear: 2027, expiringAnnouncedAt: NOW } as const;
const LATER = { expiryMonth: 5, expiryYear: 2031 } as const;
for (const [what, given, told, changed] of [
  ["a later expiry, told anew when it comes near", {}, LATER, { ...LATER, expiringAnnouncedAt: null }],
  [
    "an expired card, active again",
    { status: "expired" },
    LATER,
    { ...LATER, status: "active", expiringAnnouncedAt: null },
  ],
  ["a failed card, which stays failed", { status: "failed" }, LATER, { ...LATER, expiringAnnouncedAt: null }],
  ["a removed card", { status: "removed" }, LATER, null],
  ["the same expiry", {}, {}, null],
  ["an earlier expiry, which comes late", {}, { expiryMonth: 3 }, null],
  ["no expiry", {}, { expiryMonth: null, last4: "" }, null],
  [
    "a new number",
    {},
    { ...LATER, last4: "1111", fingerprint: "g" },
    { ...LATER, last4: "1111", fingerprint: "g", expiringAnnouncedAt: null },
  ],
  ["an unknown network and holder, which leave the known", { holderName: "T Nkosi" }, { brand: "card" }, null],
] as const)
  test(`renewed: ${what}`, () => {
    const before = card({ ...KNOWN, ...given });
    const after = renewed(before, { ...TOLD, ...told });
    if (changed) assert.deepEqual(after, { ...before, ...changed });
    else assert.equal(after, before);
  });

test("a card is recognised by its present fingerprint, else by another one, at its own account alone", () => {
  const [one, other] = [card({ fingerprint: "one" }), card({ fingerprint: "other", gatewayAccountId: newId("gw") })];
  const named = { fingerprint: "new", otherFingerprints: ["other", "one"] };
  assert.equal(recognised([other, one], one.gatewayAccountId, named), one);
  const both = [one, card({ fingerprint: "new", gatewayAccountId: one.gatewayAccountId })];
  assert.equal(recognised(both, one.gatewayAccountId, named), both[1]);
  assert.equal(recognised([card({ fingerprint: null })], one.gatewayAccountId, { fingerprint: null }), null);
});

test("the newest other usable card takes the place of a removed default", () => {
  const [oldest, middle, newest] = [card(), card(), card()];
  const gone = card({ isDefault: true });
  const past = card({ expiryMonth: 2, expiryYear: 2027 });
  const [failed, removed] = [card({ status: "failed" }), card({ status: "removed" })];
  const all = [oldest, newest, middle, gone, past, failed, removed];
  assert.equal(promotedAfter(gone, all, NOW)?.id, newest.id);
  assert.equal(promotedAfter(gone, [gone, past, failed, removed], NOW), null);
});

test("lists begin with the default card, then the newest", () => {
  const [one, two, three] = [card(), card({ isDefault: true }), card()];
  assert.deepEqual(
    inListOrder([one, two, three]).map(({ id }) => id),
    [two.id, three.id, one.id],
  );
});
