import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../../test/support/api.ts";
import { eventually } from "../../../test/support/processes.ts";
import { Tefo } from "../src/index.ts";
import { forNode, type NodeRequest, type NodeResponse } from "../src/webhooks/adapters.ts";

let api: TestApi;
before(async () => {
  api = await openApi({ PROCESS: "all" });
});
after(() => api.close());

/** A receiver of a merchant of its own, which can be made to lose deliveries. */
async function openReceiver() {
  const shop = await api.addMerchant();
  const tefo = new Tefo({ apiKey: shop.key, baseUrl: api.baseUrl });
  const seen: string[] = [];
  let loses = false;
  let refused = 0;
  let listener: (request: NodeRequest, response: NodeResponse) => unknown = () => {};
  const server: Server = createServer((request, response) => {
    if (!loses) return listener(request, response);
    refused += 1;
    return response.writeHead(500).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id, secret } = await tefo.webhookEndpoints.create({ url });
  const handler = tefo.webhooks.handler({
    secret,
    on: {
      "customer.created": ({ data }) => void seen.push(`created ${data.externalReference}`),
      "customer.updated": ({ data }) => void seen.push(`updated ${data.firstName}`),
      "*": ({ type }) => void seen.push(type),
    },
  });
  listener = forNode(handler);
  return {
    tefo,
    handler,
    server,
    seen,
    endpoint: id,
    refused: () => refused,
    lose: (value: boolean) => (loses = value),
  };
}

test("what deliveries lose, the handler reads, and gives it in order and once", async () => {
  const { tefo, handler, server, seen, endpoint, refused, lose } = await openReceiver();
  const { id } = await tefo.customers.create({ externalReference: "shop-1", email: "thandi@example.co.za" });
  await eventually("the first event is delivered", async () => seen.length === 1);
  lose(true);
  await tefo.customers.update(id, { firstName: "Lost" });
  await eventually("the second is lost", async () => refused() === 1);
  lose(false);
  await tefo.customers.update(id, { firstName: "Thandi" });
  const both = ["created shop-1", "updated Lost", "updated Thandi"];
  await eventually("the third is delivered, with the second before it", async () => seen.length === 3);
  assert.deepEqual(seen, both);
  const body = { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" };
  await tefo.request("POST", `/webhook-endpoints/${endpoint}/replay`, { body });
  await tefo.request("POST", `/webhook-endpoints/${endpoint}/test`);
  await eventually("the test event comes after the replay", async () => seen.includes("endpoint.test"));
  assert.deepEqual(
    seen.filter((one) => one !== "endpoint.test"),
    both,
  );
  assert.ok((await handler.catchUp("2020-01-01T00:00:00Z")) >= 3);
  assert.deepEqual(
    seen.filter((one) => one !== "endpoint.test"),
    both,
  );
  server.close();
  server.closeAllConnections();
});
