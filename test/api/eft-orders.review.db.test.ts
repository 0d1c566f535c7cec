import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { type EftAction, moveEftOrder } from "../../src/modules/eft-orders/states.ts";
import { EFT_STATUSES, type EftStatus } from "../../src/modules/eft-orders/types.ts";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addOrder, addTransfers, type EftOrderBody, review, upload } from "../support/eft.ts";
import { mailsOf } from "../support/mails.ts";

let api: TestApi;
let shop: ApiMerchant;
let staff: StaffCall;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  await addTransfers(shop);
  staff = await shop.signIn("finance");
});
after(() => api.close());

const shown = async (id: string) => (await shop.get<EftOrderBody>(`/eft-orders/${id}`)).body;
const transactionOf = async (reference: string) => (await shop.get(`/transactions/${reference}`)).body;
const cancel = (id: string) => shop.post<EftOrderBody & { error?: string }>(`/eft-orders/${id}/cancel`, undefined);
const eventsOf = (...subjects: string[]) =>
  api.query<{ type: string; subject: string; data: Record<string, unknown> }>(
    "select type, subject, data from events where subject = any($1) order by id",
    subjects,
  );
const typesOf = async (order: EftOrderBody) =>
  (await eventsOf(order.id, order.reference)).map(({ type }) => type).sort();
const posted = async (reference: string) =>
  (
    await api.query<{ account: string; amount_cents: string }>(
      `select l.account, l.amount_cents from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id
         and l.entry_id = e.id where e.subject = $1 order by l.line`,
      reference,
    )
  ).map(({ account, amount_cents }) => [account, Number(amount_cents)]);

/** An order with `status`, reached by the usual requests. */
async function orderAt(status: EftStatus): Promise<EftOrderBody> {
  const order = await addOrder(shop);
  if (status === "awaiting_review" || status === "rejected") await upload(shop, order.id);
  if (status === "rejected") await review(staff, order.id, "reject");
  if (status === "paid") await review(staff, order.id, "approve");
  if (status === "cancelled") await cancel(order.id);
  if (status === "expired")
    await api.query("update eft_orders set expires_at = created_at - interval '1 day' where id = $1", order.id);
  const now = await shown(order.id);
  assert.equal(now.status, status);
  return now;
}

const ACT: Record<
  Exclude<EftAction, "expire">,
  (id: string) => Promise<{ status: number; body: { error?: string } }>
> = {
  upload: (id) => upload(shop, id),
  approve: (id) => review(staff, id, "approve"),
  reject: (id) => review(staff, id, "reject"),
  cancel: (id) => cancel(id),
};
/** Events of each move (interface 3.10, "also"), without those of the moves before it. */
const TOLD: Record<string, string[]> = {
  upload: ["eft.proof_received"],
  approve: ["payment.complete"],
  reject: ["eft.rejected"],
  cancel: ["eft.cancelled", "payment.cancelled"],
};

describe("interface 3.10 over HTTP, cell for cell", () => {
  for (const from of EFT_STATUSES)
    for (const [action, act] of Object.entries(ACT)) {
      const to = moveEftOrder(from, action as EftAction);
      test(`${from}, ${action}: ${to ?? "400, and nothing changes"}`, async () => {
        const order = await orderAt(from);
        const before = await typesOf(order);
        const answer = await act(order.id);
        const told = (await typesOf(order)).filter((type, at) => before[at] !== type || before.length === 0);
        if (to === null) {
          assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
          assert.deepEqual([await shown(order.id), await typesOf(order)], [order, before]);
          return;
        }
        assert.equal(answer.status, 200);
        assert.deepEqual([(answer.body as EftOrderBody).status, (await shown(order.id)).status], [to, to]);
        const changes = !(from === "cancelled" && action === "cancel");
        assert.equal((await typesOf(order)).length - before.length, changes ? TOLD[action]?.length : 0, told.join());
        for (const type of changes ? (TOLD[action] ?? []) : []) assert.ok((await typesOf(order)).includes(type), type);
      });
    }
});

describe("approval", () => {
  test("pays the transaction, has an event with the order's description, and is posted to the bank", async () => {
    const { body: customer } = await shop.post<{ id: string }>("/customers", {
      externalReference: "A-1",
      email: "a@example.co.za",
    });
    const order = await addOrder(shop, {
      externalReference: "order-9",
      metadata: { cart: "9" },
      customer: { id: customer.id },
    });
    const { body: paid } = await review(staff, order.id, "approve");
    assert.deepEqual([paid.status, paid.rejectionReason], ["paid", null]);
    assert.ok(paid.paidAt && paid.paidAt === paid.reviewedAt);
    const [event] = await eventsOf(order.reference);
    const { customer: told, ...data } = event?.data ?? {};
    assert.equal(event?.type, "payment.complete");
    assert.deepEqual(told, { id: customer.id, externalReference: "A-1", email: "a@example.co.za" });
    assert.deepEqual(data, await transactionOf(order.reference));
    assert.deepEqual(
      [data["eftOrderId"], data["externalReference"], data["metadata"], data["fee"], data["paidAt"]],
      [order.id, "order-9", { cart: "9" }, null, paid.paidAt],
    );
    assert.deepEqual(await posted(order.reference), [
      ["bank", 10_000],
      ["revenue", -10_000],
    ]);
    const report = await api.query(
      "select source, outcome from gateway_notifications where reference = $1",
      order.reference,
    );
    assert.deepEqual(report, [{ source: "staff", outcome: "applied" }]);
    const work = await api.query("select from due_work where subject = $1", order.id);
    assert.equal(work.length, 0, "nothing waits for it any more");
  });

  test("two members of staff at once: one approves, the other is refused", async () => {
    const order = await orderAt("awaiting_review");
    const answers = await Promise.all([review(staff, order.id, "approve"), review(staff, order.id, "approve")]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    assert.deepEqual(await posted(order.reference), [
      ["bank", 10_000],
      ["revenue", -10_000],
    ]);
  });

  test("approving and rejecting at once: one wins, and the payment says the same", async () => {
    for (let round = 0; round < 8; round++) {
      const order = await orderAt("awaiting_review");
      const [approved, rejected] = await Promise.all([
        review(staff, order.id, "approve"),
        review(staff, order.id, "reject"),
      ]);
      const now = await shown(order.id);
      const paid = (await transactionOf(order.reference))["status"];
      if (approved.status === 200 && rejected.status === 400)
        assert.deepEqual([now.status, paid], ["paid", "complete"]);
      // Rejected, then approved: staff may approve without a proof.
      else assert.deepEqual([approved.status, rejected.status, now.status, paid], [200, 200, "paid", "complete"]);
    }
  });

  test("cancelling, approving, rejecting and uploading at once: one end, and books that agree", async () => {
    for (let round = 0; round < 8; round++) {
      const order = await orderAt("awaiting_review");
      const answers = await Promise.all([
        cancel(order.id),
        review(staff, order.id, "approve"),
        review(staff, order.id, "reject"),
        upload(shop, order.id),
        upload(shop, order.id),
      ]);
      for (const { status } of answers) assert.ok(status === 200 || status === 400, String(status));
      const { status } = await shown(order.id);
      const transaction = (await transactionOf(order.reference))["status"];
      assert.ok(status === "paid" || status === "cancelled", status);
      assert.equal(transaction, status === "paid" ? "complete" : "cancelled");
      assert.equal((await posted(order.reference)).length, status === "paid" ? 2 : 0);
    }
  });

  test("an order past its expiry shows expired, and can still be approved: the transfer was late", async () => {
    const order = await orderAt("expired");
    assert.equal((await transactionOf(order.reference))["status"], "pending");
    assert.equal((await review(staff, order.id, "approve")).body.status, "paid");
    assert.equal((await transactionOf(order.reference))["status"], "complete");
  });

  test("is for those who look after money", async () => {
    const order = await addOrder(shop);
    for (const role of ["support", "viewer"] as const) {
      const other = await shop.signIn(role);
      assert.deepEqual([(await review(other, order.id, "approve")).status, role], [403, role]);
    }
    const reader = await shop.addKey([], { scopes: ["eft_orders:read"] });
    assert.equal((await shop.post(`/eft-orders/${order.id}/approve`, undefined, reader)).status, 403);
    assert.equal((await review(staff, "eft_nobody", "approve")).status, 404);
  });
});

describe("rejection", () => {
  test("keeps the reason, has an event and a mail, and the payer may send another proof", async () => {
    const { body: customer } = await shop.post<{ id: string }>("/customers", { email: "r@example.co.za" });
    const order = await addOrder(shop, { customer: { id: customer.id } });
    await upload(shop, order.id);
    const { body } = await review(staff, order.id, "reject", "  The slip shows R 10.  ");
    assert.deepEqual([body.status, body.rejectionReason], ["rejected", "The slip shows R 10."]);
    assert.ok(body.reviewedAt);
    const event = (await eventsOf(order.id)).at(-1);
    assert.deepEqual([event?.type, event?.data], ["eft.rejected", body]);
    const [mail] = await mailsOf(api.services, shop.organisation, {
      kind: "eft_rejected",
      recipient: "r@example.co.za",
    });
    assert.match(mail?.text ?? "", /The slip shows R 10\./);
    const again = await upload(shop, order.id);
    assert.deepEqual([again.body.status, again.body.proofs.length], ["awaiting_review", 2]);
  });

  test("the same file sent again after a rejection is looked at again", async () => {
    const order = await addOrder(shop);
    const part = { field: "file", name: "a.pdf", bytes: Buffer.from("%PDF-1.4\n%%EOF\n") };
    await upload(shop, order.id, part);
    await review(staff, order.id, "reject");
    const again = await upload(shop, order.id, part);
    assert.deepEqual([again.status, again.body.status, again.body.proofs.length], [200, "awaiting_review", 1]);
    assert.deepEqual(
      (await eventsOf(order.id)).map(({ type }) => type),
      ["eft.proof_received", "eft.rejected", "eft.proof_received"],
    );
  });

  test("needs a reason of 1 to 500 characters", async () => {
    const order = await orderAt("awaiting_review");
    for (const reason of [undefined, "", "   ", "x".repeat(501), 7])
      assert.equal((await staff("POST", `/eft-orders/${order.id}/reject`, { reason })).status, 400, String(reason));
    assert.equal((await review(staff, order.id, "reject", "x".repeat(500))).status, 200);
  });
});

describe("cancelling", () => {
  test("ends the order and its transaction, each told once", async () => {
    const order = await addOrder(shop);
    const first = await cancel(order.id);
    const second = await cancel(order.id);
    assert.deepEqual([first.status, second.status, second.body], [200, 200, first.body]);
    assert.equal((await transactionOf(order.reference))["status"], "cancelled");
    assert.deepEqual(await typesOf(order), ["eft.cancelled", "payment.cancelled"]);
    const [event] = await eventsOf(order.id);
    assert.deepEqual(event?.data, first.body);
  });

  test("takes an Idempotency-Key", async () => {
    const order = await addOrder(shop);
    const headers = { "idempotency-key": "cancel-1" };
    const first = await shop.post(`/eft-orders/${order.id}/cancel`, undefined, { headers });
    const second = await shop.post(`/eft-orders/${order.id}/cancel`, undefined, { headers });
    assert.deepEqual([second.text, second.headers["idempotent-replayed"]], [first.text, "true"]);
  });
});

test("what staff and keys did is in the audit log, without account numbers", async () => {
  const order = await orderAt("awaiting_review");
  await review(staff, order.id, "approve");
  const rows = await api.query<{ action: string; after: Record<string, unknown> }>(
    "select action, after from audit_log where subject = $1 order by id",
    order.id,
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ["POST /eft-orders", "POST /eft-orders/{id}/proof", "POST /eft-orders/{id}/approve"],
  );
  assert.equal(rows.at(-1)?.after["status"], "paid");
  assert.doesNotMatch(JSON.stringify(rows), /62 123|\/eft\//);
});

test("after all this, what was written agrees with itself", async () => {
  const faults: unknown[] = [];
  for await (const part of verifyOrganisation(api.services, shop.organisation, EXAMINATIONS))
    faults.push(...part.faults);
  assert.deepEqual(faults, []);
});
