import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ctx } from "../../src/flows/context.ts";
import { recordUpdate, settleUpdate } from "../../src/flows/gateway-subscriptions/update-subscription.ts";
import type { Unclear } from "../../src/flows/gateways/ask-gateway.ts";
import type { SubscriptionOutcome } from "../../src/gateways/contract.ts";
import type { GatewayFact, PaidFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import { instant } from "../../src/kernel/time.ts";
import type { Tx } from "../../src/platform/database.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, eventsOf } from "../support/cards.ts";
import {
  addRecurringLink,
  chargesNow,
  collectionFact,
  MISSING,
  openSubscriptionShop,
  reportFacts,
  subscribe,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, at) =>
        permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
      );
const ORDERS = permutations(["pending", "failed", "cancelled", "complete"]);

/** The gateway reports these statuses of a payment, one after the other. */
async function report(shop: CardShop, reference: string, order: readonly string[]): Promise<void> {
  for (const status of order) {
    const answer = await shop.staff("POST", "/sandbox/notify", { reference, status });
    assert.equal(answer.status, 200, answer.text);
  }
}

const entriesOf = async (reference: string): Promise<number> =>
  (await api.query("select from journal_entries where subject = $1", reference)).length;

test("every order of four notifications of a first payment begins one subscription and posts one payment", async () => {
  const shop = await openSubscriptionShop(api);
  for (const order of ORDERS) {
    const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
    await report(shop, reference, order);
    const payment = (await shop.shop.get(`/transactions/${reference}`)).body;
    const what = order.join(", ");
    assert.equal(payment["status"], "complete", what);
    assert.equal((await subscriptionNow(shop, String(payment["subscriptionId"])))["status"], "active", what);
    assert.equal(await entriesOf(reference), 1, what);
  }
  assert.equal((await eventsOf(shop, "subscription.activated")).length, ORDERS.length);
});

test("every order of four notifications of a renewal that was missed ends in one charge", async () => {
  const shop = await openSubscriptionShop(api);
  const begun = [];
  for (const order of ORDERS) begun.push({ order, ...(await subscribe(shop, MISSING)) });
  await shop.move("2027-04-01T10:00:00Z");
  for (const { order, id } of begun) {
    const [missed] = await chargesNow(shop, id);
    const reference = String(missed?.["reference"]);
    await report(shop, reference, order);
    const what = order.join(", ");
    assert.deepEqual(
      (await chargesNow(shop, id)).map(({ status }) => status),
      ["complete", "complete"],
      what,
    );
    assert.equal((await subscriptionNow(shop, id))["status"], "active", what);
    assert.equal(await entriesOf(reference), 1, what);
  }
  assert.equal((await eventsOf(shop, "subscription.charged")).length, ORDERS.length);
});

describe("reports that come before the first payment is known", () => {
  const at = (time: string) => instant(`2027-03-${time}:00Z`);
  const told = (reference: string) => {
    const key = `sub_${reference}`;
    const of = (payment: string) => ({ key, providerRef: `${payment}_${reference}` });
    const collected = (payment: string, day: string): PaidFact =>
      collectionFact(reference, of(payment), { amount: cents(8_000), occurredAt: at(day) });
    const subscription = { key, handle: null, nextChargeOn: null };
    const state = { about: "subscription", gatewayWord: "", subscription } as const;
    return {
      first: collectionFact(reference, of("first"), { occurredAt: at("01T09:00") }),
      second: collected("second", "01T09:10"),
      third: collected("third", "01T09:20"),
      paused: { ...state, kind: "paused", occurredAt: at("01T09:30") } satisfies GatewayFact,
    };
  };
  const outcome = async (shop: CardShop, reference: string) => {
    const { subscriptionId } = (await shop.shop.get(`/transactions/${reference}`)).body;
    const charges = await chargesNow(shop, String(subscriptionId));
    return {
      status: (await subscriptionNow(shop, String(subscriptionId)))["status"],
      charges: charges
        .map(({ amount, status, renewal, providerRef }) => [amount, status, renewal, providerRef])
        .toSorted(),
      entries: await Promise.all(charges.map(({ reference: charge }) => entriesOf(String(charge)))),
    };
  };

  test("every order of a first payment, two renewals of another amount and a pause ends the same", async () => {
    const shop = await openSubscriptionShop(api);
    const orders = permutations(["first", "second", "third", "paused"] as const);
    const begun = [];
    for (const order of orders) {
      const link = await addRecurringLink(shop, { recurring: { frequency: "monthly", amount: 80 } });
      const { reference } = await begin(shop, String(link["url"]));
      for (const fact of order) assert.equal(await reportFacts(shop, [told(reference)[fact]]), 0);
      begun.push({ reference, order });
    }
    await shop.move("2027-03-01T10:01:00Z");
    for (const { reference, order } of begun)
      assert.deepEqual(
        await outcome(shop, reference),
        {
          status: "paused",
          charges: [
            [80, "complete", true, `second_${reference}`],
            [80, "complete", true, `third_${reference}`],
            [100, "complete", false, `first_${reference}`],
          ].toSorted(),
          entries: [1, 1, 1],
        },
        order.join(", "),
      );
  });

  test("a renewal of the same amount that comes first stands for the first payment: the books are the same", async () => {
    const shop = await openSubscriptionShop(api);
    for (const order of permutations(["first", "second", "third"] as const)) {
      const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
      const facts = told(reference);
      for (const fact of order) await reportFacts(shop, [{ ...facts[fact], amount: cents(10_000) }]);
      const { charges, entries } = await outcome(shop, reference);
      assert.deepEqual(
        charges.map(([amount, status]) => [amount, status]),
        Array(3).fill([100, "complete"]),
      );
      assert.deepEqual(
        charges.map(([, , , id]) => id).toSorted(),
        ["first", "second", "third"].map((id) => `${id}_${reference}`),
      );
      assert.deepEqual(entries, [1, 1, 1]);
    }
  });
});

describe("an amount that is changed while the gateway collects", () => {
  const changing = async () => {
    const shop = await openSubscriptionShop(api);
    const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
    const names = (id: string) => ({ key: `sub_${reference}`, providerRef: `${id}_${reference}` });
    await reportFacts(shop, [collectionFact(reference, names("first"))]);
    const { subscriptionId } = (await shop.shop.get(`/transactions/${reference}`)).body;
    const id = String(subscriptionId);
    const update = (answer: SubscriptionOutcome | Unclear) =>
      inTransaction(shop, async (tx, ctx) => {
        const body = { amount: cents(15_000), nextDate: null };
        await recordUpdate(tx, ctx, id, body);
        return settleUpdate(tx, ctx, id, body, answer);
      });
    const collect = async (payment: string, amount: number, occurredAt: string) => {
      const fact = { amount: cents(amount), occurredAt: instant(occurredAt) };
      await reportFacts(shop, [collectionFact(reference, names(payment), fact)]);
      const [newest] = await chargesNow(shop, id);
      return [newest?.["amount"], newest?.["status"], newest?.["flags"]];
    };
    return { shop, id, update, collect };
  };
  const inTransaction = async <T>(shop: CardShop, work: (tx: Tx, ctx: Ctx) => Promise<T>): Promise<T> => {
    const ctx = await shop.shop.ctx();
    return api.services.db.transaction(ctx.organisation.id, (tx) => work(tx, ctx));
  };

  test("a renewal of before the change has the old amount, and is booked", async () => {
    const { update, collect } = await changing();
    await update({ kind: "done", nextChargeOn: null });
    assert.deepEqual(await collect("old", 10_000, "2027-03-01T09:59:00Z"), [100, "complete", []]);
    assert.deepEqual(await collect("new", 15_000, "2027-03-01T10:01:00Z"), [150, "complete", []]);
    assert.deepEqual(await collect("late", 10_000, "2027-03-01T10:02:00Z"), [
      100,
      "pending",
      ["notification_mismatch"],
    ]);
  });

  test("after an unclear answer a renewal may have either amount, and no third one", async () => {
    const { shop, id, update, collect } = await changing();
    await update("unclear");
    assert.equal((await subscriptionNow(shop, id))["amount"], 100);
    assert.deepEqual(await collect("new", 15_000, "2027-03-01T10:01:00Z"), [150, "complete", []]);
    assert.deepEqual(await collect("old", 10_000, "2027-03-01T10:02:00Z"), [100, "complete", []]);
    assert.deepEqual(await collect("third", 12_000, "2027-03-01T10:03:00Z"), [
      120,
      "pending",
      ["notification_mismatch"],
    ]);
  });

  test("after a refusal a renewal has the amount of before", async () => {
    const { update, collect } = await changing();
    await update({ kind: "refused", reason: "no" });
    assert.deepEqual(await collect("new", 15_000, "2027-03-01T10:01:00Z"), [150, "pending", ["notification_mismatch"]]);
  });
});
