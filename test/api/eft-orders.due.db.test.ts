import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addOrder, addTransfers, type EftOrderBody, review, upload } from "../support/eft.ts";
import { mailsOf } from "../support/mails.ts";

// Uses the test clock (interface 13.1), so no test waits for days to pass.

const START = "2027-03-01T10:00:00.000Z";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

interface Stage {
  readonly shop: ApiMerchant;
  readonly staff: StaffCall;
  readonly move: (to: string) => Promise<Record<string, number>>;
}

async function open(): Promise<Stage> {
  const shop = await api.addMerchant({ clockAt: new Date(START) as never });
  await addTransfers(shop);
  await shop.post("/customers", { externalReference: "C", email: "thandi@example.co.za" });
  const staff = await shop.signIn();
  return {
    shop,
    staff,
    move: async (now) => {
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
}

const CUSTOMER = { customer: { externalReference: "C" } };
const shown = async ({ shop }: Stage, { id }: EftOrderBody) => (await shop.get<EftOrderBody>(`/eft-orders/${id}`)).body;
const told = async (...subjects: string[]) =>
  (await api.query<{ type: string }>("select type from events where subject = any($1) order by id", subjects)).map(
    ({ type }) => type,
  );
const reminders = async ({ shop }: Stage) =>
  (
    await api.query<{ created_at: Date }>(
      "select created_at from emails where organisation_id = $1 and kind = 'eft_reminder' order by id",
      shop.organisation.id,
    )
  ).map(({ created_at }) => created_at.toISOString());

describe("expiry", () => {
  test("an unpaid order expires at its time, with one event, and its transaction stays pending", async () => {
    const stage = await open();
    const order = await addOrder(stage.shop, { externalReference: "x" });
    await stage.move("2027-03-08T09:59:59.000Z");
    assert.equal((await shown(stage, order)).status, "awaiting_payment");
    const ran = await stage.move("2027-03-08T10:00:00.000Z");
    assert.equal(ran["eft.expire"], 1);
    const expired = await shown(stage, order);
    assert.equal(expired.status, "expired");
    const [event] = await api.query<{ type: string; data: EftOrderBody; created_at: Date }>(
      "select type, data, created_at from events where subject = $1",
      order.id,
    );
    assert.deepEqual(
      [event?.type, event?.data, event?.created_at.toISOString()],
      ["eft.expired", expired, "2027-03-08T10:00:00.000Z"],
    );
    assert.equal((await stage.shop.get(`/transactions/${order.reference}`)).body["status"], "pending");
    await addOrder(stage.shop, { externalReference: "x" });
    await stage.move("2027-03-12T10:00:00.000Z");
    const { body } = await review(stage.staff, order.id, "approve");
    assert.deepEqual([body.status, body.paidAt], ["paid", "2027-03-12T10:00:00.000Z"]);
  });

  test("an order in review does not expire; rejected after its time, it does", async () => {
    const stage = await open();
    const order = await addOrder(stage.shop);
    await upload(stage.shop, order.id);
    await stage.move("2027-03-20T10:00:00.000Z");
    assert.equal((await shown(stage, order)).status, "awaiting_review");
    assert.equal((await upload(stage.shop, order.id)).status, 200, "more proofs may come while it is in review");
    const { body } = await review(stage.staff, order.id, "reject");
    assert.equal(body.status, "rejected");
    await stage.move("2027-03-20T10:00:01.000Z");
    assert.equal((await shown(stage, order)).status, "expired");
    assert.equal((await upload(stage.shop, order.id)).status, 400);
    assert.deepEqual(await told(order.id), ["eft.proof_received", "eft.proof_received", "eft.rejected", "eft.expired"]);
  });

  test("a rejected order expires; a paid and a cancelled one do not", async () => {
    const stage = await open();
    const [rejected, paid, cancelled] = [
      await addOrder(stage.shop),
      await addOrder(stage.shop),
      await addOrder(stage.shop),
    ];
    await upload(stage.shop, rejected.id);
    await review(stage.staff, rejected.id, "reject");
    await review(stage.staff, paid.id, "approve");
    await stage.shop.post(`/eft-orders/${cancelled.id}/cancel`, undefined);
    await stage.move("2027-04-01T10:00:00.000Z");
    const now = await Promise.all([rejected, paid, cancelled].map((order) => shown(stage, order)));
    assert.deepEqual(
      now.map(({ status }) => status),
      ["expired", "paid", "cancelled"],
    );
  });

  test("expiring and approving at once: paid in the end, and once", async () => {
    for (let round = 0; round < 3; round++) {
      const stage = await open();
      const order = await addOrder(stage.shop);
      const [, approved] = await Promise.all([
        stage.move("2027-03-08T10:00:00.000Z"),
        review(stage.staff, order.id, "approve"),
      ]);
      assert.equal(approved.status, 200, approved.text);
      assert.equal((await shown(stage, order)).status, "paid");
      assert.equal((await told(order.reference)).filter((type) => type === "payment.complete").length, 1);
    }
  });
});

test("an approval mails the payer one receipt", async () => {
  const stage = await open();
  const order = await addOrder(stage.shop, { ...CUSTOMER, description: "Deposit" });
  await review(stage.staff, order.id, "approve");
  await stage.move("2027-03-01T11:00:00.000Z");
  await stage.move("2027-04-01T11:00:00.000Z");
  const mails = await mailsOf(api.services, stage.shop.organisation);
  assert.deepEqual(
    mails.map(({ kind, recipients }) => [kind, recipients]),
    [["receipt", ["thandi@example.co.za"]]],
  );
  assert.match(mails[0]?.text ?? "", new RegExp(order.reference));
});

describe("the reminder", () => {
  const CASES: [string, string | undefined, string[]][] = [
    ["a week", undefined, ["2027-03-06T10:00:00.000Z"]],
    ["three days", "2027-03-04T10:00:00Z", ["2027-03-02T10:00:00.000Z"]],
    ["less than three days", "2027-03-04T09:00:00Z", []],
    ["a day", "2027-03-02T10:00:00Z", []],
  ];
  for (const [name, expiresAt, expected] of CASES)
    test(`of an order open for ${name}: ${expected[0] ?? "none"}`, async () => {
      const stage = await open();
      await addOrder(stage.shop, { ...CUSTOMER, expiresAt });
      await stage.move("2027-04-01T10:00:00.000Z");
      assert.deepEqual(await reminders(stage), expected);
    });

  test("goes out for a rejected order, not for one in review, paid, cancelled or without an address", async () => {
    const stage = await open();
    const { shop, staff } = stage;
    const [rejected, inReview, paid, cancelled] = [
      await addOrder(shop, CUSTOMER),
      await addOrder(shop, CUSTOMER),
      await addOrder(shop, CUSTOMER),
      await addOrder(shop, CUSTOMER),
    ];
    await addOrder(shop);
    for (const { id } of [rejected, inReview]) await upload(shop, id);
    await review(staff, rejected.id, "reject");
    await review(staff, paid.id, "approve");
    await shop.post(`/eft-orders/${cancelled.id}/cancel`, undefined);
    await stage.move("2027-03-07T10:00:00.000Z");
    const mails = await api.query<{ dedupe_key: string }>(
      "select dedupe_key from emails where organisation_id = $1 and kind = 'eft_reminder'",
      shop.organisation.id,
    );
    assert.deepEqual(
      mails.map(({ dedupe_key }) => dedupe_key),
      [`eft-reminder:${rejected.id}`],
    );
  });
});
