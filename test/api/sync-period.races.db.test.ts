import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { openApi, type TestApi } from "../support/api.ts";
import { NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, mirror mode: several reports at once, refusals, and the silent end. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const NEXT = { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" };

describe("at once", () => {
  test("twenty identical calls record one renewal", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => shop.sync(id, NEXT)));
    for (const { status, body } of answers) assert.deepEqual([status, body["cyclesBilled"]], [200, 1]);
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 1, periods: 2 });
  });

  test("ten renewals in any order leave the last one, or refuse what came too late", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const months = Array.from(
      { length: 10 },
      (_, at) => [`2027-${String(at + 2).padStart(2, "0")}-15`, `2027-${String(at + 3).padStart(2, "0")}-15`] as const,
    );
    const answers = await Promise.all(
      months.map(([currentPeriodStart, currentPeriodEnd]) => shop.sync(id, { currentPeriodStart, currentPeriodEnd })),
    );
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.error], [409, "stale_period"]);
    assert.equal((await shop.now(id))["currentPeriodEnd"], "2027-12-15");
  });

  test("a call that waits too long for others is 409 concurrent_update, and may be sent again", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const client = new pg.Client({ connectionString: api.databaseUrl });
    await client.connect();
    try {
      await client.query("begin");
      await client.query("select from customer_subscriptions where id = $1 for update", [id]);
      // Real time: how long a transaction waits for a lock is a setting of the connection.
      const { status, body } = await shop.sync(id, NEXT);
      assert.deepEqual([status, body.error], [409, "concurrent_update"]);
      await client.query("rollback");
    } finally {
      await client.end();
    }
    assert.equal((await shop.now(id))["cyclesBilled"], 0);
    assert.equal((await shop.sync(id, NEXT)).body["cyclesBilled"], 1);
  });
});

describe("refused with", () => {
  test("409 not_external, of one that the service bills", async () => {
    const shop = await openExternalShop(api);
    await shop.staff("PATCH", `/packages/${shop.packageId}`, { enabled: true });
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const { status, body } = await shop.sync(id, NEXT);
    assert.deepEqual([status, body.error], [409, "not_external"]);
    const shadow = await shop.shop.get(`/customer-subscriptions/${id}/shadow`);
    assert.deepEqual([shadow.status, shadow.body["error"]], [409, "not_external"]);
  });

  test("404, of one that does not exist or is another organisation's; a body that is none comes first", async () => {
    const [shop, other] = [await openExternalShop(api), await openExternalShop(api)];
    const { id } = await other.record();
    for (const unknown of [id, "csub_none"]) {
      const { status, body } = await shop.sync(unknown, NEXT);
      assert.deepEqual([status, body.error], [404, "not_found"]);
      assert.equal((await shop.sync(unknown, {})).status, 400);
    }
  });

  test("409 invalid_state, of one that has ended", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ cancelAtPeriodEnd: true });
    await shop.move("2027-02-15");
    for (const body of [NEXT, { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15" }]) {
      const answer = await shop.sync(id, body);
      assert.deepEqual([answer.status, answer.body.error], [409, "invalid_state"]);
    }
  });
});

describe("a cancellation at the period's end", () => {
  test("comes true silently, on the day", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ cancelAtPeriodEnd: true });
    await shop.move("2027-02-14T21:59:59.999Z");
    assert.equal((await shop.now(id)).status, "active");
    await shop.move("2027-02-15");
    const { status, nextBillingAt } = await shop.now(id);
    assert.deepEqual([status, nextBillingAt], ["cancelled", null]);
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 1, periods: 1 });
  });

  test("moves to the end of a period that is reported", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ cancelAtPeriodEnd: true });
    assert.equal((await shop.sync(id, NEXT)).body["cancelAtPeriodEnd"], true);
    await shop.move("2027-03-14");
    assert.equal((await shop.now(id)).status, "active");
    await shop.move("2027-03-15");
    assert.equal((await shop.now(id)).status, "cancelled");
  });

  test("of a past due one whose period is over comes true at once", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ cancelAtPeriodEnd: true, status: "past_due", paidThrough: "2027-01-10" });
    await shop.move("2027-01-31T08:00:01.000Z");
    assert.equal((await shop.now(id)).status, "cancelled");
  });
});
