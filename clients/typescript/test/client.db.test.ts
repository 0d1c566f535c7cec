import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { addTransfers } from "../../../test/support/eft.ts";
import { pdfOf } from "../../../test/support/uploads.ts";
import { type Answered, cents, rand, Tefo } from "../src/index.ts";

let api: TestApi;
let shop: ApiMerchant;
let tefo: Tefo;
const answers: Answered[] = [];
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  await addTransfers(shop);
  tefo = new Tefo({ apiKey: shop.key, baseUrl: api.baseUrl, onAnswer: (answer) => answers.push(answer) });
});
after(() => api.close());

/** A way to the service that breaks the connection of these requests, by number from 1, after the service has answered. */
async function breakingProxy(breaks: readonly number[]) {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    count += 1;
    const isBroken = breaks.includes(count);
    const { pathname, search } = new URL(incoming.url ?? "/", api.baseUrl);
    const onward = request(
      new URL(`${pathname}${search}`, api.baseUrl),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        if (isBroken) answer.resume().on("end", () => outgoing.destroy());
        else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
      },
    );
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () => server.close(),
  };
}

describe("the client, of the real service,", () => {
  test("creates, reads, changes and removes", async () => {
    const customer = await tefo.customers.create({ externalReference: "shop-1", email: "thandi@example.co.za" });
    assert.equal((await tefo.customers.get(customer.id)).externalReference, "shop-1");
    assert.equal((await tefo.customers.update(customer.id, { firstName: "Thandi" })).firstName, "Thandi");
    const invoice = await tefo.invoices.create({
      customerId: customer.id,
      lines: [{ description: "Hosting", quantity: 1, unitPrice: rand("100.00") }],
    });
    assert.equal(invoice.total, 115);
    const endpoint = await tefo.webhookEndpoints.create({ url: "http://127.0.0.1:4000/" });
    await tefo.webhookEndpoints.delete(endpoint.id);
    await assert.rejects(tefo.webhookEndpoints.get(endpoint.id), { name: "NotFound", status: 404 });
  });

  test("reads a list to its end, page by page, and stops where it is told", async () => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1)
      made.push(
        (await tefo.paymentLinks.create({ title: `L ${at}`, amount: cents(1250), externalReference: "five" })).id,
      );
    const query = { externalReference: "five", limit: 2 };
    const found: string[] = [];
    for await (const link of tefo.paymentLinks.list(query)) found.push(link.id);
    assert.deepEqual(found, made.toReversed());
    const page = await tefo.paymentLinks.list(query);
    assert.deepEqual([page.data.length, page.hasMore], [2, true]);
    const backwards: string[] = [];
    for await (const one of tefo.paymentLinks.list({ ...query, endingBefore: made[0]! }).pages())
      backwards.push(...one.data.map(({ id }) => id));
    assert.deepEqual(backwards.toSorted(), made.slice(1).toSorted());
    const before = answers.length;
    for await (const _link of tefo.paymentLinks.list(query)) break;
    assert.equal(answers.length - before, 1);
  });

  test("filters by metadata", async () => {
    const link = await tefo.paymentLinks.create({ title: "With", amount: rand(10), metadata: { order: "77 a" } });
    const { data } = await tefo.paymentLinks.list({ metadata: { order: "77 a" } });
    assert.deepEqual(
      data.map(({ id }) => id),
      [link.id],
    );
  });

  test("makes one thing of a POST whose connection broke after it was done", async () => {
    const proxy = await breakingProxy([1, 2]);
    const through = new Tefo({ apiKey: shop.key, baseUrl: proxy.baseUrl });
    const link = await through.paymentLinks.create({ title: "Once", amount: rand("10.00"), externalReference: "once" });
    assert.equal(proxy.count(), 3);
    const { data } = await tefo.paymentLinks.list({ externalReference: "once" });
    assert.deepEqual(
      data.map(({ id }) => id),
      [link.id],
    );
    proxy.close();
  });

  test("uploads a file, and the bytes of a PDF come back", async () => {
    const order = await tefo.eftOrders.create({ amount: rand("250.00") });
    const reviewed = await tefo.request<{ status: string }>("POST", `/eft-orders/${order.id}/proof`, {
      form: { file: { name: "slip.pdf", data: pdfOf() } },
    });
    assert.equal(reviewed.status, "awaiting_review");
    const [invoice] = (await tefo.invoices.list()).data;
    const pdf = await tefo.invoices.getPdf(invoice!.id);
    assert.equal(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
      "%PDF-",
    );
  });

  test("throws errors by class, with what the service says", async () => {
    const wrong = tefo.paymentLinks.create({ title: "", amount: rand("10.00") });
    await assert.rejects(wrong, ({ name, status, error, issues, docUrl, requestId }) => {
      assert.deepEqual([name, status, error, issues[0].path], ["InvalidRequest", 400, "invalid_request", ["title"]]);
      assert.match(docUrl, /^https?:/);
      assert.ok(requestId);
      return true;
    });
    await assert.rejects(tefo.invoices.create({ customerId: "cus_none", lines: [] }), { name: "InvalidRequest" });
    const stranger = new Tefo({ apiKey: `tefo_00000000_${"a".repeat(43)}`, baseUrl: api.baseUrl });
    await assert.rejects(stranger.me.get(), { name: "Unauthorized", status: 401 });
    const { key } = await shop.addKey([], { scopes: ["invoices:read"] });
    const limited = new Tefo({ apiKey: key, baseUrl: api.baseUrl });
    await assert.rejects(limited.customers.list(), { name: "PermissionRequired", error: "permission_required" });
    const nowhere = new Tefo({ apiKey: key, baseUrl: "http://127.0.0.1:9", retries: 0 });
    await assert.rejects(nowhere.me.get(), { name: "ConnectionFailed", status: null });
  });

  test("hears of fields that the service does not know", async () => {
    const misspelt = { title: "Odd", amount: rand(10), external_reference: "x" };
    await tefo.paymentLinks.create(misspelt);
    assert.match(answers.at(-1)?.warnings ?? "", /externalReference/);
  });

  test("sets the clock of a sandbox", async () => {
    const sandbox = await api.addMerchant({ sandbox: true });
    const own = new Tefo({ apiKey: sandbox.key, baseUrl: api.baseUrl });
    const now = "2099-01-01T08:00:00.000Z";
    assert.equal((await own.request<{ now: string }>("POST", "/test-clock", { body: { now } })).now, now);
    assert.equal((await own.testClock.get()).now, now);
  });
});
