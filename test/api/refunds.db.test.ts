import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { issuePaths, type Refusal } from "../support/api.ts";
import { addPayment, refundAnswer } from "../support/payments.ts";
import { type ShownPayment, setUpRefunds, summary } from "../support/refunds.ts";

const refunds = setUpRefunds();
const { books, events, paid, refund, rows, shown } = refunds;

test("the audit log says what was given back, of what, and how", async () => {
  const reference = await paid();
  await refund(reference, { amount: 30.5, reason: "Broken" });
  await refund(reference);
  const { body } = await refunds.staff<{ data: { before: unknown; after: unknown }[] }>(
    "GET",
    `/audit-log?subject=${reference}`,
  );
  assert.deepEqual(
    body.data.map(({ before, after }) => ({ before, after })),
    [
      {
        before: { status: "partially_refunded", refundedAmount: 30.5 },
        after: {
          status: "partially_refunded",
          refundedAmount: 100,
          refundNumber: `${reference}-R2`,
          amount: 69.5,
          currency: "ZAR",
          method: "gateway",
          reason: null,
        },
      },
      {
        before: { status: "complete", refundedAmount: 0 },
        after: {
          status: "complete",
          refundedAmount: 30.5,
          refundNumber: `${reference}-R1`,
          amount: 30.5,
          currency: "ZAR",
          method: "gateway",
          reason: "Broken",
        },
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
    const [call] = refunds.gateway.calls;
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
    assert.deepEqual(refunds.gateway.calls, []);
    assert.deepEqual(await books(reference), {
      gateway_clearing: 9610,
      gateway_fees: 390,
      revenue: -10_000,
      refunds: 2500,
      bank: -2500,
    });
  });

  test("a gateway that cannot refund: by hand, unless the gateway is asked for", async () => {
    const reference = await addPayment(refunds.api, refunds.shop, refunds.byHand, { status: "complete" });
    const asked = await refund(reference, { method: "gateway" });
    assert.deepEqual([asked.status, issuePaths(asked)], [400, ["method"]]);
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["processed"]]);
  });

  test("out of the credit first, when the payment was an overpayment (interface 16.21)", async () => {
    const customerId = String((await refunds.shop.post("/customers", {})).body["id"]);
    const linkId = String((await refunds.shop.post("/payment-links", { title: "a", amount: 100 })).body["id"]);
    await paid({ linkId, customerId });
    const second = await paid({ linkId, customerId });
    const credit = async () => (await refunds.shop.get(`/customers/${customerId}/standing`)).body["credit"];
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
    assert.equal((await (await refunds.shop.signIn("finance"))("POST", path, order)).status, 201);
    assert.equal((await (await refunds.shop.signIn("support"))("POST", path, order)).status, 403);
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
      assert.deepEqual([await rows(reference), refunds.gateway.calls], [[], []]);
    });

  for (const status of ["pending", "failed", "cancelled", "refunded"])
    test(`a payment that is ${status}`, async () => {
      const reference = await addPayment(refunds.api, refunds.shop, refunds.account, { status });
      for (const body of [undefined, { amount: 1 }, { method: "manual" }]) {
        const answer = await refund(reference, body);
        assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
      }
      assert.deepEqual(refunds.gateway.calls, []);
    });

  test("more than what is left, counted with refunds that are under way", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    assert.equal((await refund(reference, { amount: 60 })).status, 201);
    assert.equal((await refund(reference, { amount: 40.01, method: "manual" })).status, 400);
    assert.equal((await refund(reference, { amount: 40, method: "manual" })).status, 201);
    assert.equal((await refund(reference)).status, 400);
  });
});

describe("403 and 404", () => {
  test("not_found: unknown, and another organisation's", async () => {
    const other = await refunds.api.addMerchant();
    const reference = await addPayment(refunds.api, other, await other.addGateway(), { status: "complete" });
    for (const name of [reference, "TEFO-20270101-00000000", "%00"]) {
      const answer = await refund(name, { amount: 1 });
      assert.deepEqual([answer.status, answer.body.error], [404, "not_found"], name);
    }
  });

  test("account_restricted on a read-only account", async () => {
    const shut = await refunds.api.addMerchant();
    const reference = await addPayment(refunds.api, shut, await shut.addGateway(), { status: "complete" });
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
    assert.equal(refunds.gateway.calls.length, 1);
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
    refunds.staff<ShownPayment>("POST", `/transactions/${reference}/refunds`, body, { "idempotency-key": key });

  test("a repeat is answered by the first reply, at once too: one refund, asked for once", async () => {
    const reference = await paid();
    const answers = await Promise.all(Array.from({ length: 5 }, () => keyed(reference, `r1 ${reference}`)));
    answers.push(await keyed(reference, `r1 ${reference}`));
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.deepEqual([answers[0]?.status, answers[0]?.body.refundedAmount], [201, 30]);
    assert.deepEqual([(await rows(reference)).length, refunds.gateway.calls.length], [1, 1]);
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
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, "refused"));
    const reference = await paid();
    for (let n = 0; n < 3; n++) {
      const { status, body } = await keyed(reference, `no ${reference}`);
      assert.deepEqual([status, body.error], [502, "gateway_error"]);
    }
    assert.deepEqual([(await rows(reference)).length, refunds.gateway.calls.length], [1, 1]);
  });

  test("a process that ended before the gateway was asked: the repeat finds the refund, asks about it first and makes it", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => ({ status: 500, json: {} }));
    const key = `late ${reference}`;
    assert.equal((await keyed(reference, key)).body.refunds[0]?.["status"], "pending");
    await refunds.api.query(
      `update idempotency_keys set status = null, reply_sealed = null, claimed_at = claimed_at - interval '31 seconds' where key = $1`,
      key,
    );
    refunds.gateway.calls.length = 0;
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, "processed"));
    const { status, body } = await keyed(reference, key);
    assert.deepEqual([status, body.refunds.map((refund) => refund["status"])], [201, ["processed"]]);
    assert.deepEqual(
      refunds.gateway.calls.map(({ method }) => method),
      ["GET", "POST"],
    );
    assert.equal((await keyed(reference, key)).headers["idempotent-replayed"], "true");
    assert.equal((await rows(reference)).length, 1);
  });
});
