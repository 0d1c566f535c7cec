import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, addSetup, type CardShop } from "../../support/cards.ts";
import { batchNow, gathered, type ShownBatch, submit } from "../../support/debit-batches.ts";
import { addActiveMandate } from "../../support/mandates.ts";
import { closeVerified } from "../../support/verified.ts";
import { start } from "../journeys.ts";
import { decideAt } from "../payer.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* A batch whose upload had no answer, and which the gateway does not list: staff have it sent again. */

let api: TestApi;
let standIn: StandIn;
before(async () => {
  standIn = await openStandIn(protocol);
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

/** A merchant with a batch whose upload had no answer; `received`: Netcash has it all the same. */
async function openUnanswered(received: boolean): Promise<CardShop & { readonly batch: ShownBatch }> {
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
  await addActiveMandate(stage, { debitDay: 5, amount: 350.5 });
  const batch = await gathered(stage, "2027-03-05");
  assert.equal((await submit(stage, batch)).status, 200);
  standIn.failAnswers({ kind: "silence", done: received });
  return { ...stage, batch };
}

const sendAgain = (
  { staff, batch }: Awaited<ReturnType<typeof openUnanswered>>,
  body: object = { notAtGateway: true },
) => staff<ShownBatch & { error?: string }>("POST", `/debit-batches/${batch.id}/send-again`, body);
/** How often Netcash has a batch. */
const uploads = ({ batch }: { readonly batch: ShownBatch }) =>
  standIn.requests.filter(({ text }) => text.includes("<BatchFileUpload") && text.includes(batch.id)).length;

test("a batch that never arrived is sent again, once, by staff who say that they looked", async () => {
  const unanswered = await openUnanswered(false);
  await unanswered.move("2027-03-01T10:30:00Z");
  assert.partialDeepStrictEqual(await batchNow(unanswered, unanswered.batch), { status: "submitting" });
  assert.equal((await sendAgain(unanswered)).status, 409, "Netcash may still be looking at it");
  await unanswered.move("2027-03-01T12:00:00Z");
  assert.equal((await batchNow(unanswered, unanswered.batch)).status, "submitting", "it is not sent again by itself");
  assert.equal((await sendAgain(unanswered, {})).status, 400);
  standIn.failAnswers({ kind: "error", times: 3 });
  assert.equal((await sendAgain(unanswered)).status, 502);
  standIn.mend();
  assert.equal(uploads(unanswered), 1);
  const both = await Promise.all([sendAgain(unanswered), sendAgain(unanswered)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], both.map(({ text }) => text).join());
  await unanswered.move("2027-03-01T12:05:00Z");
  assert.partialDeepStrictEqual(await batchNow(unanswered, unanswered.batch), { status: "submitted", problem: null });
  assert.equal(uploads(unanswered), 2);
  const { body } = await unanswered.staff<{ data: { action: string; subject: string }[] }>("GET", "/audit-log");
  const sent = body.data.filter(({ action }) => action === "POST /debit-batches/{id}/send-again");
  assert.deepEqual(
    sent.map(({ subject }) => subject),
    [unanswered.batch.id],
  );
  assert.partialDeepStrictEqual(await sendAgain(unanswered), { status: 409, body: { error: "invalid_state" } });
});

test("a batch that arrived is not sent again", async () => {
  const unanswered = await openUnanswered(true);
  await unanswered.move("2027-03-01T10:01:00Z");
  assert.equal((await sendAgain(unanswered)).status, 409);
  await unanswered.move("2027-03-01T12:00:00Z");
  assert.equal((await batchNow(unanswered, unanswered.batch)).status, "submitted");
  assert.equal((await sendAgain(unanswered)).status, 409);
  assert.equal(uploads(unanswered), 1);
});

test("a charge of a card that never arrived is given up by staff, once, and the card is charged anew", async () => {
  const one = await openUnanswered(true);
  standIn.mend();
  const { shop, staff, customer, move } = one;
  const { body: accounts } = await staff<{ data: { notifyUrl: string }[] }>("GET", "/gateways");
  standIn.acts.notifyAt?.(accounts.data[0]?.notifyUrl ?? "");
  const stage = { ...one, standIn, can: new Set<string>() };
  const { location } = await start(stage, String((await addSetup(one))["url"]));
  await decideAt(api, location, "paid");
  const { key } = await shop.addKey(["charge_saved_cards"]);
  const charge = () =>
    shop.post<{ reference: string; status: string }>(
      `/customers/${customer}/cards/default/charges`,
      { amount: 50, description: "Fees", externalReference: "A" },
      { key },
    );
  standIn.failAnswers({ kind: "silence", done: false });
  const charged = await charge();
  assert.equal(charged.status, 201, charged.text);
  const { reference } = charged.body;
  const giveUp = (body: object = { notAtGateway: true }, as = staff) =>
    as<{ status: string; error?: string }>("POST", `/transactions/${reference}/give-up`, body);
  assert.equal((await giveUp()).status, 409, "Netcash may still be looking at it");
  await move("2027-03-03T12:00:00Z");
  const { body: mails } = await staff<{ data: { kind: string; text: string }[] }>("GET", "/emails");
  const alerts = mails.data.filter(({ text }) => text.includes("does not list it"));
  assert.equal(alerts.length, 1, JSON.stringify(mails.data));
  assert.equal((await giveUp({})).status, 400);
  const other = await (await api.addMerchant()).signIn();
  assert.equal((await giveUp({ notAtGateway: true }, other)).status, 404);
  const both = await Promise.all([giveUp(), giveUp()]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], both.map(({ text }) => text).join());
  assert.equal(both.find(({ status }) => status === 200)?.body.status, "failed");
  const again = await charge();
  assert.equal(again.status, 201, again.text);
  assert.notEqual(again.body.reference, reference);
  assert.deepEqual(
    standIn.payments().filter((payment) => [reference, again.body.reference].includes(payment.reference)).length,
    1,
    "one charge is in Netcash's books",
  );
});

test("a batch of another merchant, and one that does not exist, are not found", async () => {
  const one = await openUnanswered(true);
  standIn.mend();
  const other = await openUnanswered(true);
  standIn.mend();
  assert.equal((await sendAgain({ ...one, staff: other.staff })).status, 404);
  assert.equal((await one.staff("POST", "/debit-batches/dbat_x/send-again", { notAtGateway: true })).status, 404);
});
