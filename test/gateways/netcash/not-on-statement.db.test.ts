import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, openPage } from "../../support/cards.ts";
import { closeVerified } from "../../support/verified.ts";
import { addLink, pay, type Stage, shown, start } from "../journeys.ts";
import { decideAt } from "../payer.ts";
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
async function openStage(options: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string; notifyUrl: string }>("POST", "/gateways", {
    type: "netcash",
    credentials: { ...standIn.credentials, ...options },
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

const WAITS = { waitForStatement: "on" };

test("an account that waits for its statement completes a payment by its line, once", async () => {
  const stage = await openStage(WAITS);
  const { url } = await addLink(stage, { customerId: stage.customer, singleUse: true });
  const { reference, location } = await start(stage, String(url));
  const back = new URL((await decideAt(api, location, "paid")).location);
  assert.equal((await shown(stage, reference))["status"], "pending");
  const led = await openPage(api, back.href);
  const result = await openPage(api, String(led.headers["location"]));
  assert.match(result.text, /<h1[^>]*>Payment being confirmed/);
  assert.doesNotMatch(result.text, /http-equiv="refresh"/);
  const page = await openPage(api, String(url));
  assert.match(page.text, /This payment is being confirmed/);
  await stage.move("2027-03-02T06:00:00Z");
  assert.equal((await shown(stage, reference))["status"], "pending");
  await stage.move("2027-03-02T10:00:00Z");
  assert.deepEqual((await shown(stage, reference))["status"], "complete");
  await stage.move("2027-03-10T10:00:00Z");
  assert.partialDeepStrictEqual(await shown(stage, reference), { status: "complete", flags: [] });
  const cards = await api.query("select id from cards where organisation_id = $1", stage.shop.organisation.id);
  assert.deepEqual(cards, []);
});

test("one whose line does not come waits past three days, is flagged and then cancelled; a late line completes it", async () => {
  const stage = await openStage(WAITS);
  const { reference, url } = await pay(stage, { link: { singleUse: true } });
  missing.add(reference);
  await stage.move("2027-03-05T06:00:00Z");
  assert.partialDeepStrictEqual(await shown(stage, reference), { status: "pending", flags: [] });
  await stage.move("2027-03-05T07:00:00Z");
  assert.deepEqual((await shown(stage, reference))["flags"], ["not_on_statement"]);
  await stage.move("2027-03-07T10:00:00Z");
  assert.partialDeepStrictEqual(await shown(stage, reference), { status: "cancelled", flags: ["not_on_statement"] });
  assert.equal((await alerts(stage)).length, 1);
  assert.doesNotMatch((await openPage(api, url)).text, /being confirmed/);
  missing.delete(reference);
  await stage.move("2027-03-08T10:00:00Z");
  assert.partialDeepStrictEqual(await shown(stage, reference), { status: "complete", flags: [] });
  const [news] = await api.query<{ flags: string[] }>(
    "select data -> 'flags' as flags from events where organisation_id = $1 and type = 'payment.complete'",
    stage.shop.organisation.id,
  );
  assert.deepEqual(news?.flags, []);
});

test("one that is declined while it waits has failed", async () => {
  const stage = await openStage(WAITS);
  const declined = await pay(stage);
  missing.add(declined.reference);
  await standIn.acts.reverses?.(declined.reference);
  assert.equal((await shown(stage, declined.reference))["status"], "failed");
  await stage.move("2027-03-08T10:00:00Z");
  assert.partialDeepStrictEqual(await shown(stage, declined.reference), { status: "failed", flags: [] });
});

test("waiting needs the key of the statement, and takes no card", async () => {
  const { staff, account } = await openStage();
  const path = `/gateways/${account.id}`;
  const capabilities = async () => (await staff<{ capabilities: string[] }>("GET", path)).body.capabilities;
  assert.ok((await capabilities()).includes("saveCard"));
  const without = await staff("PATCH", path, { credentials: { ...WAITS, accountKey: null } });
  assert.equal(without.status, 400, without.text);
  assert.equal((await staff("PATCH", path, { credentials: { waitForStatement: "perhaps" } })).status, 400);
  const changed = await staff("PATCH", path, { credentials: WAITS });
  assert.equal(changed.status, 200, changed.text);
  assert.ok(!(await capabilities()).includes("saveCard"));
});
