import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EVENTS, MAILS, REACTIONS, RECORDS, WORK } from "../../src/catalogue.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { eventEndpoints } from "../../src/http/resources/events.ts";
import { settingsEndpoints } from "../../src/http/resources/settings.ts";
import { testClockEndpoints } from "../../src/http/resources/test-clock.ts";
import { webhookEndpoints } from "../../src/http/resources/webhooks.ts";
import { addSeconds, instant, toTimestamp } from "../../src/kernel/time.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { createMailer } from "../../src/platform/mailer.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import { createRunDue } from "../../src/worker/run-due.ts";
import { addMerchant, dataOf, type Merchant, openMerchant } from "../support/merchant.ts";
import { openReceiver } from "../support/worker.ts";

const BEGIN = instant("2026-11-20T10:00:00Z");
const at = (hours: number) => toTimestamp(addSeconds(BEGIN, hours * 3600));

describe("the test clock", () => {
  let merchant: Merchant;
  const outbound = createOutbound();
  before(async () => {
    merchant = await openMerchant(
      [
        ...testClockEndpoints,
        ...webhookEndpoints(EVENTS),
        ...eventEndpoints(EVENTS, RECORDS),
        ...settingsEndpoints,
        ...auditLogEndpoints(RECORDS),
      ],
      { sandbox: true, clockAt: BEGIN },
    );
    const { services } = merchant.dashboard;
    const runDue = createRunDue({
      services,
      outbound,
      mailer: createMailer(null),
      metrics: createMetrics(services.db),
      work: WORK,
      reactions: REACTIONS,
      mails: MAILS,
      version: "1.2.3",
    });
    Object.assign(services, { runDue });
  });
  after(async () => {
    outbound.close();
    await merchant.close();
  });

  const another = (facts = {}) => addMerchant(merchant.dashboard, { sandbox: true, clockAt: BEGIN, ...facts });
  const move = (own: Merchant, now: unknown) => own.call("POST", "/test-clock", { now });

  test("does not run once it is set, and moves forward only", async () => {
    const own = await another({ clockAt: null });
    const running = await own.call("GET", "/test-clock");
    assert.equal(running.body["set"], false);
    assert.ok(Math.abs(Date.parse(String(running.body["now"])) - Date.now()) < 10_000);
    const ahead = toTimestamp(addSeconds(machineNow(), 3600));
    const moved = await move(own, ahead);
    assert.deepEqual([moved.status, moved.body], [200, { now: ahead, ran: {} }]);
    assert.deepEqual((await own.call("GET", "/test-clock")).body, { now: ahead, set: true });
    const back = await move(own, toTimestamp(addSeconds(instant(ahead), -1)));
    assert.deepEqual([back.status, back.body["error"]], [400, "invalid_request"]);
    assert.deepEqual((await own.call("GET", "/test-clock")).body["now"], ahead);
    assert.deepEqual((await move(own, ahead)).body, { now: ahead, ran: {} });
  });

  test("can be stopped where it is, as the caller read it a moment ago", async () => {
    const own = await another({ clockAt: null });
    const { body } = await own.call("GET", "/test-clock");
    const stopped = await move(own, body["now"]);
    assert.equal(stopped.status, 200);
    const stands = String(stopped.body["now"]);
    assert.ok(Date.parse(stands) >= Date.parse(String(body["now"])), "it never goes back");
    assert.deepEqual((await own.call("GET", "/test-clock")).body, { now: stands, set: true });
    const other = await another({ clockAt: null });
    assert.equal((await move(other, toTimestamp(addSeconds(machineNow(), -60)))).status, 400);
    assert.equal((await other.call("GET", "/test-clock")).body["set"], false);
  });

  for (const now of [undefined, null, 5, "tomorrow", "2026-11-21", "2026-11-31T10:00:00Z", "9000-01-01T00:00:00Z"])
    test(`is not moved to ${JSON.stringify(now)}`, async () => {
      const answer = await move(merchant, now);
      assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"]);
    });

  test("answers once the due work has run, with the number of each kind", async () => {
    const own = await another();
    const receiver = await openReceiver({ after }, (response) => response.writeHead(500).end());
    const { body } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    await own.call("POST", `/webhook-endpoints/${body["id"]}/test`);
    const moved = await move(own, at(72));
    assert.deepEqual(moved.body, { now: at(72), ran: { "event.react": 1, "webhook.deliver": 11 } });
    assert.equal(receiver.received.length, 11);
    const [delivery] = dataOf(await own.call("GET", "/webhook-deliveries"));
    assert.equal(delivery?.["status"], "parked");
    const audit = dataOf(await own.call("GET", "/audit-log")).find((entry) => entry["action"] === "POST /test-clock");
    assert.deepEqual(
      [audit?.["before"], audit?.["after"]],
      [
        { now: at(0), set: true },
        { now: at(72), set: true },
      ],
    );
  });

  test("everything follows it: timestamps, and the end of a trial, which does not stop the clock", async () => {
    const own = await another({ state: "trial", trialEndsAt: addSeconds(BEGIN, 3600) });
    const first = await own.call("POST", "/webhook-endpoints", { url: "https://shop.example/hook" });
    assert.equal(first.body["createdAt"], at(0));
    await move(own, at(1));
    const refused = await own.call("POST", "/webhook-endpoints", { url: "https://shop.example/hook" });
    assert.deepEqual([refused.status, refused.body["error"]], [403, "account_restricted"]);
    assert.equal((await move(own, at(2))).status, 200);
  });

  test("runs with real time again, unless it is ahead of it", async () => {
    const own = await another({ clockAt: instant("2020-01-01T00:00:00Z") });
    const released = await own.call("DELETE", "/test-clock");
    assert.deepEqual([released.status, released.body["set"]], [200, false]);
    assert.ok(Math.abs(Date.parse(String(released.body["now"])) - Date.now()) < 10_000);
    assert.equal((await own.call("DELETE", "/test-clock")).status, 200);

    await move(own, toTimestamp(addSeconds(machineNow(), 3600)));
    const refused = await own.call("DELETE", "/test-clock");
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
    assert.equal((await own.call("GET", "/test-clock")).body["set"], true);
  });

  test("is a sandbox organisation's, moved by owner and admin", async () => {
    const live = await another({ sandbox: false, clockAt: null });
    for (const answer of [
      await live.call("GET", "/test-clock"),
      await move(live, toTimestamp(addSeconds(machineNow(), 60))),
      await live.call("DELETE", "/test-clock"),
    ])
      assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
    const own = await another();
    for (const role of ["viewer", "support", "finance"] as const)
      assert.equal((await own.call("POST", "/test-clock", { now: at(1) }, role)).status, 403);
    assert.equal((await own.call("POST", "/test-clock", { now: at(1) }, "admin")).status, 200);
  });
});
