import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EVENTS, MAILS, REACTIONS, RECORDS, WORK } from "../../src/catalogue.ts";
import { appendEvent } from "../../src/events/outbox.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { eventEndpoints } from "../../src/http/resources/events.ts";
import { webhookEndpoints } from "../../src/http/resources/webhooks.ts";
import { type Instant, toTimestamp } from "../../src/kernel/time.ts";
import { CUSTOMER_STANDING_CHANGED } from "../../src/modules/customers/declarations.ts";
import { createMailer } from "../../src/platform/mailer.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import { startWorker, type Worker } from "../../src/worker/worker.ts";
import { addMerchant, dataOf, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";
import { isSigned } from "../support/signature.ts";
import { eventually, headerOf, openReceiver, type Received } from "../support/worker.ts";

const URL = "https://shop.example/hook";
const NO_SUCH = "we_00000000000000000000000000";

describe("webhook endpoints", () => {
  let merchant: Merchant;
  let worker: Worker;
  const outbound = createOutbound();
  before(async () => {
    merchant = await openMerchant(
      [...webhookEndpoints(EVENTS), ...eventEndpoints(EVENTS, RECORDS), ...auditLogEndpoints(RECORDS)],
      {
        sandbox: true,
      },
    );
    worker = startWorker({
      services: merchant.dashboard.services,
      outbound,
      mailer: createMailer(null),
      metrics: createMetrics(merchant.dashboard.services.db),
      work: WORK,
      reactions: REACTIONS,
      mails: MAILS,
      version: "1.2.3",
    });
  });
  after(async () => {
    await worker.stop();
    outbound.close();
    await merchant.close();
  });

  const another = (facts = {}) => addMerchant(merchant.dashboard, { sandbox: true, ...facts });

  test("are created with a secret that is shown this once", async () => {
    const own = await another();
    const created = await own.call("POST", "/webhook-endpoints", {
      url: URL,
      events: ["payment.complete", "payment.failed"],
    });
    assert.equal(created.status, 201);
    const { id, secret, createdAt, updatedAt, ...rest } = created.body;
    assert.match(String(id), /^we_[0-9a-z]{26}$/);
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      url: URL,
      events: ["payment.complete", "payment.failed"],
      enabled: true,
      disabledReason: null,
      failingSince: null,
    });
    const listed = await own.call("GET", "/webhook-endpoints");
    assert.deepEqual(dataOf(listed), [{ id, createdAt, updatedAt, ...rest }]);
    assert.deepEqual((await own.call("GET", `/webhook-endpoints/${id}`)).body, dataOf(listed)[0]);
    const audit = await own.call("GET", "/audit-log");
    assert.equal(dataOf(audit)[0]?.["action"], "POST /webhook-endpoints");
    assert.doesNotMatch(JSON.stringify(audit.body), /whsec_/);
  });

  test("take every event unless some are named", async () => {
    const own = await another();
    for (const [given, kept] of [
      [undefined, ["*"]],
      [["*"], ["*"]],
      [["payment.failed", "*"], ["*"]],
      [["payment.failed", "payment.failed"], ["payment.failed"]],
    ]) {
      const { body } = await own.call("POST", "/webhook-endpoints", { url: URL, events: given });
      assert.deepEqual(body["events"], kept);
    }
  });

  for (const [name, body, path] of [
    ["no URL", {}, ["url"]],
    ["a URL that is none", { url: "shop.example/hook" }, ["url"]],
    ["plain HTTP", { url: "http://shop.example/hook" }, ["url"]],
    ["a private address", { url: "https://10.0.0.7/hook" }, ["url"]],
    ["a loopback address over HTTPS", { url: "https://localhost/hook" }, ["url"]],
    ["an event that is none", { url: URL, events: ["payment.done"] }, ["events", 0]],
    ["no event at all", { url: URL, events: [] }, ["events"]],
    ["events that are no list", { url: URL, events: "*" }, ["events"]],
    ["enabled that is neither", { url: URL, enabled: "yes" }, ["enabled"]],
  ] as const)
    test(`are refused with ${name}`, async () => {
      const answer = await merchant.call("POST", "/webhook-endpoints", body);
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePath(answer), path);
    });

  test("may be on this machine for a sandbox organisation only", async () => {
    const local = { url: "http://127.0.0.1:8099/hook" };
    const live = await another({ sandbox: false });
    assert.equal((await live.call("POST", "/webhook-endpoints", local)).status, 400);
    const created = await live.call("POST", "/webhook-endpoints", { url: URL });
    assert.equal((await live.call("PATCH", `/webhook-endpoints/${created.body["id"]}`, local)).status, 400);
    const sandbox = await another();
    assert.equal((await sandbox.call("POST", "/webhook-endpoints", local)).status, 201);
  });

  test("are five at most, two requests at once included", async () => {
    const own = await another();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => own.call("POST", "/webhook-endpoints", { url: URL })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 201, 201, 400, 400, 400]);
    assert.equal(dataOf(await own.call("GET", "/webhook-endpoints")).length, 5);
  });

  test("need the REST API", async () => {
    const starter = await another({ plan: "starter" });
    const answer = await starter.call("POST", "/webhook-endpoints", { url: URL });
    assert.deepEqual([answer.status, answer.body["error"]], [403, "plan_restricted"]);
  });

  test("are changed by owner and admin, seen by all", async () => {
    const own = await another();
    for (const role of ["viewer", "support", "finance"] as const) {
      assert.equal((await own.call("GET", "/webhook-endpoints", undefined, role)).status, 200);
      const answer = await own.call("POST", "/webhook-endpoints", { url: URL }, role);
      assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
    }
    assert.equal((await own.call("POST", "/webhook-endpoints", { url: URL }, "admin")).status, 201);
  });

  test("of others are not found", async () => {
    const [own, other] = [await another(), await another()];
    const { body } = await own.call("POST", "/webhook-endpoints", { url: URL });
    for (const id of [body["id"], NO_SUCH, "x"]) {
      const at = `/webhook-endpoints/${id}`;
      const answers = [
        await other.call("GET", at),
        await other.call("PATCH", at, { enabled: false }),
        await other.call("DELETE", at),
        await other.call("POST", `${at}/rotate-secret`),
        await other.call("POST", `${at}/test`),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404, 404, 404],
      );
    }
  });

  test("keep their secret when changed, and what is left out", async () => {
    const own = await another();
    const receiver = await openReceiver({ after });
    const created = await own.call("POST", "/webhook-endpoints", { url: URL, events: ["payment.failed"] });
    const at = `/webhook-endpoints/${created.body["id"]}`;
    const { secret, ...before } = created.body;
    const changed = await own.call("PATCH", at, { url: receiver.url });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body, { ...before, url: receiver.url, updatedAt: changed.body["updatedAt"] });
    assert.deepEqual((await own.call("PATCH", at, { events: ["*"] })).body["events"], ["*"]);
    assert.equal((await own.call("POST", `${at}/test`)).status, 200);
    await eventually("delivered", () => receiver.received.length === 1);
    assert.equal(verifies(receiver.received[0], String(secret)), true);

    assert.equal((await own.call("PATCH", at, { enabled: false })).body["enabled"], false);
    const refused = await own.call("POST", `${at}/test`);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
  });

  test("rotate to a new secret, which signs beside the old one", async () => {
    const own = await another();
    const receiver = await openReceiver({ after });
    const { body } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    const rotated = await own.call("POST", `/webhook-endpoints/${body["id"]}/rotate-secret`);
    assert.equal(rotated.status, 200);
    assert.notEqual(rotated.body["secret"], body["secret"]);
    await own.call("POST", `/webhook-endpoints/${body["id"]}/test`);
    await eventually("delivered", () => receiver.received.length === 1);
    for (const secret of [rotated.body["secret"], body["secret"]])
      assert.equal(verifies(receiver.received[0], String(secret)), true);
  });

  test("are deleted, while their deliveries stay", async () => {
    const own = await another();
    const receiver = await openReceiver({ after });
    const { body } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    await own.call("POST", `/webhook-endpoints/${body["id"]}/test`);
    await eventually("delivered", () => receiver.received.length === 1);
    const deleted = await own.call("DELETE", `/webhook-endpoints/${body["id"]}`);
    assert.deepEqual([deleted.status, deleted.body["id"]], [200, body["id"]]);
    assert.deepEqual(dataOf(await own.call("GET", "/webhook-endpoints")), []);
    assert.equal(dataOf(await own.call("GET", `/webhook-deliveries?endpointId=${body["id"]}`)).length, 1);
  });

  test("show what happened and what was sent of it", async () => {
    const own = await another();
    let code = 500;
    const receiver = await openReceiver({ after }, (response) => {
      response.statusCode = code;
      response.end("out of order");
    });
    const { body: endpoint } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    const { body: event } = await own.call("POST", `/webhook-endpoints/${endpoint["id"]}/test`);
    assert.deepEqual(
      { ...event, id: null, created: null },
      {
        id: null,
        created: null,
        type: "endpoint.test",
        subject: endpoint["id"],
        sequence: 1,
        apiVersion: "1.16.0",
        sandbox: true,
        organisation: { id: own.organisation.id, slug: own.organisation.slug },
        data: { endpointId: endpoint["id"] },
      },
    );
    assert.deepEqual((await own.call("GET", `/events/${event["id"]}`)).body, event);
    assert.deepEqual(dataOf(await own.call("GET", "/events")), [event]);
    for (const found of [endpoint["id"], event["id"], "endpoint.test"])
      assert.deepEqual(dataOf(await own.call("GET", `/events?q=${found}`)), [event]);
    assert.deepEqual(dataOf(await own.call("GET", "/events?q=payment.complete")), []);
    const unknown = await own.call("GET", "/events?type=payment.completed");
    assert.deepEqual([unknown.status, unknown.body["error"]], [400, "invalid_request"]);
    assert.equal((await own.call("GET", "/events/evt_x")).status, 404);

    const deliveries = async (query = "") => dataOf(await own.call("GET", `/webhook-deliveries${query}`));
    await eventually("attempted", async () => ((await deliveries())[0]?.["attempts"] as unknown[])?.length === 1);
    const [delivery] = await deliveries();
    assert(delivery);
    assert.deepEqual((await own.call("GET", `/webhook-deliveries/${delivery["id"]}`)).body, delivery);
    assert.equal((await (await another()).call("GET", `/webhook-deliveries/${delivery["id"]}`)).status, 404);
    const [attempt] = delivery["attempts"] as Record<string, unknown>[];
    assert.deepEqual(
      [delivery["eventId"], delivery["eventType"], delivery["endpointId"], delivery["status"]],
      [event["id"], "endpoint.test", endpoint["id"], "pending"],
    );
    assert.ok(delivery["nextAttemptAt"]);
    assert.deepEqual(Object.keys(attempt ?? {}).toSorted(), [
      "at",
      "durationMs",
      "error",
      "responseExcerpt",
      "statusCode",
    ]);
    assert.deepEqual([attempt?.["statusCode"], attempt?.["responseExcerpt"]], [500, "out of order"]);
    for (const [query, count] of [
      [`?endpointId=${endpoint["id"]}&status=pending`, 1],
      [`?eventId=${event["id"]}`, 1],
      ["?status=delivered", 0],
      [`?q=${event["id"]}`, 1],
      [`?q=${delivery["id"]}`, 1],
      ["?q=endpoint.test", 1],
      ["?q=payment.complete", 0],
      ["?q=evt_x", 0],
      [`?endpointId=${NO_SUCH}`, 0],
    ] as const)
      assert.equal((await deliveries(query)).length, count, query);
    assert.equal((await own.call("GET", "/webhook-deliveries?status=nonsense")).status, 400);

    code = 200;
    const resent = await own.call("POST", `/webhook-deliveries/${delivery["id"]}/resend`, undefined, "support");
    assert.deepEqual([resent.status, resent.body["status"]], [200, "pending"]);
    await eventually("delivered", async () => (await deliveries())[0]?.["status"] === "delivered");
    assert.equal((await deliveries("?status=delivered")).length, 1);
    assert.equal(
      (await own.call("POST", `/webhook-deliveries/${delivery["id"]}/resend`, undefined, "viewer")).status,
      403,
    );
    assert.equal((await own.call("POST", "/webhook-deliveries/whd_x/resend")).status, 404);
  });

  test("that were given up are sent again together, since a time, to endpoints that are on", async () => {
    const own = await another();
    let code = 410;
    const receiver = await openReceiver({ after }, (response) => {
      response.statusCode = code;
      response.end();
    });
    const { body: endpoint } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    await own.call("POST", `/webhook-endpoints/${endpoint["id"]}/test`);
    const deliveries = async (query: string) => dataOf(await own.call("GET", `/webhook-deliveries${query}`));
    await eventually("given up", async () => (await deliveries("?status=failed,parked")).length === 1);
    const again = (body: object, role: "owner" | "viewer" = "owner") =>
      own.call("POST", "/webhook-deliveries/resend-failed", body, role);
    const since = "2020-01-01T00:00:00Z";
    assert.deepEqual(
      (await again({ since })).body,
      { deliveries: 0, hasMore: false, dryRun: false },
      "the endpoint is off",
    );
    code = 200;
    await own.call("PATCH", `/webhook-endpoints/${endpoint["id"]}`, { enabled: true });
    assert.deepEqual((await again({ since, dryRun: true })).body, { deliveries: 1, hasMore: false, dryRun: true });
    assert.equal((await deliveries("?status=failed,parked")).length, 1, "a dry run sends nothing");
    assert.equal((await again({ since: "2099-01-01T00:00:00Z" })).body["deliveries"], 0);
    assert.deepEqual(issuePath(await again({ since, endpointId: NO_SUCH })), ["endpointId"]);
    assert.equal((await again({ since }, "viewer")).status, 403);
    for (const body of [{}, { since: "yesterday" }, { since, endpointId: 7 }])
      assert.equal((await again(body)).status, 400, JSON.stringify(body));
    assert.equal((await again({ since, endpointId: endpoint["id"] })).body["deliveries"], 1);
    await eventually("delivered", async () => (await deliveries("?status=delivered")).length === 1);
  });

  test("of a time are replayed to an endpoint, each once, also those that it never had; and one event to any", async () => {
    const own = await another();
    const receiver = await openReceiver({ after });
    const { body: first } = await own.call("POST", "/webhook-endpoints", { url: receiver.url, enabled: false });
    const { body: other } = await own.call("POST", "/webhook-endpoints", { url: receiver.url });
    await own.call("POST", `/webhook-endpoints/${other["id"]}/test`);
    const replay = (id: unknown, body: object) => own.call("POST", `/webhook-endpoints/${id}/replay`, body);
    const from = "2020-01-01T00:00:00Z";
    assert.equal((await replay(first["id"], { from })).status, 409, "it is off");
    assert.equal((await replay(NO_SUCH, { from })).status, 404);
    await own.call("PATCH", `/webhook-endpoints/${first["id"]}`, { enabled: true });
    for (const body of [{}, { from, to: from }, { from, types: [] }, { from: "yesterday" }])
      assert.equal((await replay(first["id"], body)).status, 400, JSON.stringify(body));
    const { services } = merchant.dashboard;
    const at = new Date() as Instant;
    const standing = (customerId: string) => ({
      ...{ object: "account_standing" as const, customerId, status: "good" as const, currency: "ZAR", balance: 0 },
      ...{ overdueAmount: 0, oldestOverdueAt: null, credit: 0, openInvoices: 0, asOf: toTimestamp(at) },
      previousStatus: "overdue" as const,
    });
    await services.db.transaction(own.organisation.id, async (tx) => {
      for (const subject of ["cus_1", "cus_2"])
        appendEvent(tx, at, CUSTOMER_STANDING_CHANGED, subject, standing(subject));
    });
    const events = dataOf(await own.call("GET", "/events")).filter(({ type }) => type !== "endpoint.test");
    assert.equal(events.length, 2);
    const { status, body } = await replay(first["id"], { from });
    assert.deepEqual([status, body], [202, { events: events.length }]);
    const deliveries = async () => dataOf(await own.call("GET", `/webhook-deliveries?endpointId=${first["id"]}`));
    await eventually(
      "delivered",
      async () => (await deliveries()).filter(({ status: at }) => at === "delivered").length === events.length,
    );
    assert.deepEqual((await replay(first["id"], { from })).body, { events: events.length });
    assert.equal((await deliveries()).length, events.length, "a second replay makes no second delivery of an event");
    assert.deepEqual((await replay(first["id"], { from, types: ["invoice.paid"] })).body, { events: 0 });
    assert.deepEqual((await replay(first["id"], { from, types: ["*"] })).body, { events: events.length });
    assert.deepEqual(issuePath(await replay(first["id"], { from, types: ["no.such"] })), ["types", 0]);
    const [test] = dataOf(await own.call("GET", "/events?type=endpoint.test"));
    const sent = await own.call("POST", `/events/${test?.["id"]}/send`, { endpointId: first["id"] });
    assert.deepEqual([sent.status, sent.body["endpointId"], sent.body["status"]], [200, first["id"], "pending"]);
    assert.equal((await own.call("POST", `/events/${test?.["id"]}/send`, { endpointId: NO_SUCH })).status, 400);
  });

  test("are about the kinds of events that can be subscribed to", async () => {
    const types = dataOf(await (await another()).call("GET", "/event-types"));
    assert.deepEqual(
      types.map(({ type }) => type),
      EVENTS.map(({ name }) => name),
    );
    assert.ok(types.every(({ about }) => typeof about === "string" && about !== ""));
  });

  test("are listed page by page where a limit is given, in both directions", async () => {
    const staff = await another();
    const ask = (query: string) => staff.call("GET", `/event-types?${query}`);
    const names = EVENTS.map(({ name }) => name);
    const read: unknown[] = [];
    for (let after = ""; ; ) {
      const { body } = await ask(`limit=7${after && `&startingAfter=${after}`}`);
      read.push(...dataOf({ body } as never).map(({ type }) => type));
      assert.equal(body["hasMore"], read.length < names.length);
      if (!body["hasMore"]) break;
      after = String(body["nextCursor"]);
    }
    assert.deepEqual(read, names);
    const before = await ask(`limit=2&endingBefore=${names[3]}`);
    assert.deepEqual(
      dataOf(before).map(({ type }) => type),
      names.slice(1, 3),
    );
    assert.deepEqual([before.body["hasMore"], before.body["nextCursor"]], [true, names[1]]);
    const first = await ask(`limit=2&endingBefore=${names[1]}`);
    assert.deepEqual([dataOf(first).length, first.body["hasMore"], first.body["nextCursor"]], [1, false, null]);
    for (const query of ["startingAfter=no.such", `startingAfter=${names[0]}&endingBefore=${names[1]}`])
      assert.equal((await ask(query)).status, 400, query);
  });
});

const verifies = (received: Received | undefined, secret: string): boolean =>
  received !== undefined && isSigned(headerOf(received, "service-signature"), received.body, secret);
