import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, type CardShop, postForm } from "../../support/cards.ts";
import { addActiveMandate, type Shown } from "../../support/mandates.ts";
import { closeVerified } from "../../support/verified.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* Debits that come back since there is no authority to debit, and the day on which debits are sent. */

let api: TestApi;
let standIn: StandIn;
/** The code with which debits are returned. */
let code = "02";
before(async () => {
  standIn = await openStandIn({
    ...protocol,
    open(frame) {
      const netcash = protocol.open(frame);
      return {
        ...netcash,
        async answer(request) {
          const reply = await netcash.answer(request);
          return { ...reply, body: reply.body?.replaceAll("Code: 02", `Code: ${code}`) ?? "" };
        },
      };
    },
  });
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

interface Stage extends CardShop {
  readonly mandate: Shown;
  readonly reference: string;
}

/** A merchant with a mandate whose first debit, of Friday 2027-03-05, the daily work has sent. `settings`: of debit orders. */
async function openStage(settings?: object): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string }>("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  const stage: CardShop = {
    ...{ api, shop, staff },
    account: { id: added.body.id } as CardShop["account"],
    customer: await addCardCustomer(shop),
    async move(now) {
      standIn.setNow(new Date(now));
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
  if (settings) await staff("PATCH", "/settings", { debitOrders: settings });
  const mandate = await addActiveMandate(stage, { debitDay: 5, amount: 350.5 });
  return { ...stage, mandate, reference: `${mandate["accountReference"]}-20270305` };
}

const mandateNow = async ({ shop, mandate }: Stage) => (await shop.get(`/mandates/${mandate["id"]}`)).body;
const filesOf = ({ reference }: Stage) =>
  standIn.requests.filter(({ text }) => text.includes("BatchFileUpload") && text.includes(reference));

// The cut-off that is set, when the file is sent, and as what.
for (const [settings, before, sent, instruction] of [
  [undefined, "2027-03-02T03:59:00Z", "2027-03-02T04:01:00Z", "TwoDay"],
  [{ cutOffDays: 2 }, "2027-03-03T03:59:00Z", "2027-03-03T04:01:00Z", "Sameday"],
] as const)
  test(`with a cut-off of ${settings?.cutOffDays ?? "no"} days set, debits go out as ${instruction}`, async () => {
    const stage = await openStage(settings);
    const { body } = await stage.staff<{ debitOrders: { cutOffDays: number } }>("GET", "/settings");
    assert.equal(body.debitOrders.cutOffDays, settings?.cutOffDays ?? 3);
    await stage.move(before);
    assert.equal(filesOf(stage).length, 0);
    await stage.move(sent);
    assert.deepEqual(
      filesOf(stage).map(({ text }) => /TwoDay|Sameday/.exec(text)?.[0]),
      [instruction],
    );
  });

/** How a debit comes back, and the code of it. */
const COMES_BACK: Record<string, { code: string; collectedFirst: boolean; stops: boolean }> = {
  "unpaid without authority": { code: "30", collectedFirst: false, stops: true },
  "unpaid with the authority cancelled": { code: "34", collectedFirst: false, stops: true },
  "without authority after it was collected": { code: "30", collectedFirst: true, stops: true },
  "unpaid for want of money": { code: "02", collectedFirst: false, stops: false },
};
for (const [how, { code: given, collectedFirst, stops }] of Object.entries(COMES_BACK))
  test(`a debit that comes back ${how} ${stops ? "stops its mandate until a new agreement is signed" : "leaves its mandate"}`, async () => {
    code = given;
    const stage = await openStage();
    await stage.move("2027-03-04T10:00:00Z");
    await standIn.acts.endsDebit?.(stage.reference, collectedFirst ? "paid" : "unpaid");
    await stage.move("2027-03-10T10:00:00Z");
    if (collectedFirst) {
      const mandate = await mandateNow(stage);
      assert.deepEqual([mandate["status"], mandate["authorityLostAt"]], ["active", undefined]);
      await standIn.acts.reverses?.(stage.reference);
      await stage.move("2027-03-12T10:00:00Z");
    }
    const stopped = await mandateNow(stage);
    assert.partialDeepStrictEqual(stopped, {
      status: stops ? "paused" : "active",
      failureCount: 1,
      nextDebitDate: stops ? null : "2027-04-05",
    });
    if (!stops) return assert.equal(stopped["authorityLostAt"], undefined);
    assert.match(String(stopped["authorityLostAt"]), /^2027-03-/);

    const { id } = stage.mandate;
    const resumed = await stage.shop.call("PATCH", `/mandates/${id}`, { body: { status: "active" } });
    assert.equal(resumed.status, 409, resumed.text);
    assert.match(resumed.text, /once a new agreement is signed/);
    const { body: mails } = await stage.staff<{ data: { kind: string; text: string }[] }>("GET", "/emails");
    const alerts = mails.data.filter(
      ({ kind, text }) => kind === "staff_alert" && /until a new agreement is signed/.test(text),
    );
    assert.equal(alerts.length, 1);

    const issued = await stage.shop.post(`/mandates/${id}/agreement`, { email: false });
    const url = String(issued.body["signUrl"]);
    const signed = await postForm(api, new URL(url).pathname, { fullName: "T Nkosi", accept: "yes", action: "sign" });
    assert.equal(signed.status, 303, signed.text);
    assert.partialDeepStrictEqual(await mandateNow(stage), {
      ...{ status: "active", failureCount: 0, nextDebitDate: "2027-04-05" },
    });
  });
