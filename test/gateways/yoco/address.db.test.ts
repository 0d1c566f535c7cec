import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { realTime } from "../../../src/flows/context.ts";
import { addSeconds } from "../../../src/kernel/time.ts";
import { type ApiMerchant, openApi, type TestApi } from "../../support/api.ts";
import type { Shown } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { decideAt, pressPay } from "../payer.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* The address for messages that is registered at Yoco: it follows BASE_URL, and goes with the account. */

let standIn: StandIn;
/** The service as it was before its address changed, and after. */
let old: TestApi;
let api: TestApi;
before(async () => {
  standIn = await openStandIn(protocol);
  old = await openApi({ GATEWAY_URL_YOCO: standIn.url });
  api = await openApi({ ...old.environment, GATEWAY_URL_YOCO: standIn.url });
});
after(async () => {
  await closeVerified(api).finally(() => Promise.all([old.close(), standIn.close()]));
});

/** The addresses that are registered at Yoco. */
async function addresses(): Promise<string[]> {
  const headers = { authorization: `Bearer ${protocol.credentials["secretKey"]}` };
  const answer = await fetch(`${standIn.url}/api/webhooks`, { headers });
  return ((await answer.json()) as { subscriptions: { url: string }[] }).subscriptions.map(({ url }) => url);
}

/** A merchant whose account was added before the address changed. */
async function addShop() {
  const shop = await old.addMerchant();
  const staff = await shop.signIn();
  const added = await staff<{ id: string }>("POST", "/gateways", { type: "yoco", credentials: protocol.credentials });
  assert.equal(added.status, 201, added.text);
  return { shop, staff, id: added.body.id };
}

const addressAt = ({ baseUrl }: TestApi, id: string): string =>
  `${new URL(baseUrl).origin}/api/webhooks/yoco?account=${id}`;

/** Pays a link at the new address; answers where Yoco told of it. */
async function pay({ key }: ApiMerchant, id: string): Promise<string | undefined> {
  const body = { title: "Deposit", amount: 100 };
  const { body: link } = await api.call<Shown>("POST", "/api/v1/payment-links", { key, body });
  const location = await pressPay(api, String(link["url"]), { gateway: id, email: "thandi@example.co.za" });
  await decideAt(api, location, "paid");
  const { reference = "" } = standIn.payments().at(-1) ?? {};
  const { body: paid } = await api.call<Shown>("GET", `/api/v1/transactions/${reference}`, { key });
  assert.equal(paid["status"], "complete");
  return standIn.notices.at(-1)?.url;
}

test("after a change of BASE_URL the first payment registers the new address, and the next is told there", async () => {
  const { shop, id } = await addShop();
  assert.deepEqual(await addresses(), [addressAt(old, id)]);
  assert.equal(await pay(shop, id), addressAt(old, id));
  const { id: organisation } = shop.organisation;
  const soon = addSeconds(realTime(), 1);
  assert.equal((await api.services.runDue(organisation, soon))["gateway.reconnect"], 1);
  assert.deepEqual(await addresses(), [addressAt(api, id)]);
  assert.equal(await pay(shop, id), addressAt(api, id));
  assert.equal((await api.services.runDue(organisation, addSeconds(soon, 1)))["gateway.reconnect"], undefined);
});

test("an account that is deleted has no address at Yoco any more, also when Yoco does not answer at once", async () => {
  const before = await addresses();
  const { staff, id } = await addShop();
  assert.equal((await addresses()).length, before.length + 1);
  const deleted = await staff<{ id: string }>("DELETE", `/gateways/${id}`);
  assert.deepEqual([deleted.status, deleted.body.id], [200, id]);
  assert.deepEqual(await addresses(), before);
  const again = await addShop();
  standIn.failAnswers({ kind: "error", times: 9 });
  assert.equal((await again.staff("DELETE", `/gateways/${again.id}`)).status, 200);
  standIn.mend();
  assert.equal((await again.staff("GET", `/gateways/${again.id}/health`)).status, 404);
});
