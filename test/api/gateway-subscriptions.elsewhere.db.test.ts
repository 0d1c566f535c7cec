import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { GatewayFact, SubscriptionFact } from "../../src/gateways/facts.ts";
import { findAdapter } from "../../src/gateways/registry.ts";
import { type Cents, cents } from "../../src/kernel/money.ts";
import { instant } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, eventsOf } from "../support/cards.ts";
import {
  addRecurringLink,
  chargesNow,
  collectionFact,
  openSubscriptionShop,
  reportFacts,
  subscriptionNow,
} from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const at = (time: string) => instant(`2027-03-${time}:00Z`);

/** A subscription of 100.00 a month at a gateway that the test plays. */
async function begun() {
  const shop = await openSubscriptionShop(api);
  const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
  const key = `sub_${reference}`;
  const names = (payment: string) => ({ key, providerRef: `${payment}_${reference}` });
  await reportFacts(shop, [collectionFact(reference, names("first"), { occurredAt: at("01T09:00") })]);
  const id = String((await shop.shop.get(`/transactions/${reference}`)).body["subscriptionId"]);
  const state = (kind: SubscriptionFact["kind"], occurredAt: string, amount: Cents | null = null): GatewayFact => ({
    about: "subscription",
    kind,
    occurredAt: at(occurredAt),
    gatewayWord: kind,
    amount,
    subscription: { key, handle: null, nextChargeOn: null },
  });
  return {
    shop,
    id,
    tell: (...facts: GatewayFact[]) => reportFacts(shop, facts),
    state,
    renewal: (payment: string, rand: number, occurredAt = "01T09:30") =>
      collectionFact(reference, names(payment), {
        amount: cents(rand * 100),
        occurredAt: at(occurredAt),
        fee: cents(50),
      }),
    newest: async () => {
      const [{ reference: newest = "", amount = 0, status = "", flags = [] } = {}] = await chargesNow(shop, id);
      return { reference: String(newest), shown: [amount, status, flags] };
    },
    now: async () => {
      const { status, amount, flags = [] } = await subscriptionNow(shop, id);
      return [status, amount, flags];
    },
  };
}
const alerts = async ({ shop }: CardShop, about: RegExp) =>
  (await mailsOf(api.services, shop.organisation, { kind: "staff_alert" })).filter(({ subject }) =>
    about.test(subject),
  );

describe("what is done in the gateway's own dashboard", () => {
  test("a cancellation is applied once, with its event, and flagged; one that was asked for here is not flagged", async () => {
    const { shop, tell, state, now } = await begun();
    await tell(state("cancelled", "01T09:10"), state("cancelled", "01T09:10"));
    assert.deepEqual(await now(), ["cancelled", 100, ["made_elsewhere"]]);
    assert.equal((await eventsOf(shop, "subscription.cancelled")).length, 1);
    const own = await begun();
    await api.query(
      `insert into due_work (organisation_id, kind, subject, lane, due_at) values ($1, 'subscription.check', $2, 'subscription.check', '2100-01-01')`,
      own.shop.shop.organisation.id,
      own.id,
    );
    await own.tell(own.state("cancelled", "01T09:10"));
    assert.deepEqual(await own.now(), ["cancelled", 100, []]);
    await api.query("delete from due_work where kind = 'subscription.check' and subject = $1", own.id);
  });

  test("a changed price is applied and flagged, and an older report of the old one changes nothing", async () => {
    const { tell, state, renewal, now, newest } = await begun();
    await tell(state("active", "01T09:20", cents(15_000)));
    assert.deepEqual(await now(), ["active", 150, ["made_elsewhere"]]);
    await tell(state("active", "01T09:10", cents(10_000)));
    assert.deepEqual(await now(), ["active", 150, ["made_elsewhere"]]);
    await tell(renewal("before", 100, "01T09:15"));
    assert.deepEqual((await newest()).shown, [100, "complete", []]);
    await tell(renewal("after", 150));
    assert.deepEqual((await newest()).shown, [150, "complete", []]);
  });

  test("a renewal at a new price that is told before the change completes by itself", async () => {
    const { shop, tell, state, renewal, newest, now } = await begun();
    await tell(renewal("early", 150));
    assert.deepEqual((await newest()).shown, [150, "pending", ["notification_mismatch"]]);
    await tell(state("active", "01T09:20", cents(15_000)));
    await shop.move("2027-03-01T10:05:00Z");
    assert.deepEqual((await newest()).shown, [150, "complete", ["notification_mismatch"]]);
    assert.deepEqual(await now(), ["active", 150, ["made_elsewhere"]]);
  });
});

describe("a renewal at another amount", () => {
  test("waits for staff under its own amount, however long and often it is told, and is accepted once", async () => {
    const { shop, tell, renewal, newest, now } = await begun();
    await tell(renewal("odd", 120), renewal("odd", 120));
    const { reference } = await newest();
    await shop.move("2027-03-10T10:00:00Z");
    await tell(renewal("odd", 120));
    assert.deepEqual((await newest()).shown, [120, "pending", ["notification_mismatch"]]);
    assert.equal((await alerts(shop, /a gateway notification was not applied/)).length, 1);
    const accept = () => shop.staff<{ status: string }>("POST", `/transactions/${reference}/accept`);
    const [one, two] = await Promise.all([accept(), accept()]);
    assert.deepEqual([one.status, two.status].toSorted(), [200, 409]);
    assert.deepEqual((await newest()).shown, [120, "complete", ["notification_mismatch"]]);
    assert.deepEqual(await now(), ["active", 100, []]);
    assert.equal((await eventsOf(shop, "subscription.charged")).length, 1);
    await tell(renewal("odd", 120));
    assert.equal((await accept()).status, 409);
  });

  test("is accepted as the new amount of the subscription", async () => {
    const { shop, tell, renewal, newest, now } = await begun();
    await tell(renewal("odd", 120));
    const { reference } = await newest();
    const answer = await shop.staff("POST", `/transactions/${reference}/accept`, { asNewAmount: true });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await now(), ["active", 120, ["made_elsewhere"]]);
    await tell(renewal("next", 120, "01T09:50"));
    assert.deepEqual((await newest()).shown, [120, "complete", []]);
  });

  test("is given back", async (t) => {
    const { shop, tell, renewal, newest } = await begun();
    await tell(renewal("odd", 120));
    const { reference } = await newest();
    const ability = findAdapter("sandbox")?.refunds ?? assert.fail();
    const made = t.mock.method(
      ability,
      "refund",
      async ({ refundId, amount }: { refundId: string; amount: Cents }) => ({
        about: "refund" as const,
        kind: "processed" as const,
        ...{ occurredAt: null, gatewayWord: "", refundId, providerRefundRef: "r1", reference, amount, reason: null },
      }),
    );
    const answer = await shop.staff<{ status: string }>("POST", `/transactions/${reference}/give-back`, {});
    assert.deepEqual([answer.status, answer.body.status], [201, "refunded"], answer.text);
    assert.equal(made.mock.callCount(), 1);
    assert.equal(made.mock.calls[0]?.arguments[0].amount, 12_000);
  });

  test("is missed under the amount that the gateway asked for", async () => {
    const { tell, renewal, newest, now } = await begun();
    await tell({ ...renewal("odd", 120), kind: "declined", reason: "no", hard: false });
    assert.deepEqual((await newest()).shown, [120, "failed", []]);
    assert.deepEqual(await now(), ["past_due", 100, []]);
  });

  test("any other payment is not accepted", async () => {
    const { shop, tell, renewal, newest } = await begun();
    await tell(renewal("plain", 100));
    for (const [action, reference, status] of [
      ["accept", (await newest()).reference, 409],
      ["give-back", (await newest()).reference, 409],
      ["accept", "TEFO-20270301-00000000", 404],
    ] as const)
      assert.equal((await shop.staff("POST", `/transactions/${reference}/${action}`)).status, status);
  });
});

test("a renewal that is charged after a cancellation is booked, and staff are mailed once", async () => {
  const { shop, tell, state, renewal, newest, now } = await begun();
  await tell(state("cancelled", "01T09:10"), renewal("late", 100), renewal("late", 100));
  assert.deepEqual((await newest()).shown, [100, "complete", []]);
  assert.equal((await now())[0], "cancelled");
  const [mail, ...others] = await alerts(shop, /a cancelled subscription was charged/);
  assert.ok(mail?.text.includes((await newest()).reference));
  assert.deepEqual(others, []);
});
