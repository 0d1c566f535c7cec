import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, addSetup, cardsNow, setupNow } from "../../support/cards.ts";
import { signInToPortal } from "../../support/portal.ts";
import { closeVerified } from "../../support/verified.ts";
import { expectPayment, pay, type Stage, shown, start } from "../journeys.ts";
import { decideAt } from "../payer.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* PayFast tells the token of a subscription or of a card by the notification alone, and nothing of the card itself. */

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_PAYFAST: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

async function open(): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; capabilities: string[] }>("POST", "/gateways", {
    type: "payfast",
    credentials: standIn.credentials,
  });
  assert.equal(added.status, 201, added.text);
  standIn.setNow(new Date("2027-03-01T10:00:00Z"));
  return {
    ...{ api, shop, staff, standIn },
    account: { id: added.body.id } as Stage["account"],
    can: new Set(added.body.capabilities),
    customer: await addCardCustomer(shop),
    async move(now) {
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
}

/** The one alert that staff got, and that the gateway is not taken to be down for it. */
async function alertOf({ staff, account }: Stage) {
  const { body: mails } = await staff<{ data: { kind: string; subject: string; text: string }[] }>("GET", "/emails");
  const alerts = mails.data.filter(({ kind }) => kind === "staff_alert");
  assert.equal(alerts.length, 1, JSON.stringify(alerts));
  const { body: health } = await staff<{ status: string }>("GET", `/gateways/${account.id}/health`);
  assert.equal(health.status, "up", "the gateway has answered");
  return alerts[0] ?? assert.fail();
}

/** The first payment of a subscription, whose notification was lost. */
async function unheardSubscription(stage: Stage): Promise<string> {
  standIn.failNotices({ kind: "lost" });
  const { reference } = await pay(stage, { link: { recurring: { frequency: "monthly" }, singleUse: false } });
  await stage.move("2027-03-01T12:00:00Z");
  await expectPayment(stage, reference, { status: "pending", subscriptionId: null });
  await stage.move("2027-03-06T12:00:00Z");
  await expectPayment(stage, reference, { status: "pending", subscriptionId: null });
  return reference;
}

test("a subscription whose notification was lost waits, staff are told once what to do, and it begins when it is sent again", async () => {
  const stage = await open();
  const reference = await unheardSubscription(stage);
  const { subject, text } = await alertOf(stage);
  assert.match(subject, /a payment of R\s?100\.00 waits for you/);
  assert.match(text, /Resend ITN/);
  assert.equal(await standIn.resend(standIn.notices.length - 1), 200);
  await expectPayment(stage, reference, { status: "complete", amount: 100 });
  assert.ok((await shown(stage, reference))["subscriptionId"]);
});

test("one that staff cancel and give back in PayFast's dashboard fails here", async () => {
  const stage = await open();
  const reference = await unheardSubscription(stage);
  standIn.failNotices({ kind: "lost" });
  await standIn.acts.givesBack?.(reference);
  await stage.move("2027-03-08T12:00:00Z");
  await expectPayment(stage, reference, { status: "failed", subscriptionId: null });
});

test("a card whose notification was lost is kept when it is sent again", async () => {
  const stage = await open();
  const setup = await addSetup(stage);
  standIn.failNotices({ kind: "lost" });
  const { location, reference } = await start(stage, String(setup["url"]));
  await decideAt(api, location, "paid");
  await stage.move("2027-03-01T12:00:00Z");
  await expectPayment(stage, reference, { status: "pending" });
  assert.match((await alertOf(stage)).text, /names the card/);
  assert.equal(await standIn.resend(standIn.notices.length - 1), 200);
  assert.equal((await setupNow(stage, setup))["status"], "completed");
  assert.equal((await cardsNow(stage)).length, 1);
});

test("a card is shown by when it was saved, and fails when its token is cancelled at PayFast", async () => {
  const stage = await open();
  const { shop, customer } = stage;
  const setup = await addSetup(stage);
  const { location, reference } = await start(stage, String(setup["url"]));
  await decideAt(api, location, "paid");
  assert.partialDeepStrictEqual(await cardsNow(stage), [{ brand: "card", last4: "", chargeable: true }]);
  const portal = await signInToPortal(api, shop, customer);
  const page = await portal.see("/cards");
  assert.match(page.text, /Card saved on 1 March 2027, 12:00/);
  assert.doesNotMatch(page.text, /ending in/);
  await standIn.acts.endsSubscription?.(reference);
  assert.partialDeepStrictEqual(await cardsNow(stage), [{ status: "failed", chargeable: false }]);
  const { key } = await shop.addKey(["charge_saved_cards"]);
  const body = { amount: 50, description: "Fees", externalReference: "A" };
  const charge = await shop.post(`/customers/${customer}/cards/default/charges`, body, { key });
  assert.deepEqual([charge.status, (charge.body as { error: string }).error], [409, "card_not_chargeable"]);
  assert.equal(await standIn.resend(standIn.notices.length - 1), 200, "told again");
});

test("a live account takes no set-up of 1.00", async () => {
  const shop = await api.addMerchant({ sandbox: false });
  const staff = await shop.signIn();
  const account = { type: "payfast", credentials: standIn.credentials };
  assert.equal((await staff("POST", "/gateways", account)).status, 201);
  const customer = await addCardCustomer(shop);
  const setup = await shop.post(`/customers/${customer}/cards/setup`, {});
  assert.deepEqual([setup.status, (setup.body as { error: string }).error], [409, "card_setup_unavailable"]);
});

test("a migration is confirmed here, and its subscription is charged by the service from its date", async () => {
  const stage = await open();
  const { shop } = stage;
  const row = { payerName: "Thandi", email: "t@example.co.za", amount: 100, frequency: "monthly" };
  const subscriptions = [{ ...row, nextDate: "2027-03-15", legacyReference: "old-1" }];
  const begun = await shop.post<{ data: { checkoutUrl: string; subscriptionId: string }[] }>(
    "/subscriptions/migrations",
    { subscriptions, cancelLegacy: "manual" },
  );
  assert.equal(begun.status, 201, begun.text);
  const [{ checkoutUrl, subscriptionId } = assert.fail()] = begun.body.data;
  const { location } = await start(stage, checkoutUrl);
  await decideAt(api, location, "paid");
  const path = `/customer-subscriptions/${subscriptionId}`;
  assert.equal((await shop.get(path)).body["status"], "active");
  standIn.setNow(new Date("2027-03-15T10:00:00Z"));
  await stage.move("2027-03-15T10:00:00Z");
  const { data } = (await shop.get<{ data: { amount: number; status: string; type: string }[] }>(`${path}/payments`))
    .body;
  assert.deepEqual(
    data.map(({ amount, status, type }) => [amount, status, type]),
    [
      [99, "complete", "card_debit"],
      [1, "complete", "card_setup"],
    ],
  );
  assert.deepEqual((await shop.get<{ data: object[] }>("/subscriptions")).body.data, [], "PayFast runs none");
});
