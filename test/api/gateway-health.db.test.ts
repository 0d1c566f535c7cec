import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decideAt, pressPay } from "../gateways/payer.ts";
import { standIn as payfast } from "../gateways/payfast/stand-in.ts";
import { openStandIn, type StandIn } from "../gateways/stand-in.ts";
import { standIn as yocoProtocol } from "../gateways/yoco/stand-in.ts";
import { type Answer, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { openPage, type Shown } from "../support/cards.ts";
import { openStandIn as openSandbox, type StandIn as Sandbox } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* What staff see of a gateway: a test of its credentials, its state, and what payers are offered while it is down. */

let api: TestApi;
let gateway: StandIn;
let yoco: StandIn;
let sandbox: Sandbox;
before(async () => {
  gateway = await openStandIn(payfast);
  yoco = await openStandIn(yocoProtocol);
  sandbox = await openSandbox();
  api = await openApi({
    GATEWAY_URL_PAYFAST: gateway.url,
    GATEWAY_URL_YOCO: yoco.url,
    GATEWAY_URL_SANDBOX: sandbox.url,
  });
});
after(async () => {
  await closeVerified(api).finally(() => Promise.all([gateway.close(), yoco.close(), sandbox.close()]));
});

const add = async (staff: StaffCall, body: object): Promise<string> => {
  const added = await staff<{ id: string }>("POST", "/gateways", body);
  assert.equal(added.status, 201, added.text);
  return added.body.id;
};

describe("a connection test", () => {
  const { credentials } = payfast;
  const wrong = { ...credentials, passphrase: "not the passphrase" };
  const said = ({ status, body }: Answer): unknown[] => [status, body["result"] ?? body["error"]];

  test("says before anything is saved whether the gateway takes the credentials", async () => {
    const shop = await api.addMerchant();
    const staff = await shop.signIn();
    const ask = (body: object) => staff("POST", "/gateways/test", { type: "payfast", ...body });
    assert.deepEqual(said(await ask({ credentials })), [200, "works"]);
    const refused = await ask({ credentials: wrong });
    assert.deepEqual(said(refused), [200, "refused"]);
    assert.match(String(refused.body["message"]), /Merchant authorisation failed/);
    assert.ok(!refused.text.includes(wrong.passphrase));
    gateway.failAnswers({ kind: "error" });
    assert.deepEqual(said(await ask({ credentials })), [200, "unclear"]);
    gateway.failAnswers({ kind: "redirect" });
    assert.deepEqual(said(await ask({ credentials })), [200, "unclear"]);
    assert.deepEqual(said(await ask({ credentials: { merchantId: "1" } })), [400, "invalid_request"]);
    assert.deepEqual(said(await ask({ type: "nosuch" })), [400, "invalid_request"]);
    assert.deepEqual(said(await staff("POST", "/gateways/test", { type: "sandbox" })), [200, "not_asked"]);
    assert.deepEqual((await staff("GET", "/gateways")).body["data"], []);
  });

  test("of an account takes its credentials, or changed ones, and changes nothing", async () => {
    const shop = await api.addMerchant();
    const staff = await shop.signIn();
    const id = await add(staff, { type: "payfast", credentials });
    const ask = (body: object, of = id) => staff("POST", `/gateways/${of}/test`, body);
    assert.deepEqual(said(await ask({})), [200, "works"]);
    assert.deepEqual(said(await ask({ credentials: { passphrase: wrong.passphrase } })), [200, "refused"]);
    assert.deepEqual(said(await ask({})), [200, "works"]);
    assert.deepEqual(said(await ask({}, "gw_0")), [404, "not_found"]);
    const other = await (await api.addMerchant()).signIn();
    assert.deepEqual(said(await other("POST", `/gateways/${id}/test`, {})), [404, "not_found"]);
    const viewer = await shop.signIn("viewer");
    assert.deepEqual(said(await viewer("POST", `/gateways/${id}/test`, {})), [403, "permission_required"]);
    assert.equal((await viewer("GET", `/gateways/${id}/health`)).status, 200);
  });
});

/** The gateways that the page offers, in its order; the first is chosen. */
async function offered(url: string): Promise<string[]> {
  const { text } = await openPage(api, url);
  return [
    ...text.matchAll(/<input[^>]*name="gateway"[^>]*value="(gw_\w+)"|<input[^>]*value="(gw_\w+)"[^>]*name="gateway"/g),
  ].map(([, one, other]) => one ?? other ?? "");
}

test("a gateway that is down is offered last, until it answers; nothing runs on two", async () => {
  const shop = await api.addMerchant();
  const staff = await shop.signIn();
  const first = await add(staff, { type: "sandbox" });
  const second = await add(staff, { type: "payfast", credentials: payfast.credentials });
  const { url } = (await shop.post("/payment-links", { title: "Deposit", amount: 100 })).body;
  const health = async (id: string) => (await staff<Shown>("GET", `/gateways/${id}/health`)).body;
  const page = String(url);
  const fields = { gateway: first, email: "payer@example.org" };
  const press = () =>
    api.call("POST", new URL(page).pathname, {
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
    });
  assert.deepEqual(await offered(page), [first, second]);
  sandbox.replies.set("POST checkouts", () => "hang up");
  for (let n = 1; n <= 3; n++) {
    assert.deepEqual(await offered(page), [first, second], "several in a row");
    const { status, text } = await press();
    assert.equal(status, 503);
    assert.match(text, /does not answer/);
    // As long as it may answer the next time, the payer's choice stays.
    assert.equal(/value="(gw_\w+)"[^>]* checked/.exec(text)?.[1], n < 3 ? first : second);
    assert.partialDeepStrictEqual(await health(first), { unclearCalls: { inARow: n, count: n } });
  }
  assert.deepEqual(await offered(page), [second, first]);
  assert.equal((await health(first))["status"], "down");
  // The payer pays by the other one. Each earlier attempt is another payment, whose page no payer opened.
  await decideAt(api, await pressPay(api, page, { ...fields, gateway: second }), "paid");
  const made = await api.query<{ status: string; type: string }>(
    "select status, gateway_type as type from transactions where organisation_id = $1 order by id",
    shop.organisation.id,
  );
  assert.deepEqual(
    made.map(({ status, type }) => `${type} ${status}`),
    ["sandbox pending", "sandbox pending", "sandbox pending", "payfast complete"],
  );
  const more = String((await shop.post("/payment-links", { title: "Deposit", amount: 100 })).body["url"]);
  sandbox.replies.set("POST checkouts", ({ body }) => ({
    status: 201,
    json: { id: `sbc_${body["reference"]}`, redirectUrl: "https://pay.example/x" },
  }));
  await pressPay(api, more, fields);
  assert.deepEqual(await offered(more), [first, second]);
  assert.partialDeepStrictEqual(await health(first), { status: "up", unclearCalls: { inARow: 0, count: 3 } });
  // Some time later it is tried again all the same.
  await api.query("update gateway_health set unclear_in_a_row = 3, last_unclear_at = now() - interval '301 seconds'");
  assert.deepEqual(await offered(more), [first, second]);
  assert.equal((await health(first))["status"], "failing");
});

test("what another process could not reach is up again once this one has an answer", async () => {
  const shop = await api.addMerchant();
  const staff = await shop.signIn();
  const id = await add(staff, { type: "sandbox" });
  const formId = await add(staff, { type: "payfast", credentials: payfast.credentials });
  const { organisation } = shop;
  await api.query(
    `insert into gateway_health (organisation_id, gateway_account_id, unclear_count, unclear_in_a_row, last_unclear_at, last_unclear)
     select $1, unnest($2::text[]), 3, 3, now(), 'no answer'`,
    organisation.id,
    [id, formId],
  );
  const { url } = (await shop.post("/payment-links", { title: "Deposit", amount: 100, singleUse: false })).body;
  for (const gateway of [id, formId]) await pressPay(api, String(url), { gateway, email: "payer@example.org" });
  const healthOf = async (gateway: string) => (await staff<Shown>("GET", `/gateways/${gateway}/health`)).body;
  assert.partialDeepStrictEqual(await healthOf(id), { status: "up", unclearCalls: { inARow: 0, count: 3 } });
  assert.equal((await healthOf(formId))["status"], "down", "its form was made here");
});

test("a gateway that cannot say how a refund ended is not down for that", async () => {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const id = await add(staff, { type: "yoco", credentials: yoco.credentials });
  const { url } = (await shop.post("/payment-links", { title: "Deposit", amount: 100 })).body;
  await decideAt(api, await pressPay(api, String(url), { gateway: id, email: "payer@example.org" }), "paid");
  const { reference } = yoco.payments().at(-1) ?? assert.fail();
  const refund = await staff<Shown>("POST", `/transactions/${reference}/refunds`, { amount: 40 });
  assert.equal(refund.status, 201, refund.text);
  const { body } = await staff<{ ran: Shown }>("POST", "/test-clock", { now: "2027-03-03T10:00:00Z" });
  assert.ok(Number(body.ran["refund.check"]) > 3, "it was asked about more often than a gateway may fail");
  const { body: health } = await staff<Shown>("GET", `/gateways/${id}/health`);
  assert.partialDeepStrictEqual(health, { status: "up", unclearCalls: { count: 0, inARow: 0 } });
});

test("refused notifications are counted, and what came of payments is told", async () => {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const id = await add(staff, { type: "payfast", credentials: payfast.credentials });
  const pay = async (outcome: string) => {
    const { url } = (await shop.post("/payment-links", { title: "Deposit", amount: 100 })).body;
    await decideAt(api, await pressPay(api, String(url), { gateway: id, email: "payer@example.org" }), outcome);
  };
  const health = async () => (await staff<Shown>("GET", `/gateways/${id}/health`)).body;
  assert.partialDeepStrictEqual(await health(), {
    status: "up",
    notifications: { lastAt: null, applied: 0, refused: 0, lastRefusal: null },
    payments: { expected: 0, seen: 0, foundByAsking: 0, waiting: 0 },
  });
  await pay("paid");
  // A refund is no payment that was found by asking.
  const reference = gateway.payments().at(-1)?.reference;
  assert.equal((await staff("POST", `/transactions/${reference}/refunds`, { amount: 10 })).status, 201);
  gateway.failNotices({ kind: "forged" });
  await pay("paid");
  gateway.failNotices({ kind: "lost" });
  await pay("paid");
  assert.partialDeepStrictEqual(await health(), {
    notifications: {
      lastAt: "2027-03-01T10:00:00.000Z",
      applied: 1,
      refused: 1,
      lastRefusal: "The signature is wrong.",
    },
    payments: { expected: 1, seen: 1, foundByAsking: 0, waiting: 0 },
  });
  gateway.failAnswers({ kind: "error", on: "GET /transactions", times: 100 });
  assert.equal((await staff("POST", "/test-clock", { now: "2027-03-01T12:00:00Z" })).status, 200);
  const waiting = await health();
  assert.partialDeepStrictEqual(waiting, {
    payments: { expected: 3, seen: 1, foundByAsking: 0, waiting: 2, oldestWaitingSince: "2027-03-01T10:00:00.000Z" },
  });
});
