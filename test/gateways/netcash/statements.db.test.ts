import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, type CardShop } from "../../support/cards.ts";
import { batchNow, gathered, submit } from "../../support/debit-batches.ts";
import { addActiveMandate, type Shown } from "../../support/mandates.ts";
import { closeVerified } from "../../support/verified.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* What statements do to debits, whatever the order and the number of times in which they are read. */

let api: TestApi;
let standIn: StandIn;
/** As when Netcash has closed the account's service key. */
let refusesStatements = false;
before(async () => {
  standIn = await openStandIn({
    ...protocol,
    open(frame) {
      const netcash = protocol.open(frame);
      return {
        ...netcash,
        async answer(request) {
          const reply = await netcash.answer(request);
          const refused = refusesStatements && request.text.includes("RequestMerchantStatement");
          return refused ? { ...reply, body: reply.body?.replace(/(Result>)[^<]*/, "$1100") ?? "" } : reply;
        },
      };
    },
  });
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

interface Debited extends CardShop {
  readonly mandate: Shown;
  readonly reference: string;
}

/** A merchant with one debit that Netcash has authorised, for 2027-03-05. */
async function openDebited(): Promise<Debited> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string }>("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  assert.equal(added.status, 201, added.text);
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
  const mandate = await addActiveMandate(stage, { debitDay: 5, amount: 350.5 });
  const batch = await gathered(stage, "2027-03-05");
  assert.equal((await submit(stage, batch)).status, 200);
  await stage.move("2027-03-02T10:00:00Z");
  assert.equal((await batchNow(stage, batch)).status, "submitted");
  return { ...stage, mandate, reference: `${mandate["accountReference"]}-20270305` };
}

const stateOf = async ({ shop, reference }: Debited) => {
  const { body } = await shop.get(`/transactions/${reference}`);
  return [body["status"], ((body["reversals"] as unknown[] | undefined) ?? []).length];
};
const linesOf = ({ shop }: Debited) =>
  api.query<{ status: string }>(
    "select status from gateway_statement_lines where organisation_id = $1 order by line",
    shop.organisation.id,
  );

test("a debit that was collected counts after two business days, once, though its line is read every day", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  await debited.move("2027-03-08T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  assert.deepEqual(await linesOf(debited), [{ status: "waiting" }]);
  await debited.move("2027-03-09T06:44:00Z");
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  await debited.move("2027-03-09T06:50:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 0]);
  await debited.move("2027-03-20T10:00:00Z");
  assert.deepEqual(await linesOf(debited), [{ status: "applied" }]);
  const facts = await api.query<{ source: string; outcome: string }>(
    "select source, outcome from gateway_notifications where organisation_id = $1",
    debited.shop.organisation.id,
  );
  assert.deepEqual(facts, [{ source: "statement", outcome: "applied" }]);
});

test("one that comes back before it counts has failed, and the line that it was collected never counts", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "unpaid");
  await debited.move("2027-03-06T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["failed", 0]);
  await debited.move("2027-03-20T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["failed", 0]);
  assert.deepEqual(await linesOf(debited), [{ status: "taken_back" }, { status: "applied" }]);
});

test("one that comes back after a month is reversed, once", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  await debited.move("2027-04-05T10:00:00Z");
  await standIn.acts.reverses?.(debited.reference);
  await debited.move("2027-04-06T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 1]);
  await debited.move("2027-04-15T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 1]);
});

for (const kind of ["error", "silence", "half", "html", "garbled", "redirect"] as const)
  test(`a statement that is answered by ${kind} is read again, and nothing is lost`, async () => {
    const debited = await openDebited();
    await standIn.acts.endsDebit?.(debited.reference, "paid");
    standIn.failAnswers({ kind, times: 6 });
    await debited.move("2027-03-09T10:00:00Z");
    assert.deepEqual(await stateOf(debited), ["complete", 0]);
  });

test("staff are told once a day that statements are refused, and what was missed is read later", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  refusesStatements = true;
  await debited.move("2027-03-10T10:00:00Z").finally(() => (refusesStatements = false));
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  const mails = await api.query<{ subject: string }>(
    "select subject from emails where organisation_id = $1 and about = $2 and kind = 'staff_alert'",
    debited.shop.organisation.id,
    debited.account.id,
  );
  assert.equal(mails.length, 8, "one for each morning from the third to the tenth");
  await debited.move("2027-03-11T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 0]);
});

test("an account without payments is asked for no statement", async () => {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  await staff("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  const before = standIn.requests.length;
  await staff("POST", "/test-clock", { now: "2027-03-20T10:00:00Z" });
  assert.equal(standIn.requests.length, before);
});

test("payers come back to their page, and nobody comes back to a payment of another account", async () => {
  const debited = await openDebited();
  const other = await openDebited();
  const open = (account: string, reference: string) =>
    api.call("GET", `/gateway-return/netcash?account=${account}&Reference=${reference}`);
  for (const [account, reference] of [
    [debited.account.id, "TEFO-20270301-00000000"],
    [debited.account.id, debited.reference],
    [debited.account.id, other.reference],
    ["gw_00000000000000000000000000", debited.reference],
    ["x", debited.reference],
    [debited.account.id, ""],
  ])
    assert.equal((await open(String(account), String(reference))).status, 404, `${account} ${reference}`);
});
