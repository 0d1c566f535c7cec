import assert from "node:assert/strict";
import { test } from "node:test";
import { payfast, RECURRING, REQUEST, setUpStandIn } from "../../../test/support/gateways/payfast.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, instant } from "../../kernel/time.ts";
import type { ChargeRequest, GatewayCall, PaymentIdentity } from "../contract.ts";
import { type GatewayAnswer, GatewayUnclear } from "../http.ts";
import { keyOf } from "./facts.ts";

const stage = setUpStandIn();
const { checkout, storedCards, notifications, subscriptions } = payfast;
assert.ok(checkout && storedCards && notifications?.confirm && subscriptions);

const SAVING = { saveCard: true, forCard: true } as const;
const CHARGED: PaymentIdentity = {
  reference: "TEFOC-0123456789abcdef-1",
  checkoutRef: null,
  providerRef: null,
  amount: cents(4550),
  currency: "ZAR",
  startedAt: instant("2031-01-31T08:00:00Z"),
};
const { reference, amount, currency } = CHARGED;

/** The facts of the last notice. */
async function told() {
  const reading = notifications?.read(stage.notice(), stage.call());
  assert.ok(reading?.kind === "confirm", JSON.stringify(reading));
  const answer = await notifications?.confirm?.(reading.claim, stage.call());
  assert.ok(answer?.kind === "verified", JSON.stringify(answer));
  return answer.facts;
}

/** A card that was saved at the stand-in. */
async function savedCard() {
  await stage.pay(SAVING);
  const [fact] = await told();
  assert.ok(fact?.about === "payment" && fact.card?.token, JSON.stringify(fact));
  return { ...fact.card, token: fact.card.token };
}

const requestOf = (token: string, changes: Partial<ChargeRequest> = {}): ChargeRequest => ({
  ...{ reference, amount, currency },
  card: { token, brand: "card", last4: "" },
  description: "Fees\nof March",
  payer: REQUEST.payer,
  notifyUrl: REQUEST.notifyUrl,
  ...changes,
});

const answering = (answer: Partial<GatewayAnswer>): GatewayCall =>
  stage.call({ http: async () => ({ status: 200, headers: {}, body: "", ...answer }) });

test("a payment for the card makes a token, and is no subscription; one that may save it leaves all ways to pay open", async () => {
  const card = await savedCard();
  assert.deepEqual(
    { ...card, token: "" },
    {
      ...{ token: "", brand: "card", last4: "", expiryMonth: null, expiryYear: null, holderName: null },
      fingerprint: keyOf(card.token),
    },
  );
  const [fact] = await told();
  assert.partialDeepStrictEqual(fact, { kind: "paid", reference: REQUEST.reference, subscription: null });
  for (const [changes, type] of [
    [{ saveCard: true }, undefined],
    [SAVING, "2"],
    [{ ...SAVING, recurring: RECURRING }, "1"],
  ] as const) {
    const started = await checkout.start({ ...REQUEST, ...changes }, stage.call());
    assert.ok(started.kind === "form");
    assert.equal(new Map(started.fields).get("subscription_type"), type);
  }
});

test("a card is charged under our reference, in cents; the gateway says at once how it ended, and by a notification", async () => {
  const { token } = await savedCard();
  const fact = await storedCards.charge(requestOf(token), stage.call());
  const id = "1000001";
  assert.partialDeepStrictEqual(fact, { kind: "paid", reference, amount, providerRef: id });
  const sent = stage.standIn.requests.find(({ path }) => path.endsWith("/adhoc"));
  assert.deepEqual(JSON.parse(sent?.text ?? ""), {
    amount: 4550,
    item_name: "Fees of March",
    m_payment_id: reference,
  });
  while (stage.standIn.notices.length < 2) await new Promise(setImmediate);
  assert.partialDeepStrictEqual(await told(), [
    { kind: "paid", reference, amount, providerRef: id, subscription: null, card: null },
  ]);
  assert.partialDeepStrictEqual(await storedCards.query({ ...CHARGED, providerRef: id }, stage.call()), {
    kind: "paid",
    amount,
  });
});

test("what is refused is declined, for good where the token is", async () => {
  const { token } = await savedCard();
  stage.standIn.acts.nextCharges?.("declined");
  const soft = await storedCards.charge(requestOf(token), stage.call());
  assert.partialDeepStrictEqual(soft, { kind: "declined", reason: "The card was declined (05)", hard: false });
  stage.standIn.acts.nextCharges?.("hard");
  assert.partialDeepStrictEqual(await storedCards.charge(requestOf(token), stage.call()), {
    kind: "declined",
    hard: true,
  });
  await subscriptions.cancel(token, stage.call());
  assert.partialDeepStrictEqual(await storedCards.charge(requestOf(token), stage.call()), {
    kind: "declined",
    reason: "The subscription is not in a valid state.",
    hard: true,
  });
  assert.partialDeepStrictEqual(await storedCards.charge(requestOf("unknown"), stage.call()), {
    kind: "declined",
    hard: true,
  });
});

test("the token of a subscription is not charged at will", async () => {
  await stage.pay({ recurring: RECURRING });
  const [fact] = await told();
  assert.ok(fact?.about === "payment" && fact.subscription?.handle && fact.card === null);
  const charge = storedCards.charge(requestOf(fact.subscription.handle), stage.call());
  assert.partialDeepStrictEqual(await charge, { kind: "declined", hard: true });
});

test("a card whose token is cancelled there is reported by the token's key", async () => {
  const { fingerprint } = await savedCard();
  await stage.standIn.acts.endsSubscription?.(REQUEST.reference);
  assert.partialDeepStrictEqual(await told(), [
    { about: "subscription", kind: "cancelled", subscription: { key: fingerprint } },
  ]);
});

test("a charge whose answer was lost is found in the history, never sent again, and was never made after a day", async () => {
  const { token } = await savedCard();
  const after = (seconds: number) => stage.call({ now: addSeconds(CHARGED.startedAt, seconds) });
  await assert.rejects(async () => storedCards.query(CHARGED, after(86_399)), GatewayUnclear);
  assert.partialDeepStrictEqual(await storedCards.query(CHARGED, after(86_400)), { kind: "declined", hard: false });
  await assert.rejects(
    async () => storedCards.query({ ...CHARGED, providerRef: "77" }, after(86_400)),
    GatewayUnclear,
    "one that it has accepted",
  );
  stage.standIn.acts.nextCharges?.("unclear");
  await assert.rejects(async () => storedCards.charge(requestOf(token), stage.call()), GatewayUnclear);
  assert.partialDeepStrictEqual(await storedCards.query(CHARGED, stage.call()), { kind: "paid", amount });
});

// An answer to a charge, and what it is taken for.
const ANSWERS: [string, Partial<GatewayAnswer>, "pending" | "declined" | "unclear"][] = [
  ["accepted as text, with the id in the response", json({ response: { pf_payment_id: 5 } }), "pending"],
  ["accepted without an id", json({ response: "true" }), "pending"],
  ["not accepted, in a success", json({ response: false }), "unclear"],
  ["failed with HTTP 200", json({ response: 400, message: "Declined" }, "failed"), "declined"],
  ["HTML", { body: "<html>" }, "unclear"],
  ["half", { body: '{"code":200,"status":"success","data":{"respon' }, "unclear"],
  ["HTTP 500", { ...json({ response: true }), status: 500 }, "unclear"],
  ["too many requests", { ...json({ response: true }), status: 429 }, "unclear"],
  ["a redirect", { status: 302 }, "unclear"],
];
function json(data: object, status = "success"): Partial<GatewayAnswer> {
  return { body: JSON.stringify({ code: 200, status, data }) };
}
for (const [what, answer, expected] of ANSWERS)
  test(`a charge that is answered with ${what} is ${expected}`, async () => {
    const charged = storedCards.charge(requestOf("token"), answering(answer));
    if (expected === "unclear") await assert.rejects(async () => charged, GatewayUnclear);
    else assert.equal((await charged).kind, expected);
  });
