import assert from "node:assert/strict";
import { test } from "node:test";
import { mutants } from "../../../test/gateways/mutations.ts";
import { json } from "../../../test/support/gateways/calls.ts";
import {
  call,
  data,
  fakePaystack,
  INVOICE,
  NOT_FOUND,
  REQUEST,
  received,
  SUBSCRIPTION,
  TRANSACTION,
} from "../../../test/support/gateways/paystack.ts";
import { seededNumbers } from "../../../test/support/property.ts";
import type { NotificationReading, RawNotification } from "../contract.ts";
import { type GatewayAnswer, type GatewayHttp, GatewayUnclear } from "../http.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import { paystack } from "./adapter.ts";

const { notifications, checkout } = paystack;
const never: GatewayHttp = async () => assert.fail("reading a notification must not call anyone");
const read = (raw: RawNotification): NotificationReading => notifications?.read(raw, call(never)) ?? assert.fail();
const told = (event: string, value: unknown) => read(received({ event, data: value }));

test("a notification and a query tell the same fact", async () => {
  const { http } = fakePaystack({ [`GET /transaction/verify/${REQUEST.reference}`]: data(TRANSACTION) });
  const asked = await checkout?.query(
    {
      reference: REQUEST.reference,
      checkoutRef: null,
      providerRef: null,
      amount: REQUEST.amount,
      currency: "ZAR",
      startedAt: call(http).now,
    },
    call(http),
  );
  assert.deepEqual(told("charge.success", TRANSACTION), { kind: "verified", facts: [asked] });
});

const NAMES = [
  "Nomvula & Sons",
  "50% + 10%",
  `"O'Brien"`,
  "Ünathi Dlamini",
  "uMkhonto weSizwe ǃQhawe",
  "Café 🦁",
  "a\\u002fb / c",
];
for (const name of NAMES)
  test(`${name} goes through the signature as it was written`, () => {
    const authorization = { ...TRANSACTION.authorization, account_name: name };
    const fact = { kind: "paid", card: { holderName: name } };
    assert.partialDeepStrictEqual(told("charge.success", { ...TRANSACTION, authorization }), { facts: [fact] });
    // The same JSON with escapes: another text, and another signature.
    const escaped = JSON.stringify({ event: "charge.success", data: { ...TRANSACTION, authorization } })
      .replaceAll("/", "\\/")
      .replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    assert.partialDeepStrictEqual(read(received(escaped)), { facts: [fact] });
  });

const genuine = received({ event: "charge.success", data: TRANSACTION });
const signature = genuine.headers["x-paystack-signature"];
const text = Buffer.from(genuine.rawBody).toString();
const REFUSALS: [string, RawNotification, string][] = [
  ["unsigned", { ...genuine, headers: {} }, "The signature is missing."],
  ["of another amount", received(text.replace("1999", "9999"), signature), "The signature is wrong."],
  ["written again", received(JSON.stringify(JSON.parse(text), null, 1), signature), "The signature is wrong."],
  ["cut", received(text.slice(0, -1), signature), "The signature is wrong."],
  ["of another account", received(text, undefined, "sk_test_other"), "The signature is wrong."],
  ["no JSON", received("paid!"), "The body is not a notification."],
  ["empty", received(""), "The body is not a notification."],
  ["a list", received([TRANSACTION]), "The body is not a notification."],
  ["of nothing", received({ event: "charge.success", data: null }), "The data of charge.success cannot be read."],
  [
    "without a reference",
    received({ event: "charge.success", data: { ...TRANSACTION, reference: "" } }),
    "The data of charge.success cannot be read.",
  ],
  [
    "of less than nothing",
    received({ event: "charge.success", data: { ...TRANSACTION, amount: -1 } }),
    "The data of charge.success cannot be read.",
  ],
  [
    "of an invoice without a code",
    received({ event: "invoice.payment_failed", data: {} }),
    "The data of invoice.payment_failed cannot be read.",
  ],
];
/** What Paystack signed and nobody understands is kept, and not refused. */
const kindOf = (reason: string) => (reason.endsWith("cannot be read.") ? "unread" : "refused");
for (const [what, raw, reason] of REFUSALS)
  test(`refused: ${what}`, () => assert.partialDeepStrictEqual(read(raw), { kind: kindOf(reason), reason }));

const link = { key: "PLN_gx2wn530m0i3w3m", handle: "SUB_vsyqdmlzble3uii:d7gofp6yppn3qz7" };
const refund = (status: string, more: object = {}) => ({
  status,
  transaction_reference: REQUEST.reference,
  refund_reference: null,
  amount: "999",
  currency: "ZAR",
  ...more,
});
const dispute = (resolution: string | null) => ({
  id: 2867,
  refund_amount: 1999,
  currency: "ZAR",
  resolution,
  category: "fraud",
  resolvedAt: "2031-02-10T10:00:00.000Z",
  transaction: { id: TRANSACTION.id, reference: REQUEST.reference },
});
const EVENTS: [string, unknown, object[]][] = [
  [
    "charge.success",
    { ...TRANSACTION, plan: SUBSCRIPTION.plan },
    [{ kind: "paid", subscription: { key: link.key, handle: null, nextChargeOn: "2031-02-28" } }],
  ],
  [
    "subscription.create",
    SUBSCRIPTION,
    [{ about: "subscription", kind: "active", subscription: { ...link, nextChargeOn: "2031-02-28" } }],
  ],
  [
    "subscription.not_renew",
    { ...SUBSCRIPTION, status: "non-renewing" },
    [{ kind: "cancelled", gatewayWord: "non-renewing", subscription: link }],
  ],
  ["subscription.disable", { ...SUBSCRIPTION, status: "complete" }, [{ kind: "cancelled", subscription: link }]],
  ["subscription.disable", { ...SUBSCRIPTION, plan: null }, []],
  [
    "charge.dispute.resolve",
    dispute("merchant-accepted"),
    [{ about: "reversal", providerRef: "4099260516", amount: 1999, code: "2867", hard: true }],
  ],
  [
    "charge.dispute.resolve",
    dispute("declined"),
    [{ about: "dispute", kind: "won", reference: REQUEST.reference, disputeId: "2867" }],
  ],
  ["charge.dispute.resolve", dispute(null), []],
  [
    "charge.dispute.create",
    { ...dispute(null), dueAt: "2031-02-20T18:00:00.000Z" },
    [
      {
        about: "dispute",
        kind: "opened",
        providerRef: "4099260516",
        amount: 1999,
        disputeId: "2867",
        reason: "The payer disputed the payment (fraud).",
      },
    ],
  ],
  ["charge.dispute.remind", { ...dispute(null), refund_amount: null }, [{ kind: "opened", amount: null }]],
  ["invoice.create", INVOICE, []],
  ["invoice.update", INVOICE, []],
  ["subscription.expiring_cards", [{ expiry_date: "12/2031" }], []],
  ["transfer.success", { amount: 100 }, []],
  ["something.new", null, []],
];
for (const [event, value, facts] of EVENTS)
  test(`${event}: ${JSON.stringify(facts)}`, () => {
    const reading = told(event, value);
    assert.partialDeepStrictEqual(reading, { kind: "verified", facts });
    assert.equal(reading.kind === "verified" && reading.facts.length, facts.length);
  });

// ------------------------------------------------------------------------------------------------ invoices

const FIND = "GET /subscription/SUB_vsyqdmlzble3uii";
const paid = {
  ...INVOICE,
  status: "success",
  paid: true,
  transaction: { reference: "T-renewal-1", status: "success" },
};
async function confirmed(event: string, value: unknown, answers: Record<string, GatewayAnswer>) {
  const reading = told(event, value);
  assert.equal(reading.kind, "confirm");
  const claim = reading.kind === "confirm" ? reading.claim : "";
  assert.doesNotMatch(claim, /AUTH_|d7gofp6yppn3qz7/, "a claim may be stored");
  return notifications?.confirm?.(claim, call(fakePaystack(answers).http));
}

test("a missed renewal names no plan: Paystack is asked, and its invoice is the name of the collection", async () => {
  const reading = await confirmed("invoice.payment_failed", INVOICE, {
    [FIND]: data({ ...SUBSCRIPTION, status: "attention" }),
  });
  const fact = { kind: "declined", reference: null, providerRef: INVOICE.invoice_code, amount: 1999, currency: null };
  assert.partialDeepStrictEqual(reading, { kind: "verified", facts: [{ ...fact, subscription: link }] });
});

test("a renewal whose own notification was lost is found by its invoice", async () => {
  const renewal = { ...TRANSACTION, id: 77, reference: "T-renewal-1", plan: null };
  const verify = "GET /transaction/verify/T-renewal-1";
  const reading = await confirmed("invoice.update", paid, { [FIND]: data(SUBSCRIPTION), [verify]: data(renewal) });
  const fact = { kind: "paid", reference: "T-renewal-1", providerRef: "77", subscription: link };
  assert.partialDeepStrictEqual(reading, { kind: "verified", facts: [fact] });
  const without = { ...paid, transaction: {} };
  assert.deepEqual(await confirmed("invoice.update", without, { [FIND]: data(SUBSCRIPTION) }), {
    kind: "verified",
    facts: [],
  });
});

const UNCLEAR: [string, GatewayAnswer][] = [
  ["an unknown subscription", json(404, {})],
  ["a subscription without a plan", data({ ...SUBSCRIPTION, plan: null })],
  ["a fault", json(503, {})],
  ["a wrong key", json(401, { status: false, message: "Invalid key" })],
];
for (const [what, answer] of UNCLEAR)
  test(`${what} leaves an invoice unclear`, () =>
    assert.rejects(async () => confirmed("invoice.payment_failed", INVOICE, { [FIND]: answer }), GatewayUnclear));

test("a paid invoice whose transaction is not known is unclear", () =>
  assert.rejects(
    async () =>
      confirmed("invoice.update", paid, {
        [FIND]: data(SUBSCRIPTION),
        "GET /transaction/verify/T-renewal-1": NOT_FOUND,
      }),
    GatewayUnclear,
  ));

// ------------------------------------------------------------------------------------------------ refunds

const VERIFY = `GET /transaction/verify/${REQUEST.reference}`;
const LIST = "GET /refund?transaction=4099260516&perPage=100";
const OURS = "ref_01kc0000000000000000000000";
const listed = (id: number, more: object = {}) => ({ id, status: "pending", amount: 999, merchant_note: "", ...more });
const TOLD = { about: "refund", reference: REQUEST.reference, amount: 999, currency: "ZAR" };
const atPaystack = { refundId: null, paymentRef: "4099260516" };

const REFUNDS: [string, object, Record<string, GatewayAnswer>, readonly object[]][] = [
  [
    "one that is ours: by its note",
    refund("processed"),
    { [VERIFY]: data(TRANSACTION), [LIST]: data([listed(7, { merchant_note: `${OURS} Too big` })]) },
    [
      { kind: "pending", refundId: OURS, providerRefundRef: "7" },
      { ...TOLD, kind: "processed", refundId: OURS, providerRefundRef: "7" },
    ],
  ],
  [
    "one that was made there",
    refund("failed"),
    { [VERIFY]: data(TRANSACTION), [LIST]: data([listed(7, { merchant_note: "ref_unds" })]) },
    [
      { ...atPaystack, kind: "pending", providerRefundRef: "7" },
      { ...TOLD, ...atPaystack, kind: "refused", providerRefundRef: "7" },
    ],
  ],
  [
    "one of two of its amount: as they are listed",
    refund("processed"),
    { [VERIFY]: data(TRANSACTION), [LIST]: data([listed(7, { status: "processed" }), listed(8)]) },
    [
      { ...atPaystack, kind: "processed", providerRefundRef: "7" },
      { ...atPaystack, kind: "pending", providerRefundRef: "8" },
    ],
  ],
  [
    "one that is not listed yet",
    refund("pending", { id: 9 }),
    { [VERIFY]: data(TRANSACTION), [LIST]: data([]) },
    [{ ...TOLD, kind: "pending", providerRefundRef: "9" }],
  ],
  ["without a list", refund("processed"), { [VERIFY]: json(503, {}) }, [{ ...TOLD, kind: "processed" }]],
  ["of an unknown payment", refund("needs-attention"), { [VERIFY]: NOT_FOUND }, [{ kind: "pending" }]],
];
for (const [what, value, answers, facts] of REFUNDS)
  test(`a refund ${what}`, async () => {
    const event = `refund.${(value as { status: string }).status}`;
    const reading = await confirmed(event, value, answers);
    assert.ok(reading?.kind === "verified");
    assert.equal(reading.facts.length, facts.length);
    assert.partialDeepStrictEqual(reading.facts, facts);
  });

// ------------------------------------------------------------------------------------------------ whatever comes

test("of 100 000 changed notifications none is accepted, and none throws", () => {
  const genuine = EVENTS.map(([event, value]) => received({ event, data: value }));
  for (const raw of genuine)
    for (const mutant of mutants(raw, Math.ceil(100_000 / genuine.length)))
      assert.equal(read(mutant).kind, "refused", Buffer.from(mutant.rawBody).toString("latin1"));
});

test("of 20 000 signed notifications with changed data none throws, and no amount becomes another", () => {
  const random = seededNumbers();
  const below = (most: number) => Math.floor(random() * most);
  const STRANGE = [
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    "",
    "x",
    "9".repeat(400),
    "\0",
    "\ud800",
    [],
    {},
    [[]],
    { reference: {} },
  ];
  for (let n = 0; n < 20_000; n++) {
    const [event, value] = EVENTS[below(EVENTS.length)] ?? assert.fail();
    const changed = JSON.parse(JSON.stringify({ ...(value as object) })) as Record<string, unknown>;
    const keys = Object.keys(changed);
    const key = keys[below(keys.length)];
    if (key) changed[key] = STRANGE[below(STRANGE.length)];
    const reading = read(received({ event, data: changed }));
    for (const fact of reading.kind === "verified" ? reading.facts : [])
      if ("amount" in fact && fact.amount !== null && !("inexactAmount" in fact))
        assert.ok([1999, 999, 0].includes(fact.amount), `${fact.amount}`);
  }
});

for (const [mode, secretKey, domain, counts] of [
  ["live", "sk_live_example", "test", false],
  ["live", "sk_live_example", "live", true],
  ["sandbox", "sk_test_example", "test", true],
] as const)
  test(`a notification of domain ${domain} at a ${mode} account ${counts ? "counts" : "is left out"}`, () => {
    const body = { event: "charge.success", data: { ...TRANSACTION, domain } };
    const at = { ...call(never), mode, credentials: { secretKey } };
    const reading = notifications?.read(received(body, undefined, secretKey), at) ?? assert.fail();
    if (counts) assert.partialDeepStrictEqual(reading, { kind: "verified", facts: [{ kind: "paid" }] });
    else assert.deepEqual(reading, LEFT_OUT_TEST);
  });
