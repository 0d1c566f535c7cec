import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { checkRefund } from "../../src/flows/payments/check-refund.ts";
import type { Refund } from "../../src/gateways/sandbox/wire.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type ApiMerchant, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import {
  addPayment,
  CREDENTIALS,
  type GatewayReply,
  newsOf,
  notify,
  openStandIn,
  type PaymentRow,
  refundAnswer,
  type StandIn,
} from "../support/payments.ts";

interface Shown extends Refusal {
  readonly status: string;
  readonly refundedAmount: number;
  readonly refunds: readonly Readonly<Record<string, unknown>>[];
  readonly flags: readonly string[];
}

let gateway: StandIn;
let api: TestApi;
let shop: ApiMerchant;
let account: GatewayAccount;
let byHand: GatewayAccount;
let staff: StaffCall;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
  shop = await api.addMerchant();
  account = await shop.addGateway({ credentials: CREDENTIALS });
  const bank = {
    bankName: "FNB",
    accountName: "a",
    accountNumber: "62000000000",
    branchCode: "250655",
    accountType: "current",
  };
  byHand = await shop.addGateway({ type: "manual_eft", credentials: bank });
  staff = await shop.signIn();
});
after(async () => {
  await api.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.calls.length = 0;
  gateway.replies.clear();
  gateway.replies.set("POST refunds", (call) => refundAnswer(call, "processed"));
});

/** A complete payment of 100.00, as the gateway reported it. */
async function paid(row: PaymentRow = {}): Promise<string> {
  const reference = await addPayment(api, shop, account, row);
  await notify(api, account, { payment: newsOf(reference, "complete") });
  return reference;
}
/** A payment of 100.00 for an invoice that came to less, or to more. */
async function partlyOverpaid({ invoice = 70 } = {}) {
  const customerId = String((await shop.post("/customers", {})).body["id"]);
  const lines = [{ description: "Rent", quantity: 1, unitPrice: invoice, taxRate: 0 }];
  const invoiceId = String((await shop.post("/invoices", { customerId, lines, send: true })).body["id"]);
  const body = { title: "Rent", amount: 100, invoiceId, customerId };
  const linkId = String((await shop.post("/payment-links", body)).body["id"]);
  return { customerId, invoiceId, reference: await paid({ linkId, customerId, invoiceId }) };
}
const refund = (reference: string, body?: unknown) => staff<Shown>("POST", `/transactions/${reference}/refunds`, body);
const shown = async (reference: string) => (await shop.get<Shown>(`/transactions/${reference}`)).body;
const events = async (reference: string) =>
  (
    await api.query<{ type: string }>(
      "select type from events where subject = $1 and type <> 'payment.complete' order by id",
      reference,
    )
  ).map(({ type }) => type);
const rows = (reference: string) =>
  api.query<{ id: string; status: string; amount_cents: string; provider_ref: string | null }>(
    "select r.* from refunds r join transactions t on t.organisation_id = r.organisation_id and t.id = r.transaction_id where t.reference = $1 order by r.id",
    reference,
  );
/** Sums by account of all that the books have of a payment and its refunds. */
async function books(reference: string): Promise<Record<string, number>> {
  const lines = await api.query<{ account: string; sum: string }>(
    `select l.account, sum(l.amount_cents) as sum from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
      where e.subject = $1 or e.subject = any(select r.id from refunds r join transactions t on t.id = r.transaction_id where t.reference = $1)
      group by l.account`,
    reference,
  );
  return Object.fromEntries(lines.map(({ account, sum }) => [account, Number(sum)]));
}
const summary = ({ status, refundedAmount, refunds }: Shown) => [
  status,
  refundedAmount,
  refunds.map((given) => given["status"]),
];

test("the audit log says what was given back, of what, and how", async () => {
  const reference = await paid();
  await refund(reference, { amount: 30.5, reason: "Broken" });
  await refund(reference);
  const { body } = await staff<{ data: { before: unknown; after: unknown }[] }>(
    "GET",
    `/audit-log?subject=${reference}`,
  );
  assert.deepEqual(
    body.data.map(({ before, after }) => ({ before, after })),
    [
      {
        before: { status: "partially_refunded", refundedAmount: 30.5 },
        after: { refundNumber: `${reference}-R2`, amount: 69.5, currency: "ZAR", method: "gateway", reason: null },
      },
      {
        before: { status: "complete", refundedAmount: 0 },
        after: { refundNumber: `${reference}-R1`, amount: 30.5, currency: "ZAR", method: "gateway", reason: "Broken" },
      },
    ],
  );
});

describe("201", () => {
  test("without a body: the rest, through the gateway", async () => {
    const reference = await paid();
    const { status, body } = await refund(reference);
    assert.equal(status, 201);
    assert.deepEqual(summary(body), ["refunded", 100, ["processed"]]);
    assert.deepEqual(body, await shown(reference));
    const [call] = gateway.calls;
    assert.deepEqual(
      [call?.body["amount"], call?.body["reference"], call?.idempotencyKey],
      [10_000, reference, (await rows(reference))[0]?.id],
    );
    assert.deepEqual(await events(reference), ["payment.refunded"]);
    assert.deepEqual(await books(reference), {
      gateway_clearing: -390,
      gateway_fees: 390,
      revenue: -10_000,
      refunds: 10_000,
    });
  });

  test("in parts: numbered, summed, told each time, the last one makes it refunded", async () => {
    const reference = await paid();
    for (const [amount, status] of [
      [40, "partially_refunded"],
      [0.01, "partially_refunded"],
      [59.99, "refunded"],
    ] as const) {
      const answer = await refund(reference, { amount, reason: "Returned" });
      assert.deepEqual([answer.status, answer.body.status], [201, status]);
    }
    const { refunds, refundedAmount } = await shown(reference);
    assert.equal(refundedAmount, 100);
    assert.deepEqual(
      refunds.map((given) => [given["refundNumber"], given["amount"]]),
      [
        [`${reference}-R1`, 40],
        [`${reference}-R2`, 0.01],
        [`${reference}-R3`, 59.99],
      ],
    );
    assert.deepEqual(await events(reference), [
      "payment.partially_refunded",
      "payment.partially_refunded",
      "payment.refunded",
    ]);
  });

  test("the rest after a part; half a cent is rounded away from zero", async () => {
    const reference = await paid();
    assert.equal((await refund(reference, { amount: 10.005 })).body.refundedAmount, 10.01);
    const { body } = await refund(reference, { method: "gateway" });
    assert.deepEqual([body.refundedAmount, body.status], [100, "refunded"]);
    assert.equal(body.refunds[1]?.["amount"], 89.99);
  });

  test("by hand: at once, without the gateway, out of the bank", async () => {
    const reference = await paid();
    const { body } = await refund(reference, { amount: 25, method: "manual" });
    assert.deepEqual(summary(body), ["partially_refunded", 25, ["processed"]]);
    assert.deepEqual(gateway.calls, []);
    assert.deepEqual(await books(reference), {
      gateway_clearing: 9610,
      gateway_fees: 390,
      revenue: -10_000,
      refunds: 2500,
      bank: -2500,
    });
  });

  test("a gateway that cannot refund: by hand, unless the gateway is asked for", async () => {
    const reference = await addPayment(api, shop, byHand, { status: "complete" });
    const asked = await refund(reference, { method: "gateway" });
    assert.deepEqual([asked.status, issuePaths(asked)], [400, ["method"]]);
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["processed"]]);
  });

  test("out of the credit first, when nobody owed the payment (interface 16.21)", async () => {
    const customerId = String((await shop.post("/customers", {})).body["id"]);
    const linkId = String((await shop.post("/payment-links", { title: "a", amount: 100 })).body["id"]);
    await paid({ linkId, customerId });
    const second = await paid({ linkId, customerId });
    const credit = async () => (await shop.get(`/customers/${customerId}/standing`)).body["credit"];
    assert.equal(await credit(), 100);
    await refund(second, { amount: 30 });
    assert.equal(await credit(), 70);
    await refund(second);
    assert.equal(await credit(), 0);
    assert.deepEqual(await books(second), { gateway_clearing: -390, gateway_fees: 390, customer_credit: 0 });
  });

  test("finance may, support may not", async () => {
    const reference = await paid();
    const order = { amount: 1 };
    const path = `/transactions/${reference}/refunds`;
    assert.equal((await (await shop.signIn("finance"))("POST", path, order)).status, 201);
    assert.equal((await (await shop.signIn("support"))("POST", path, order)).status, 403);
  });
});

describe("400 invalid_request", () => {
  const ORDERS: [string, unknown, string][] = [
    ["0", { amount: 0 }, "amount"],
    ["less than nothing", { amount: -1 }, "amount"],
    ["what rounds to 0", { amount: 0.004 }, "amount"],
    ["a cent too much", { amount: 100.01 }, "amount"],
    ["text", { amount: "50" }, "amount"],
    ["null, which is what NaN becomes", { amount: null }, "amount"],
    ["an unknown method", { method: "cash" }, "method"],
    ["a long reason", { reason: "a".repeat(256) }, "reason"],
    ["a list", [], ""],
  ];
  for (const [name, body, path] of ORDERS)
    test(`an order of ${name}`, async () => {
      const reference = await paid();
      const answer = await refund(reference, body);
      assert.deepEqual([answer.status, answer.body.error, issuePaths(answer)], [400, "invalid_request", [path]]);
      assert.deepEqual([await rows(reference), gateway.calls], [[], []]);
    });

  for (const status of ["pending", "failed", "cancelled", "refunded"])
    test(`a payment that is ${status}`, async () => {
      const reference = await addPayment(api, shop, account, { status });
      for (const body of [undefined, { amount: 1 }, { method: "manual" }]) {
        const answer = await refund(reference, body);
        assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
      }
      assert.deepEqual(gateway.calls, []);
    });

  test("more than what is left, counted with refunds that are under way", async () => {
    const reference = await paid();
    gateway.replies.set("POST refunds", () => "hang up");
    assert.equal((await refund(reference, { amount: 60 })).status, 201);
    assert.equal((await refund(reference, { amount: 40.01, method: "manual" })).status, 400);
    assert.equal((await refund(reference, { amount: 40, method: "manual" })).status, 201);
    assert.equal((await refund(reference)).status, 400);
  });
});

describe("403 and 404", () => {
  test("not_found: unknown, and another organisation's", async () => {
    const other = await api.addMerchant();
    const reference = await addPayment(api, other, await other.addGateway(), { status: "complete" });
    for (const name of [reference, "TEFO-20270101-00000000", "%00"]) {
      const answer = await refund(name, { amount: 1 });
      assert.deepEqual([answer.status, answer.body.error], [404, "not_found"], name);
    }
  });

  test("account_restricted on a read-only account", async () => {
    const shut = await api.addMerchant();
    const reference = await addPayment(api, shut, await shut.addGateway(), { status: "complete" });
    const theirs = await shut.signIn();
    await shut.change({ state: "suspended" });
    const { status, body } = await theirs<Refusal>("POST", `/transactions/${reference}/refunds`, {});
    assert.deepEqual([status, body.error], [403, "account_restricted"]);
  });
});

describe("at once", () => {
  test("two of 60 %: one is made, the other is too much", async () => {
    const reference = await paid();
    const answers = await Promise.all([refund(reference, { amount: 60 }), refund(reference, { amount: 60 })]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    assert.equal((await shown(reference)).refundedAmount, 60);
    assert.equal(gateway.calls.length, 1);
  });

  for (const method of ["gateway", "manual"])
    test(`twenty of a tenth, ${method}: ten are made, each counted once`, async () => {
      const reference = await paid();
      const answers = await Promise.all(Array.from({ length: 20 }, () => refund(reference, { amount: 10, method })));
      assert.equal(answers.filter(({ status }) => status === 201).length, 10);
      const { status, refundedAmount, refunds } = await shown(reference);
      assert.deepEqual([status, refundedAmount], ["refunded", 100]);
      assert.equal(new Set(refunds.map((given) => given["refundNumber"])).size, 10);
      assert.equal((await books(reference))["refunds"], 10_000);
      const types = await events(reference);
      assert.deepEqual([types.length, types.filter((type) => type === "payment.refunded").length], [10, 1]);
      assert.equal(types.at(-1), "payment.refunded");
    });

  test("two of the rest: one", async () => {
    const reference = await paid();
    const answers = await Promise.all([refund(reference), refund(reference), refund(reference)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400]);
  });
});

describe("with an Idempotency-Key", () => {
  const keyed = (reference: string, key: string, body: unknown = { amount: 30 }) =>
    staff<Shown>("POST", `/transactions/${reference}/refunds`, body, { "idempotency-key": key });

  test("a repeat is answered by the first reply, at once too: one refund, asked for once", async () => {
    const reference = await paid();
    const answers = await Promise.all(Array.from({ length: 5 }, () => keyed(reference, `r1 ${reference}`)));
    answers.push(await keyed(reference, `r1 ${reference}`));
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.deepEqual([answers[0]?.status, answers[0]?.body.refundedAmount], [201, 30]);
    assert.deepEqual([(await rows(reference)).length, gateway.calls.length], [1, 1]);
    assert.equal((await keyed(reference, `r2 ${reference}`)).body.refundedAmount, 60, "another key is another refund");
  });

  test("by hand, and a refusal of ours: stored as any reply", async () => {
    const reference = await paid();
    for (let n = 0; n < 2; n++) {
      assert.equal((await keyed(reference, `hand ${reference}`, { amount: 30, method: "manual" })).status, 201);
      const much = await keyed(reference, `much ${reference}`, { amount: 70.01 });
      assert.deepEqual([much.status, much.headers["idempotent-replayed"]], [400, n === 0 ? undefined : "true"]);
    }
    assert.equal((await rows(reference)).length, 1);
  });

  test("refused by the gateway: 502 each time, and no second refund is asked for", async () => {
    gateway.replies.set("POST refunds", (call) => refundAnswer(call, "refused"));
    const reference = await paid();
    for (let n = 0; n < 3; n++) {
      const { status, body } = await keyed(reference, `no ${reference}`);
      assert.deepEqual([status, body.error], [502, "gateway_error"]);
    }
    assert.deepEqual([(await rows(reference)).length, gateway.calls.length], [1, 1]);
  });

  test("a process that ended before the gateway was asked: the repeat finds the refund, asks about it first and makes it", async () => {
    const reference = await paid();
    gateway.replies.set("POST refunds", () => ({ status: 500, json: {} }));
    const key = `late ${reference}`;
    assert.equal((await keyed(reference, key)).body.refunds[0]?.["status"], "pending");
    await api.query(
      `update idempotency_keys set status = null, reply_sealed = null, claimed_at = claimed_at - interval '31 seconds' where key = $1`,
      key,
    );
    gateway.calls.length = 0;
    gateway.replies.set("POST refunds", (call) => refundAnswer(call, "processed"));
    const { status, body } = await keyed(reference, key);
    assert.deepEqual([status, body.refunds.map((refund) => refund["status"])], [201, ["processed"]]);
    assert.deepEqual(
      gateway.calls.map(({ method }) => method),
      ["GET", "POST"],
    );
    assert.equal((await keyed(reference, key)).headers["idempotent-replayed"], "true");
    assert.equal((await rows(reference)).length, 1);
  });
});

describe("the gateway's answer", () => {
  const reply = (status: Refund["status"]) => gateway.replies.set("POST refunds", (call) => refundAnswer(call, status));
  const tell = async (reference: string, status: Refund["status"], facts: Partial<Refund> = {}, by = account) => {
    const [row] = await rows(reference);
    const told: Refund = {
      id: row?.provider_ref ?? `sbr_${row?.id}`,
      refundId: row?.id ?? "",
      reference,
      amount: Number(row?.amount_cents),
      status,
      reason: null,
      occurredAt: "2027-01-02T00:00:00.000Z",
      ...facts,
    };
    return notify(api, by, { refund: told });
  };
  const check = async (reference: string) =>
    checkRefund(api.services, await shop.ctx(), (await rows(reference))[0]?.id ?? "");
  const isChecked = async (reference: string) =>
    (
      await api.query(
        "select from due_work where kind = 'refund.check' and subject = $1",
        (
          await rows(reference)
        )[0]?.id,
      )
    ).length === 1;

  test("refused: 502 gateway_error, nothing changed, and it can be tried again", async () => {
    const reference = await paid();
    reply("refused");
    const answer = await refund(reference, { amount: 30 });
    assert.deepEqual([answer.status, answer.body.error], [502, "gateway_error"]);
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
    assert.deepEqual([await events(reference), await isChecked(reference)], [[], false]);
    reply("processed");
    const again = await refund(reference, { amount: 100 });
    assert.deepEqual([again.status, again.body.refunds[0]?.["refundNumber"]], [201, `${reference}-R2`]);
  });

  test("refused by status: 4xx is a clear no", async () => {
    const reference = await paid();
    gateway.replies.set("POST refunds", () => ({ status: 409, json: { error: "x", message: "Too old." } }));
    const answer = await refund(reference);
    assert.deepEqual([answer.status, answer.body.error], [502, "gateway_error"]);
    assert.match(answer.body.message, /Too old/);
  });

  const UNCLEAR: [string, GatewayReply][] = [
    ["hangs up", "hang up"],
    ["answers 500", { status: 500, json: {} }],
    ["answers 503", { status: 503, json: {} }],
    ["answers words", { text: "<html>" }],
    ["answers something else", { status: 201, json: { ok: true } }],
  ];
  for (const [name, unclear] of UNCLEAR)
    test(`it ${name}: 201, pending, asked about until it is clear, made once`, async () => {
      const reference = await paid();
      const made = new Set<unknown>();
      gateway.replies.set("POST refunds", ({ body }) => {
        made.add(body["refundId"]);
        return unclear;
      });
      const answer = await refund(reference, { amount: 30 });
      assert.equal(answer.status, 201);
      assert.deepEqual(summary(answer.body), ["complete", 30, ["pending"]]);
      assert.deepEqual(
        [await events(reference), (await books(reference))["refunds"], await isChecked(reference)],
        [[], undefined, true],
      );

      gateway.replies.set("GET refunds", () => unclear);
      assert.notEqual(await check(reference), null);
      gateway.replies.delete("GET refunds");
      gateway.replies.set("POST refunds", (call) => {
        made.add(call.body["refundId"]);
        return refundAnswer(call, "processed");
      });
      assert.equal(await check(reference), null);
      assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
      assert.equal(made.size, 1, "always under the same id");
      assert.deepEqual(await events(reference), ["payment.partially_refunded"]);
    });

  test("it had made the refund all the same: found by asking, counted once", async () => {
    const reference = await paid();
    gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference);
    const posts = gateway.calls.length;
    gateway.replies.set("GET refunds", ({ path }) =>
      refundAnswer(
        {
          method: "",
          path,
          idempotencyKey: undefined,
          body: { refundId: path.split("/")[2], reference, amount: 10_000 },
        },
        "processed",
      ),
    );
    await Promise.all([check(reference), check(reference), check(reference)]);
    assert.equal(gateway.calls.filter(({ method }) => method === "POST").length, posts, "not asked for again");
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed"]]);
    assert.deepEqual([await events(reference), (await books(reference))["refunds"]], [["payment.refunded"], 10_000]);
  });

  test("pending, then processed: the money is back from the first on, told once", async () => {
    const reference = await paid();
    reply("pending");
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["pending"]]);
    await Promise.all(Array.from({ length: 10 }, () => tell(reference, "processed")));
    await tell(reference, "pending");
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed"]]);
    assert.deepEqual([await events(reference), await isChecked(reference)], [["payment.refunded"], false]);
    assert.equal((await books(reference))["refunds"], 10_000);
  });

  test("pending, then refused: undone once, in the books too, and flagged", async () => {
    const reference = await paid();
    reply("pending");
    await refund(reference, { amount: 30 });
    await Promise.all(Array.from({ length: 10 }, () => tell(reference, "refused")));
    const undone = await shown(reference);
    assert.deepEqual([...summary(undone), undone.flags], ["complete", 0, [], ["refund_failed"]]);
    assert.equal((await books(reference))["refunds"], 0);
    await tell(reference, "processed");
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
    reply("processed");
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["processed"]]);
  });

  test("an undone refund gives the credit back that it took", async () => {
    const customerId = String((await shop.post("/customers", {})).body["id"]);
    const linkId = String((await shop.post("/payment-links", { title: "a", amount: 100 })).body["id"]);
    await paid({ linkId, customerId });
    const second = await paid({ linkId, customerId });
    reply("pending");
    await refund(second, { amount: 30 });
    await tell(second, "refused");
    assert.equal((await shop.get(`/customers/${customerId}/standing`)).body["credit"], 100);
  });

  test("the first of two undone: what the second gave back is out of the credit instead", async () => {
    const { customerId, reference } = await partlyOverpaid();
    reply("pending");
    await refund(reference, { amount: 30 });
    await refund(reference, { amount: 20, method: "manual" });
    await tell(reference, "refused");
    assert.equal((await shop.get(`/customers/${customerId}/standing`)).body["credit"], 10);
    assert.equal((await books(reference))["refunds"], 0);
    await refund(reference, { method: "manual" });
    assert.equal((await shop.get(`/customers/${customerId}/standing`)).body["credit"], 0);
    assert.equal((await books(reference))["refunds"], 7000);
  });

  test("undone after its invoice was cancelled: the customer's credit has it back", async () => {
    const { customerId, reference, invoiceId } = await partlyOverpaid({ invoice: 150 });
    const credit = async () => (await shop.get(`/customers/${customerId}/standing`)).body["credit"];
    reply("pending");
    await refund(reference, { amount: 30 });
    assert.equal((await shop.post(`/invoices/${invoiceId}/cancel`, {})).status, 200);
    assert.equal(await credit(), 70);
    await tell(reference, "refused");
    assert.equal(await credit(), 100);
    assert.deepEqual(summary((await refund(reference, { method: "manual" })).body), ["refunded", 100, ["processed"]]);
    assert.equal(await credit(), 0);
  });

  for (const [name, facts] of [
    ["another amount", { amount: 2999 }],
    ["a hundredfold", { amount: 300_000 }],
  ] as const)
    test(`news of ${name} is flagged, not applied`, async () => {
      const reference = await paid();
      gateway.replies.set("POST refunds", () => "hang up");
      await refund(reference, { amount: 30 });
      assert.equal((await tell(reference, "processed", facts)).status, 200);
      const odd = await shown(reference);
      assert.deepEqual([...summary(odd), odd.flags], ["complete", 30, ["pending"], ["notification_mismatch"]]);
      await tell(reference, "processed");
      assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
    });

  test("news from another account of the organisation is flagged, not applied", async () => {
    const second = await shop.addGateway({ type: "sandbox_cancel_only", credentials: CREDENTIALS });
    const reference = await paid();
    gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference, { amount: 30 });
    assert.equal((await tell(reference, "processed", {}, second)).status, 200);
    const odd = await shown(reference);
    assert.deepEqual([...summary(odd), odd.flags], ["complete", 30, ["pending"], ["notification_mismatch"]]);
  });

  test("news from another organisation's account finds nothing", async () => {
    const other = await api.addMerchant();
    const theirs = await other.addGateway({ credentials: CREDENTIALS });
    const reference = await paid();
    gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference, { amount: 30 });
    assert.equal((await tell(reference, "processed", {}, theirs)).status, 200);
    assert.deepEqual(summary(await shown(reference)), ["complete", 30, ["pending"]]);
  });

  test("news of a refund of nobody's is acknowledged", async () => {
    const reference = await paid();
    assert.equal((await tell(reference, "processed", { refundId: "ref_x", id: "sbr_x", amount: 1 })).status, 200);
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
  });
});

describe("what a refund leaves as it is", () => {
  for (const [body, status] of [
    [{ amount: 30 }, "partially_refunded"],
    [undefined, "refunded"],
  ] as const)
    test(`${status}: no notification of the payment moves it (interface 3.1)`, async () => {
      const reference = await paid();
      await refund(reference, body);
      const before = await shown(reference);
      for (const news of ["pending", "cancelled", "failed", "complete"] as const)
        await notify(api, account, { payment: newsOf(reference, news) });
      assert.deepEqual(await shown(reference), before);
      assert.deepEqual((await events(reference)).length, 1);
    });

  test("every entry balances", async () => {
    const odd = await api.query(
      "select entry_id from journal_lines group by organisation_id, entry_id having sum(amount_cents) <> 0",
    );
    assert.deepEqual(odd, []);
  });
});
