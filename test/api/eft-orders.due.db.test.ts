import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { postForm } from "../support/cards.ts";
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

  /** How the link or the invoice of an order takes no payment any more; whether its payer is still reminded. */
  const ENDS: Readonly<Record<string, { reminded: boolean; end: (stage: Stage, made: Begun) => Promise<unknown> }>> = {
    "an open invoice": { reminded: true, end: async () => {} },
    "an invoice that was paid in part": { reminded: true, end: ({ shop }, { invoice }) => pay(shop, invoice, 15) },
    "an invoice that was paid otherwise": { reminded: false, end: ({ shop }, { invoice }) => pay(shop, invoice, 115) },
    "an invoice that was cancelled": {
      reminded: false,
      end: async ({ shop }, { invoice }) =>
        assert.equal((await shop.post(`/invoices/${invoice}/cancel`, undefined)).status, 200),
    },
    "a link that was switched off": {
      reminded: false,
      end: async ({ staff }, { link }) =>
        assert.equal((await staff("POST", `/payment-links/${link}/deactivate`)).status, 200),
    },
  };
  for (const [name, { reminded, end }] of Object.entries(ENDS))
    test(`of a transfer for ${name}: ${reminded ? "mailed" : "none"}`, async () => {
      const stage = await open();
      await end(stage, await begun(stage));
      await stage.move("2027-03-07T10:00:00.000Z");
      assert.equal((await reminders(stage)).length, reminded ? 1 : 0);
    });
});

interface Begun {
  readonly invoice: string;
  readonly link: string;
}

/** An invoice of 115.00, and a transfer that was begun on its pay page. */
async function begun({ shop }: Stage): Promise<Begun> {
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 115, taxRate: 0 }];
  const made = await shop.post<{ id: string; payUrl: string }>("/invoices", { ...CUSTOMER, lines, send: true });
  const [account] = await api.query<{ id: string }>(
    "select id from gateway_accounts where organisation_id = $1 and type = 'manual_eft'",
    shop.organisation.id,
  );
  const page = await postForm(api, made.body.payUrl, { gateway: account?.id ?? "" });
  assert.equal(page.status, 303, page.text);
  const [order] = await api.query<{ link: string }>(
    "select payment_link_id as link from eft_orders where organisation_id = $1",
    shop.organisation.id,
  );
  return { invoice: made.body.id, link: order?.link ?? "" };
}

async function pay(shop: ApiMerchant, invoice: string, amount: number): Promise<void> {
  const paid = await shop.post(`/invoices/${invoice}/payments`, { amount, method: "cash" });
  assert.equal(paid.status, 201, paid.text);
}
