import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { expectPayment, pay, type Stage, shown } from "../journeys.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* The first payment of a subscription whose notification was lost: PayFast has it, and tells its token by the notification alone. */

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_PAYFAST: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

test("it waits, staff are told once what to do, and it begins when its notification is sent again", async () => {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; capabilities: string[] }>("POST", "/gateways", {
    type: "payfast",
    credentials: standIn.credentials,
  });
  assert.equal(added.status, 201, added.text);
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
  standIn.failNotices({ kind: "lost" });
  const { reference } = await pay(stage, { link: { recurring: { frequency: "monthly" }, singleUse: false } });
  await stage.move("2027-03-01T12:00:00Z");
  await expectPayment(stage, reference, { status: "pending", subscriptionId: null });
  await stage.move("2027-03-06T12:00:00Z");
  await expectPayment(stage, reference, { status: "pending", subscriptionId: null });
  const { body: mails } = await staff<{ data: { kind: string; subject: string; text: string }[] }>("GET", "/emails");
  const alerts = mails.data.filter(({ kind }) => kind === "staff_alert");
  assert.equal(alerts.length, 1, JSON.stringify(alerts));
  assert.match(alerts[0]?.subject ?? "", /a payment of R\s?100\.00 waits for you/);
  assert.match(alerts[0]?.text ?? "", /Resend ITN/);
  const { body: health } = await staff<{ status: string }>("GET", `/gateways/${added.body.id}/health`);
  assert.equal(health.status, "up", "the gateway has answered");
  assert.equal(await standIn.resend(standIn.notices.length - 1), 200);
  await expectPayment(stage, reference, { status: "complete", amount: 100 });
  assert.ok((await shown(stage, reference))["subscriptionId"]);
});
