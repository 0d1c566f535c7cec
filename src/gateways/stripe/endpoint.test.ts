import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "../../../test/support/gateways/calls.ts";
import { call, failure, fakeStripe, MISSING, received, SESSION } from "../../../test/support/gateways/stripe.ts";
import { stripe } from "./adapter.ts";
import { VERSION } from "./client.ts";

const { connect, disconnect, notifications } = stripe;
assert.ok(connect && disconnect && notifications);

const HERE = "https://pay.example/api/webhooks/stripe?account=gw_1";
const BEFORE = "https://old.example/api/webhooks/stripe?account=gw_1";
const OTHER = "https://pay.example/api/webhooks/stripe?account=gw_2";
const [KEY, LIST, MAKE] = [
  "GET /v1/checkout/sessions/cs_tefo_connection_test",
  "GET /v1/webhook_endpoints",
  "POST /v1/webhook_endpoints",
];
const DROP = "DELETE /v1/webhook_endpoints/we_old";
const MADE = { endpointId: "we_new", endpointSecret: "whsec_new", webhookUrl: HERE };

/** Connects an account without a signing secret of staff's, where these endpoints are registered; answers what was asked, too. */
async function connected(urls: Record<string, string>, kept: Record<string, string> = {}) {
  let made: Record<string, string> = {};
  const { http, seen } = fakeStripe({
    [KEY]: MISSING,
    [LIST]: json(200, { data: Object.entries(urls).map(([id, url]) => ({ id, url })) }),
    [DROP]: json(200, { id: "we_old", deleted: true }),
    [MAKE]: (fields) => {
      made = fields;
      return json(200, { id: "we_new", secret: "whsec_new" });
    },
  });
  const credentials = { secretKey: "sk_test_example", ...kept };
  const connection = await connect?.({ notifyUrl: HERE }, { ...call(http), credentials });
  return { connection, made, asked: seen.map(({ method, url }) => `${method} ${new URL(url).pathname}`) };
}

test("an account without a signing secret gets an endpoint in the pinned version, for the events that are read", async () => {
  const { connection, made, asked } = await connected({ we_other: OTHER });
  assert.deepEqual(connection, { kind: "connected", credentials: MADE });
  assert.equal(made["url"], HERE);
  assert.equal(made["api_version"], VERSION);
  assert.ok(Object.values(made).includes("checkout.session.completed"), JSON.stringify(made));
  assert.deepEqual(asked, [KEY, LIST, MAKE]);
});

test("it is registered once, and again at another address, where the one before is removed", async () => {
  const again = await connected({ we_new: HERE }, MADE);
  assert.deepEqual(again.connection, { kind: "connected", credentials: {} });
  assert.deepEqual(again.asked, [KEY, LIST]);
  const moved = await connected({ we_old: BEFORE }, { ...MADE, endpointId: "we_old", webhookUrl: BEFORE });
  assert.deepEqual(moved.connection, { kind: "connected", credentials: MADE });
  assert.deepEqual(moved.asked, [KEY, LIST, DROP, MAKE]);
});

test("with a signing secret of staff's nothing is registered", async () => {
  const { connection, asked } = await connected({}, { webhookSecret: "whsec_example" });
  assert.deepEqual(connection, { kind: "connected", credentials: {} });
  assert.deepEqual(asked, [KEY]);
});

test("a key that may not register one is refused, with what staff can do", async () => {
  const no = failure(403, { message: "This key does not have the required permissions" });
  const { http } = fakeStripe({ [KEY]: MISSING, [LIST]: no });
  const answer = await connect({ notifyUrl: HERE }, { ...call(http), credentials: { secretKey: "sk_test_example" } });
  assert.match(answer.kind === "refused" ? answer.reason : "", /required permissions.*enter its signing secret/);
});

test("the secret of the registered endpoint signs notifications", () => {
  const at = call(async () => assert.fail());
  const event = { id: "evt_1", type: "checkout.session.completed", created: 1, data: { object: SESSION } };
  const read = (credentials: Record<string, string>) =>
    notifications.read(received(event), { ...at, credentials }).kind;
  assert.equal(read({ endpointSecret: "whsec_example" }), "confirm");
  assert.equal(read({ endpointSecret: "whsec_another" }), "refused");
  assert.equal(read({}), "refused");
});

test("a deleted account has no endpoint left; one of staff's own is left to them", async () => {
  const { http, seen } = fakeStripe({
    [LIST]: json(200, {
      data: [
        { id: "we_old", url: HERE },
        { id: "we_other", url: OTHER },
      ],
    }),
    [DROP]: json(200, {}),
  });
  for (const [secret, calls] of [
    ["webhookSecret", 0],
    ["endpointSecret", 2],
  ] as const) {
    const credentials = { secretKey: "sk_test_example", [secret]: "whsec_1" };
    assert.deepEqual(await disconnect({ notifyUrl: HERE }, { ...call(http), credentials }), { kind: "disconnected" });
    assert.equal(seen.length, calls);
  }
});
