import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../kernel/ids.ts";
import { instant, toTimestampOrNull } from "../../kernel/time.ts";
import { asOf, endsAt, expiringFrom, inListOrder, isExpiring, knownExpiry, promotedAfter } from "./rules.ts";
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
