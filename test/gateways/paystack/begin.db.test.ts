import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { expectPayment, pay, type Stage, shown } from "../journeys.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* A subscription that its gateway begins only after the first payment, when it is asked to in vain. */

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_PAYSTACK: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

/** A merchant with a subscription whose first payment is higher, which was paid while answers to its beginning go wrong in this way. */
async function openBegun(fault: Parameters<StandIn["failAnswers"]>[0]) {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const account = { type: "paystack", credentials: standIn.credentials };
  const added = await staff<{ id: string; notifyUrl: string; capabilities: string[] }>("POST", "/gateways", account);
  assert.equal(added.status, 201, added.text);
  standIn.acts.notifyAt?.(added.body.notifyUrl);
  standIn.setNow(new Date("2027-03-01T10:00:00Z"));
  const stage: Stage = {
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
  const link = { amount: 250, singleUse: false, recurring: { frequency: "monthly", amount: 100 } };
  const { reference } = await pay(stage, { link });
  await expectPayment(stage, reference, { status: "complete", amount: 250 });
  standIn.failAnswers({ on: "POST /subscription", ...fault });
  return { ...stage, reference, id: String((await shown(stage, reference))["subscriptionId"]) };
}

const statusOf = async ({ shop, id }: Awaited<ReturnType<typeof openBegun>>) =>
  (await shop.get(`/subscriptions/${id}`)).body["status"];
const alertsOf = async ({ staff }: Pick<Stage, "staff">) =>
  (await staff<{ data: { kind: string; subject: string }[] }>("GET", "/emails")).body.data.filter(
    ({ kind }) => kind === "staff_alert",
  );

for (const kind of ["error", "silence", "half", "html", "garbled"] as const)
  for (const done of [false, true])
    test(`${kind}${done ? ", although it was begun" : ""}: it is asked again, and begins once`, async () => {
      const begun = await openBegun({ kind, done, times: 2 });
      await begun.move("2027-03-02T10:00:00Z");
      standIn.mend();
      await begun.move("2027-03-04T10:00:00Z");
      assert.equal(await statusOf(begun), "active");
      assert.partialDeepStrictEqual(standIn.acts.subscription?.(begun.reference), { status: "active", amount: 10_000 });
      assert.deepEqual(await alertsOf(begun), []);
      assert.equal((await begun.shop.call("POST", `/subscriptions/${begun.id}/cancel`, { body: {} })).status, 200);
      assert.equal(standIn.acts.subscription?.(begun.reference)?.status, "cancelled");
    });

test("refused: the subscription ends, staff are told once, and the payment stays", async () => {
  const begun = await openBegun({ kind: "error", status: 400, times: 99 });
  await begun.move("2027-03-04T10:00:00Z");
  standIn.mend();
  assert.equal(await statusOf(begun), "cancelled");
  assert.equal((await alertsOf(begun)).length, 1);
  assert.equal(standIn.acts.subscription?.(begun.reference), null);
  await expectPayment(begun, begun.reference, { status: "complete", amount: 250 });
});
