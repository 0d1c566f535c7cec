import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { saveCard } from "../../src/flows/cards/save-card.ts";
import { lockCards, TOKEN_COLUMN } from "../../src/modules/cards/store.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, cardsNow, eventsOf, openCardShop, type Shown } from "../support/cards.ts";
import { openStandIn, reportedPayment, type StandIn } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api);
  await gateway.close();
});

const SECRET = "whsec_example";
const STRIPE = { type: "stripe", credentials: { secretKey: "sk_test_x", webhookSecret: SECRET } } as const;
const DETAILS = {
  token: `sct_${"0".repeat(24)}_4242`,
  brand: "visa",
  last4: "4242",
  expiryMonth: 4,
  expiryYear: 2027,
  holderName: "T Nkosi",
  fingerprint: "fp_1",
} as const;

/** Saves the default card of the shop's customer, as a set-up does. */
async function addCard({ shop, account, customer }: CardShop): Promise<void> {
  const ctx = await shop.ctx();
  const saved = {
    gatewayAccountId: account.id,
    details: DETAILS,
    source: "card_setup",
    makeDefault: "always",
  } as const;
  await api.services.db.transaction(ctx.organisation.id, async (tx) =>
    saveCard(tx, ctx, await lockCards(tx, customer), { ...saved, customerId: customer as never }),
  );
}

/** Sends Stripe's event of a saved card, signed; answers the status. */
async function renew({ account }: CardShop, card: object, previous: object = {}, secret: string = SECRET) {
  const object = {
    id: "pm_1",
    card: { brand: "visa", last4: "4242", exp_month: 5, exp_year: 2031, fingerprint: "fp_1", ...card },
  };
  const type = "payment_method.automatically_updated";
  const body = JSON.stringify({ id: "evt_1", type, created: 1, data: { object, previous_attributes: previous } });
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
  const headers = { "stripe-signature": `t=${t},v1=${v1}` };
  return (await api.call("POST", `/api/webhooks/stripe?account=${account.id}`, { body, headers })).status;
}

const outcomes = async ({ account }: CardShop) =>
  (
    await api.query<{ outcome: string }>(
      "select outcome from gateway_notifications where gateway_account_id = $1 order by id",
      account.id,
    )
  ).map(({ outcome }) => outcome);

const only = async (stage: CardShop): Promise<Shown> => {
  const cards = await cardsNow(stage, "?includeRemoved=true");
  assert.equal(cards.length, 1);
  return cards[0] ?? {};
};

test("a card that its network renewed keeps its id, does not expire, and is told anew before the new expiry", async () => {
  const stage = await openCardShop(api, {}, STRIPE);
  await addCard(stage);
  const saved = await only(stage);
  await stage.move("2027-04-10T10:00:00.000Z");
  assert.equal((await only(stage))["expiring"], true);
  assert.deepEqual([await renew(stage, {}, {}, "whsec_other"), (await only(stage))["expiryYear"]], [400, 2027]);
  assert.deepEqual(
    [await renew(stage, {}), await renew(stage, {}), await renew(stage, { exp_year: 2029 })],
    [200, 200, 200],
  );
  assert.deepEqual(await only(stage), { ...saved, expiryMonth: 5, expiryYear: 2031 });
  assert.deepEqual(await outcomes(stage), ["applied", "repeated", "repeated"]);
  await stage.move("2027-05-02T10:00:00.000Z");
  assert.equal((await only(stage))["status"], "active");
  assert.equal((await eventsOf(stage, "%.expiring")).length, 1);
  await stage.move("2031-05-10T10:00:00.000Z");
  assert.equal((await eventsOf(stage, "%.expiring")).length, 2);
  assert.equal((await eventsOf(stage, "%.added")).length, 1, "it could pay all the time");
});

test("an expired card can pay again, also under another number", async () => {
  const stage = await openCardShop(api, {}, STRIPE);
  await addCard(stage);
  const saved = await only(stage);
  await stage.move("2027-05-02T10:00:00.000Z");
  assert.equal((await only(stage))["status"], "expired");
  assert.equal(await renew(stage, { fingerprint: "fp_2", last4: "1111" }, { card: { fingerprint: "fp_1" } }), 200);
  const renewed = { ...saved, last4: "1111", expiryMonth: 5, expiryYear: 2031 };
  assert.deepEqual(await only(stage), renewed);
  const [, told] = await eventsOf(stage, "%.added");
  assert.partialDeepStrictEqual(told?.data, { id: saved["id"], status: "active", expiryYear: 2031, last4: "1111" });
  assert.equal(await renew(stage, { fingerprint: "fp_2", last4: "1111", exp_year: 2033 }), 200);
  assert.equal((await only(stage))["expiryYear"], 2033, "the new number is known");
});

test("an unknown and a removed card are recorded without effect, and nothing that names the card is kept", async () => {
  const stage = await openCardShop(api, {}, STRIPE);
  await addCard(stage);
  const { id } = await only(stage);
  assert.equal(await renew(stage, { fingerprint: "fp_9" }), 200);
  await stage.shop.call("DELETE", `/customers/${stage.customer}/cards/${id}`);
  assert.equal(await renew(stage, {}), 200);
  assert.partialDeepStrictEqual(await only(stage), { status: "removed", expiryYear: 2027 });
  assert.deepEqual(await outcomes(stage), ["unknown_reference", "unknown_reference"]);
  const [row] = await api.query(
    "select fact from gateway_notifications where gateway_account_id = $1",
    stage.account.id,
  );
  assert.deepEqual(Object.keys((row as { fact: object }).fact).sort(), [
    ...["about", "brand", "expiryMonth", "expiryYear", "gatewayWord", "kind", "occurredAt"],
  ]);
});

test("a charge that tells a new expiry and token renews the card that it charged", async () => {
  const stage = await openCardShop(api);
  await addCard(stage);
  const saved = await only(stage);
  const token = `sct_${"1".repeat(24)}_4242`;
  const told = { ...DETAILS, token, expiryMonth: 5, expiryYear: 2031, holderName: null };
  gateway.replies.set("POST charges", ({ body }) => ({
    status: 201,
    json: reportedPayment(String(body["reference"]), "complete", { amount: 5000, fee: null, card: told }),
  }));
  const { key } = await stage.shop.addKey(["charge_saved_cards"]);
  const order = { amount: 50, description: "Fees", externalReference: "A" };
  const charge = await stage.shop.post(`/customers/${stage.customer}/cards/default/charges`, order, { key });
  assert.equal(charge.body["status"], "complete", charge.text);
  const { lastUsedAt, ...card } = await only(stage);
  assert.ok(lastUsedAt);
  assert.deepEqual({ ...card, lastUsedAt: null }, { ...saved, expiryMonth: 5, expiryYear: 2031 });
  const [row] = await api.query<{ token_sealed: string }>("select token_sealed from cards where id = $1", saved["id"]);
  const context = { organisation: stage.shop.organisation.id, column: TOKEN_COLUMN };
  assert.equal(api.services.secrets.open(row?.token_sealed as never, context), token);
});
