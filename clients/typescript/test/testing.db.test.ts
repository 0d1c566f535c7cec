import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { addCard, openCardShop } from "../../../test/support/cards.ts";
import { Conflict, type CustomerSubscription, PermissionRequired, rand, Tefo, WebhookRefused } from "../src/index.ts";
import { eventOf, later, newWebhookSecret, sandboxOf, signedWebhook } from "../src/testing.ts";
import { createHandler } from "../src/webhooks/handler.ts";
import { verify } from "../src/webhooks/verify.ts";
import { delivered, readerOf } from "./deliveries.ts";

let api: TestApi;
before(async () => {
  api = await openApi({ PROCESS: "all" });
});
after(() => api.close());

const clientOf = ({ key }: ApiMerchant): Tefo => new Tefo({ apiKey: key, baseUrl: api.baseUrl });

describe("a sandbox in the hands of a test", () => {
  test("lives through a year of renewals, of which the third fails", async () => {
    const cards = await openCardShop(api);
    await addCard(cards);
    const tefo = clientOf(cards.shop);
    const sandbox = sandboxOf(tefo);
    const { id: packageId } = await tefo.packages.create({ name: "Hosting" });
    const plan = await tefo.packages.createPlan(packageId, {
      name: "Gold",
      amount: rand("100.00"),
      frequency: "monthly",
      taxExempt: true,
    });
    const { id } = (await tefo.customerSubscriptions.create({
      customer: { id: cards.customer },
      planId: plan.id,
      collectionMethod: "gateway",
      paidThrough: later(await sandbox.now(), "1mo").slice(0, 10),
    })) as CustomerSubscription & { readonly id: string };
    await sandbox.next("renewal", [null, null, "insufficient_funds"], { subscriptionId: id });
    const { now, ran } = await sandbox.forward("1y");
    assert.equal(now, later("2027-03-01T10:00:00.000Z", "1y"));
    assert.ok(Object.keys(ran).length > 0);
    const failed = (await tefo.events.list({ type: "subscription.payment_failed" })).data;
    assert.equal(failed.length, 1);
    assert.match(failed[0]?.created ?? "", /^2027-06/);
    assert.equal((await tefo.customerSubscriptions.get(id)).status, "active");
  });

  test("is as it was after a test, whether that ends well or throws", async () => {
    const tefo = clientOf(await api.addMerchant({ clockAt: new Date("2027-01-31T08:00:00Z") as never }));
    const sandbox = sandboxOf(tefo);
    const count = async () => (await tefo.customers.list()).data.length;
    const inside = await sandbox.rewinding(async () => {
      await tefo.customers.create({ email: "thandi@example.co.za" });
      await sandbox.to(new Date("2027-03-01T08:00:00Z"));
      return count();
    });
    assert.deepEqual([inside, await count(), await sandbox.now()], [1, 0, "2027-01-31T08:00:00.000Z"]);
    const failing = sandbox.rewinding(async () => {
      await tefo.customers.create({ email: "thandi@example.co.za" });
      throw new Error("the test fails");
    });
    await assert.rejects(failing, /the test fails/);
    assert.equal(await count(), 0);
    assert.deepEqual((await tefo.testClock.listSnapshots()).data, []);
  });

  test("goes on with a move that took longer than a request may", async () => {
    const tefo = clientOf(await api.addMerchant({ clockAt: new Date("2027-01-31T08:00:00Z") as never }));
    let moves = 0;
    const stopped = new Tefo({
      apiKey: "tefo_1",
      baseUrl: api.baseUrl,
      // The first move stops on the way, as one does after 270 seconds.
      fetch: async (url, init) => {
        const { pathname } = new URL(String(url));
        if (pathname !== "/api/v1/test-clock" || init?.method !== "POST")
          return Response.json(await tefo.testClock.get());
        moves += 1;
        const now = moves === 1 ? "2027-02-10T08:00:00.000Z" : (JSON.parse(String(init.body)) as { now: string }).now;
        const moved = await tefo.testClock.move({ now });
        return moves === 1
          ? Response.json({ error: "invalid_state", message: "It takes too long." }, { status: 409 })
          : Response.json(moved);
      },
    });
    assert.equal((await sandboxOf(stopped).forward("1mo")).now, "2027-02-28T08:00:00.000Z");
    assert.equal(moves, 2);
    const stuck = new Tefo({
      apiKey: "tefo_1",
      baseUrl: api.baseUrl,
      fetch: async (_url, init) =>
        init?.method === "POST"
          ? Response.json({ error: "invalid_state", message: "No." }, { status: 409 })
          : Response.json(await tefo.testClock.get()),
    });
    await assert.rejects(sandboxOf(stuck).forward("1d"), Conflict);
  });

  test("is none where money is real", async () => {
    const sandbox = sandboxOf(clientOf(await api.addMerchant({ sandbox: false })));
    await assert.rejects(sandbox.forward("1d"), PermissionRequired);
    await assert.rejects(
      sandbox.rewinding(async () => assert.fail("the test does not run")),
      PermissionRequired,
    );
  });
});

test("durations are added to a time", () => {
  const now = "2027-01-31T08:00:00.000Z";
  for (const [by, then] of [
    ["90m", "2027-01-31T09:30:00.000Z"],
    ["30d", "2027-03-02T08:00:00.000Z"],
    ["2w", "2027-02-14T08:00:00.000Z"],
    ["1mo", "2027-02-28T08:00:00.000Z"],
    ["13mo", "2028-02-29T08:00:00.000Z"],
    ["1y", "2028-01-31T08:00:00.000Z"],
  ] as const)
    assert.equal(later(now, by), then, by);
  for (const wrong of ["", "1", "d", "1.5d", "-1d"]) assert.throws(() => later(now, wrong), RangeError);
});

describe("a signed webhook", () => {
  test("is what the service sends, and what a handler takes", async () => {
    const secret = newWebhookSecret();
    const event = eventOf({ type: "endpoint.test", data: { endpointId: "we_1" }, subject: "we_1" });
    const at = Date.now();
    const { body, headers } = await signedWebhook(event, secret, { at });
    const own = delivered(event, [secret], Math.floor(at / 1000));
    const { "User-Agent": _agent, ...sent } = own.headers;
    assert.deepEqual({ body, headers }, { body: own.body, headers: sent });
    const seen: unknown[] = [];
    const handler = createHandler(
      readerOf(() => []),
      { secret, on: { "endpoint.test": ({ data }) => void seen.push(data.endpointId) } },
    );
    assert.equal((await handler.receive(body, headers)).status, 204);
    assert.deepEqual(seen, ["we_1"]);
    await assert.rejects(verify(body, headers, newWebhookSecret()), WebhookRefused);
    const old = await signedWebhook(event, secret, { at: at - 310_000 });
    await assert.rejects(verify(old.body, old.headers, secret), WebhookRefused);
  });

  test("has an event of your own making", () => {
    const data = { id: "cus_1" } as never;
    const event = eventOf({ type: "customer.created", data });
    assert.deepEqual([event.subject, event.sequence, event.apiVersion], ["cus_1", 1, Tefo.apiVersion]);
    assert.match(event.id, /^evt_[0-9a-f]{32}$/);
    assert.equal(eventOf({ type: "customer.created", data, sequence: 3 }).sequence, 3);
    assert.equal(eventOf({ type: "payment.complete", data: { reference: "TEFO-1" } as never }).subject, "TEFO-1");
  });
});
