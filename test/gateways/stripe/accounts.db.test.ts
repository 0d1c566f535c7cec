import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { closeVerified } from "../../support/verified.ts";
import { pressPay } from "../payer.ts";

/*
 * Accounts at Stripe that change hands, and events of its test mode. A server stands in that answers by key, which no
 * other stand-in does.
 */

let api: TestApi;
let server: Server;
const sessions = new Map<string, { readonly owner: string; readonly session: Record<string, unknown> }>();

/** Two merchants: one with two keys, the other with one. */
const OWNERS: Readonly<Record<string, string>> = { sk_live_old: "one", sk_live_new: "one", sk_live_other: "two" };

before(async () => {
  server = createServer(async (request, response) => {
    const owner = OWNERS[(request.headers.authorization ?? "").replace("Bearer ", "")];
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (owner === undefined) return answer(401, { error: { message: "Invalid API Key" } });
    if (request.method === "POST") {
      const fields = new URLSearchParams(text);
      const reference = fields.get("client_reference_id");
      const session = {
        ...{ id: `cs_${sessions.size}`, status: "open", payment_status: "unpaid", client_reference_id: reference },
        ...{ amount_total: 10000, currency: "zar", created: 1 },
      };
      sessions.set(session.id, { owner, session });
      return answer(200, { ...session, url: `http://${request.headers.host}/page` });
    }
    const found = sessions.get(/sessions\/(\w+)/.exec(request.url ?? "")?.[1] ?? "");
    return found?.owner === owner
      ? answer(200, found.session)
      : answer(404, { error: { code: "resource_missing", message: "No such session" } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  api = await openApi({ GATEWAY_URL_STRIPE: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
after(() =>
  closeVerified(api).finally(() => {
    server.closeAllConnections();
    server.close();
  }),
);

/** A live account with a payment of 100.00 that waits on Stripe's page. */
async function open() {
  const shop = await api.addMerchant({ sandbox: false });
  const staff = await shop.signIn();
  const credentials = { secretKey: "sk_live_old", webhookSecret: "whsec_example" };
  const { body: account } = await staff<{ id: string; mode: string; notifyUrl: string }>("POST", "/gateways", {
    type: "stripe",
    credentials,
  });
  assert.equal(account.mode, "live", JSON.stringify(account));
  const link = await shop.post("/payment-links", { title: "Deposit", amount: 100, customerEmail: "t@example.co.za" });
  await pressPay(api, String(link.body["url"]), { gateway: account.id, email: "t@example.co.za" });
  const [row] = await api.query<{ reference: string; checkout_ref: string }>(
    "select reference, checkout_ref from transactions where organisation_id = $1",
    shop.organisation.id,
  );
  return { shop, staff, account, row: row ?? assert.fail() };
}

test("a renewed key of the same merchant is taken while a payment is open; another merchant's is not", async () => {
  const { staff, account, row } = await open();
  const patch = (secretKey: string) => staff("PATCH", `/gateways/${account.id}`, { credentials: { secretKey } });
  assert.equal((await patch("sk_live_new")).status, 200);
  const refused = await patch("sk_live_other");
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /another merchant's at Stripe, and a payment of this account is open/);
  await api.query("update transactions set status = 'failed' where reference = $1 returning id", row.reference);
  assert.equal((await patch("sk_live_other")).status, 200);
  await api.query("update transactions set status = 'pending' where reference = $1 returning id", row.reference);
});

test("an event of Stripe's test mode pays nothing at a live account: 200, and staff see why", async () => {
  const { shop, staff, account, row } = await open();
  const send = async (livemode: boolean) => {
    const session = { ...sessions.get(row.checkout_ref)?.session, status: "complete", payment_status: "paid" };
    const event = { id: "evt_1", type: "checkout.session.completed", created: 1, livemode, data: { object: session } };
    const body = JSON.stringify(event);
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac("sha256", "whsec_example").update(`${t}.${body}`).digest("hex");
    const headers = { "content-type": "application/json", "stripe-signature": `t=${t},v1=${v1}` };
    return fetch(account.notifyUrl, { method: "POST", headers, body });
  };
  const status = async () => (await shop.get(`/transactions/${row.reference}`)).body["status"];
  assert.equal((await send(false)).status, 200);
  assert.equal(await status(), "pending");
  const { body: health } = await staff<{ notifications: { lastRefusal: string } }>(
    "GET",
    `/gateways/${account.id}/health`,
  );
  assert.match(health.notifications.lastRefusal, /test payment/);
  assert.equal((await send(true)).status, 200);
  assert.equal(await status(), "complete");
});
