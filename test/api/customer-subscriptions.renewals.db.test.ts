import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 16.3 to 16.7, 16.13 and 16.19, on the test clock: what falls due is billed, each period once. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Of each invoice, oldest first: its kind, cycle, issue date, period and total. */
const billed = async (shop: SubscriptionShop, id: string) =>
  (await shop.invoices(id))
    .toReversed()
    .map(({ charge, cycle, issueDate, periodStart, periodEnd, total }) => [
      charge,
      cycle,
      new Date(Date.parse(String(issueDate)) + 2 * 3_600_000).toISOString().slice(0, 10),
      periodStart,
      periodEnd,
      total,
    ]);
const typesOf = async (shop: SubscriptionShop, id: string) =>
  (await shop.events(id)).map(({ type }) => type.replace("subscription.", ""));
const pay = async ({ shop }: SubscriptionShop, invoice: unknown, amount: number) => {
  const answer = await shop.post(`/invoices/${invoice}/payments`, { amount, method: "eft" });
  assert.equal(answer.status, 201, answer.text);
};

describe("a renewal", () => {
  test("falls on the month's end, and an hour before it nothing is billed", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-27T21:00:00Z");
    assert.equal((await billed(shop, id)).length, 1);
    for (const day of ["2027-02-28", "2027-03-31", "2027-04-30"]) await shop.move(day);
    assert.deepEqual(await billed(shop, id), [
      ["first", 1, "2027-01-31", "2027-01-31", "2027-02-27", 115],
      ["cycle", 2, "2027-02-28", "2027-02-28", "2027-03-30", 115],
      ["cycle", 3, "2027-03-31", "2027-03-31", "2027-04-29", 115],
      ["cycle", 4, "2027-04-30", "2027-04-30", "2027-05-30", 115],
    ]);
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "renewed", "renewed", "renewed"]);
    const [newest] = await shop.invoices(id);
    const { data } = (await shop.events(id)).at(-1) ?? { data: {} as Record<string, unknown> };
    assert.equal((data["invoice"] as { id: string }).id, newest?.["id"]);
  });

  test("that was missed is billed late, oldest first, each period once with its own dates", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ frequency: "quarterly" }) });
    await shop.move("2028-02-01");
    assert.deepEqual(
      (await billed(shop, id)).map(([, cycle, issued, start]) => [cycle, issued, start]),
      [
        [1, "2027-01-31", "2027-01-31"],
        [2, "2027-04-30", "2027-04-30"],
        [3, "2027-07-31", "2027-07-31"],
        [4, "2027-10-31", "2027-10-31"],
        [5, "2028-01-31", "2028-01-31"],
      ],
    );
  });

  test("of a price that has changed is billed at the price that was subscribed to", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const { id } = await shop.subscribe({ planId });
    await shop.staff("PATCH", `/packages/${shop.packageId}/plans/${planId}`, { amount: 200 });
    await shop.move("2027-02-28");
    assert.deepEqual(
      (await billed(shop, id)).map((bill) => bill.at(-1)),
      [115, 115],
    );
    const later = await shop.subscribe({ planId });
    assert.deepEqual(
      (await billed(shop, later.id)).map((bill) => bill.at(-1)),
      [230],
    );
  });

  test("follows a trial, a scheduled start, and what was paid elsewhere", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const trial = await shop.subscribe({ planId, trialDays: 14 });
    const later = await shop.subscribe({ planId, startDate: "2027-02-10", trialDays: 7 });
    const elsewhere = await shop.subscribe({ planId, paidThrough: "2027-02-15" });
    await shop.move("2027-02-10");
    assert.deepEqual(
      [(await shop.now(later.id)).status, (await shop.now(later.id))["trialEnd"]],
      ["trialing", "2027-02-16"],
    );
    await shop.move("2027-03-01");
    assert.deepEqual(await billed(shop, trial.id), [["first", 1, "2027-02-14", "2027-02-14", "2027-03-13", 115]]);
    assert.deepEqual(await billed(shop, later.id), [["first", 1, "2027-02-17", "2027-02-17", "2027-03-16", 115]]);
    assert.deepEqual(
      (await billed(shop, elsewhere.id)).map((bill) => bill.slice(1)),
      [[1, "2027-02-15", "2027-02-15", "2027-03-14", 115]],
    );
    const ofTrial = ["trial_ending", "trial_ended", "activated"];
    assert.deepEqual(await typesOf(shop, trial.id), ["created", ...ofTrial]);
    assert.deepEqual(await typesOf(shop, later.id), ["created", "updated", ...ofTrial]);
    assert.equal((await typesOf(shop, elsewhere.id)).filter((type) => type === "activated").length, 1);
  });

  test("that credit covers has no invoice; what is left of it is taken off the next one", async () => {
    const shop = await openSubscriptionShop(api);
    const items = [{ kind: "one_time", description: "Welcome", unitAmount: -230 }];
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), items });
    await shop.move("2027-03-31");
    assert.deepEqual(await billed(shop, id), [["cycle", 3, "2027-03-31", "2027-03-31", "2027-04-29", 80.5]]);
    const invoices = (await shop.events(id)).map(({ type, data }) => [type, data["invoice"] === null]);
    assert.deepEqual(invoices.slice(-2), [
      ["subscription.renewed", true],
      ["subscription.renewed", false],
    ]);
    const { credit, cyclesBilled } = await shop.now(id);
    assert.deepEqual([credit, cyclesBilled], [0, 3]);
  });

  test("does not come after the last cycle: the subscription expires when its last period is over", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ cycles: 2 }) });
    await shop.move("2027-03-30");
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "renewed"]);
    await shop.move("2027-08-01");
    const { status, nextBillingAt, cyclesBilled } = await shop.now(id);
    assert.deepEqual([status, nextBillingAt, cyclesBilled], ["expired", null, 2]);
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "renewed", "expired"]);
  });
});

test("two years of a yearly plan from 29 February keep their day in leap years", async () => {
  const shop = await openSubscriptionShop(api);
  const planId = await shop.addPlan({ frequency: "annually" });
  const { id } = await shop.subscribe({ planId, startDate: "2028-02-29" });
  await shop.move("2032-03-01");
  assert.deepEqual(
    (await billed(shop, id)).map((bill) => bill[3]),
    ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"],
  );
});

describe("an unpaid invoice", () => {
  test("past its due date makes the subscription past_due, which goes on being billed, until it is paid", async () => {
    const shop = await openSubscriptionShop(api);
    await shop.staff("PATCH", "/settings", { dueDays: 7 });
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-07");
    assert.equal((await shop.now(id)).status, "active");
    await shop.move("2027-02-08");
    assert.equal((await shop.now(id)).status, "past_due");
    const told = (await shop.events(id)).at(-1);
    assert.deepEqual([told?.type, told?.data["status"]], ["subscription.past_due", "past_due"]);
    const late = told?.data["invoice"] as { status: string } | undefined;
    assert.equal(late?.status, "overdue");
    const listed = await shop.shop.get<{ data: unknown[] }>("/customer-subscriptions?status=past_due");
    assert.equal(listed.body.data.length, 1);
    assert.deepEqual((await shop.shop.get("/customer-subscriptions?status=active")).body["data"], []);
    await shop.move("2027-02-28");
    const [second, first] = await shop.invoices(id);
    assert.equal(second?.["cycle"], 2);
    await pay(shop, first?.["id"], 100);
    assert.equal((await shop.now(id)).status, "past_due");
    await shop.move("2027-03-08");
    await pay(shop, first?.["id"], 15);
    assert.equal((await shop.now(id)).status, "past_due", "the second invoice is late too");
    await pay(shop, second?.["id"], 115);
    assert.equal((await shop.now(id)).status, "active");
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "past_due", "renewed"]);
    await shop.move("2027-04-08");
    assert.deepEqual((await typesOf(shop, id)).slice(4), ["renewed", "past_due"], "late again, told again");
  });
});

describe("a subscription collected by hand", () => {
  test("is renewed by the payment of its bill: the period stays until then", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), collectionMethod: "manual" });
    await shop.move("2027-02-28");
    const waiting = await shop.now(id);
    assert.deepEqual(
      [waiting["currentPeriodStart"], waiting["nextBillingAt"], waiting["cyclesBilled"]],
      ["2027-01-31", null, 2],
    );
    await shop.move("2027-05-15");
    const [bill, ...earlier] = await shop.invoices(id);
    assert.equal(earlier.length, 1, "nothing is billed while a payment is awaited");
    assert.equal(bill?.["status"], "draft");
    await pay(shop, bill?.["id"], 100);
    await shop.move("2027-05-16");
    assert.equal((await shop.now(id))["currentPeriodStart"], "2027-01-31");
    await pay(shop, bill?.["id"], 15);
    const atOnce = await shop.now(id);
    assert.deepEqual([atOnce["currentPeriodStart"], atOnce["cyclesBilled"]], ["2027-02-28", 3]);
    await shop.move("2027-05-17");
    const renewed = await shop.now(id);
    assert.deepEqual([renewed["currentPeriodStart"], renewed["currentPeriodEnd"]], ["2027-02-28", "2027-03-30"]);
    assert.deepEqual(
      (await billed(shop, id)).map((row) => row[3]),
      ["2027-01-31", "2027-02-28", "2027-03-31"],
    );
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "renewed"]);
  });

  test("goes on when its bill is cancelled: nothing is waited for any more", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), collectionMethod: "manual" });
    await shop.move("2027-03-10");
    const [bill] = await shop.invoices(id);
    const cancelled = await shop.shop.post(`/invoices/${bill?.["id"]}/cancel`, {});
    assert.equal(cancelled.status, 200, cancelled.text);
    await shop.move("2027-03-11");
    const gone = await shop.now(id);
    assert.deepEqual([gone["currentPeriodStart"], gone["nextBillingAt"]], ["2027-02-28", "2027-03-30T22:00:00.000Z"]);
    await shop.move("2027-03-31");
    assert.deepEqual(
      (await billed(shop, id)).map((row) => row[3]),
      ["2027-01-31", "2027-02-28", "2027-03-31"],
    );
    assert.deepEqual(await typesOf(shop, id), ["created", "activated", "renewed"]);
  });
});
