import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { pay, type Stage, shown } from "../journeys.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* Pay Now's messages are not signed and name no merchant: what an account received is known from its statement alone. */

let api: TestApi;
let standIn: StandIn;
/** References whose lines are missing on statements, as of payments to another merchant's account. */
const missing = new Set<string>();
before(async () => {
  standIn = await openStandIn({
    ...protocol,
    open(frame) {
      const netcash = protocol.open(frame);
      return {
        ...netcash,
        answer: async (request) => {
          const reply = await netcash.answer(request);
          const isTheirs = (line: string) => [...missing].some((reference) => line.includes(reference));
          const isStatement = request.text.includes("RetrieveMerchantStatement");
          const lines = (reply.body ?? "").split("&#xD;").filter((line) => !isStatement || !isTheirs(line));
          return { ...reply, body: lines.join("&#xD;") };
        },
      };
    },
  });
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

/** A merchant with a Netcash account, on Monday 2027-03-01. */
async function openStage(): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; notifyUrl: string }>("POST", "/gateways", {
    type: "netcash",
    credentials: standIn.credentials,
  });
  assert.equal(added.status, 201, added.text);
  standIn.acts.notifyAt?.(added.body.notifyUrl);
  standIn.setNow(new Date("2027-03-01T10:00:00Z"));
  return {
    ...{ api, shop, staff, standIn },
    account: { id: added.body.id } as Stage["account"],
    can: new Set<string>(),
    customer: await addCardCustomer(shop),
    async move(now) {
      standIn.setNow(new Date(now));
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
}

const alerts = ({ shop, account }: Stage) =>
  api.query<{ subject: string; text_body: string }>(
    "select subject, text_body from emails where organisation_id = $1 and about = $2 and kind = 'staff_alert'",
    shop.organisation.id,
    account.id,
  );

const flagged = async ({ staff }: Stage) => {
  const { status, body, text } = await staff<{ data: { reference: string }[] }>(
    "GET",
    "/transactions?flag=not_on_statement",
  );
  assert.equal(status, 200, text);
  return body.data.map(({ reference }) => reference);
};

test("a payment without a line is flagged after three business days, once, until its line comes", async () => {
  const stage = await openStage();
  const theirs = (await pay(stage)).reference;
  const ours = (await pay(stage)).reference;
  missing.add(theirs);
  assert.equal((await shown(stage, theirs))["status"], "complete");
  await stage.move("2027-03-04T10:00:00Z");
  assert.deepEqual(await flagged(stage), [], "its statements to Wednesday were read");
  await stage.move("2027-03-05T10:00:00Z");
  assert.deepEqual(await flagged(stage), [theirs]);
  assert.deepEqual((await shown(stage, ours))["flags"], []);
  await stage.move("2027-03-15T10:00:00Z");
  assert.deepEqual((await shown(stage, theirs))["flags"], ["not_on_statement"]);
  const mails = await alerts(stage);
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.subject ?? "", /a payment is not on the gateway's statement/);
  assert.ok(mails[0]?.text_body.includes(`Payment: ${theirs}`));
  missing.delete(theirs);
  await stage.move("2027-03-16T10:00:00Z");
  const late = await shown(stage, theirs);
  assert.deepEqual([late["status"], late["flags"]], ["complete", []]);
  assert.deepEqual(await flagged(stage), []);
  assert.equal((await alerts(stage)).length, 1);
});

test("weekends do not count, and nothing is flagged while a statement is not read", async () => {
  const stage = await openStage();
  await stage.move("2027-03-05T10:00:00Z");
  const { reference } = await pay(stage);
  missing.add(reference);
  await stage.move("2027-03-10T10:00:00Z");
  assert.deepEqual(await flagged(stage), []);
  standIn.failAnswers({ kind: "html", times: 10_000 });
  await stage.move("2027-03-12T10:00:00Z").finally(() => standIn.mend());
  assert.deepEqual(await flagged(stage), []);
  await stage.move("2027-03-13T10:00:00Z");
  assert.deepEqual(await flagged(stage), [reference]);
});
