import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, addSetup, cardsNow, setupNow } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { inBooks, pay, type Stage, shown, start } from "../journeys.ts";
import { decideAt } from "../payer.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* Charges without the payer whose answer was lost, and of which no notification comes. Stripe's search finds them after a minute. */

const CHARGE = "POST /v1/payment_intents";

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_STRIPE: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

async function openStage(): Promise<Stage> {
  standIn.mend();
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; notifyUrl: string; capabilities: string[] }>("POST", "/gateways", {
    type: "stripe",
    credentials: standIn.credentials,
  });
  assert.equal(added.status, 201, added.text);
  standIn.acts.notifyAt?.(added.body.notifyUrl);
  standIn.setNow(new Date("2027-03-01T10:00:00Z"));
  return {
    ...{ api, shop, staff, standIn },
    account: { id: added.body.id } as Stage["account"],
    can: new Set(added.body.capabilities),
    customer: await addCardCustomer(shop),
    async move(now) {
      standIn.setNow(new Date(now));
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
}

/** The next charge has no answer, however often it is sent within a request; `made`: Stripe has made it. */
function loseAnswer(made: boolean): void {
  standIn.failAnswers({ on: CHARGE, kind: "silence", done: made, times: 3 });
  standIn.failNotices({ kind: "lost", times: 99 });
}

/** What the payment is at times of the day of the charge, and of the next day. */
type Course = readonly (readonly [time: string, status: string])[];
const CASES: readonly { made: boolean; removed: boolean; course: Course; charged: number }[] = [
  {
    ...{ made: true, removed: true, charged: 1 },
    course: [
      ["01T10:01:00", "pending"],
      ["01T10:03:00", "complete"],
    ],
  },
  {
    ...{ made: false, removed: true, charged: 0 },
    course: [
      ["01T10:03:00", "pending"],
      ["02T08:00:00", "pending"],
      ["02T10:00:00", "failed"],
    ],
  },
  { made: true, removed: false, charged: 1, course: [["01T10:01:00", "complete"]] },
  { made: false, removed: false, charged: 1, course: [["01T10:01:00", "complete"]] },
];
for (const { made, removed, course, charged } of CASES)
  test(`a charge that Stripe has ${made ? "made" : "not received"}, of a card that ${removed ? "was removed" : "stays"}: ${course.at(-1)?.[1]}`, async () => {
    const stage = await openStage();
    const setup = await addSetup(stage);
    const { location } = await start(stage, String(setup["url"]));
    await decideAt(api, location, "paid");
    assert.equal((await setupNow(stage, setup))["status"], "completed");
    const [card] = await cardsNow(stage);
    const { key } = await stage.shop.addKey(["charge_saved_cards"]);
    loseAnswer(made);
    const cards = `/customers/${stage.customer}/cards`;
    const body = { amount: 50, description: "Fees", externalReference: "A" };
    const charge = await stage.shop.post(`${cards}/default/charges`, body, { key });
    assert.equal(charge.status, 201, charge.text);
    assert.equal(charge.body["status"], "pending");
    if (removed) {
      const answer = await stage.shop.call("DELETE", `${cards}/${card?.["id"]}`);
      assert.ok(answer.status < 300, answer.text);
    }
    const reference = String(charge.body["reference"]);
    for (const [time, status] of course) {
      await stage.move(`2027-03-${time}Z`);
      assert.equal((await shown(stage, reference))["status"], status, time);
    }
    assert.equal(inBooks(stage, reference).length, charged);
  });

for (const [made, status, charged] of [
  [true, "complete", 1],
  [false, "failed", 0],
] as const)
  test(`a retry of a subscription that Stripe has ${made ? "made" : "not received"}: ${status}`, async () => {
    const stage = await openStage();
    const first = await pay(stage, { link: { recurring: { frequency: "monthly" }, singleUse: false } });
    const { subscriptionId } = await shown(stage, first.reference);
    loseAnswer(made);
    const retry = await stage.shop.post(`/subscriptions/${subscriptionId}/retry`, { amount: 70 });
    const { body } = await stage.shop.get<{ data: { reference: string; status: string }[] }>(
      `/subscriptions/${subscriptionId}/charges`,
    );
    const pending = body.data.find((charge) => charge.status === "pending");
    assert.ok(pending, retry.text);
    await stage.move("2027-03-01T10:01:00Z");
    assert.equal((await shown(stage, pending.reference))["status"], "pending");
    await stage.move(`2027-03-${made ? "01T10:03" : "02T10:00"}:00Z`);
    assert.equal((await shown(stage, pending.reference))["status"], status);
    assert.equal(inBooks(stage, pending.reference).length, charged);
  });
