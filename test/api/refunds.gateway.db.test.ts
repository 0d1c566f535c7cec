import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { applyRefundFact } from "../../src/flows/payments/apply-refund.ts";
import { checkRefund } from "../../src/flows/payments/refund-payment.ts";
import { GatewayNotReached } from "../../src/gateways/http.ts";
import { findAdapter } from "../../src/gateways/registry.ts";
import { refundFact } from "../../src/gateways/sandbox/facts.ts";
import type { Refund } from "../../src/gateways/sandbox/wire.ts";
import { mailsOf } from "../support/mails.ts";
import { CREDENTIALS, type GatewayReply, notify, refundAnswer, reportedPayment } from "../support/payments.ts";
import { setUpRefunds, summary } from "../support/refunds.ts";

const refunds = setUpRefunds();
const { books, events, paid, partlyOverpaid, refund, rows, shown } = refunds;

describe("the gateway's answer", () => {
  const reply = (status: Refund["status"]) =>
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, status));
  const notifyOf = async (
    reference: string,
    status: Refund["status"],
    facts: Partial<Refund> = {},
    by = refunds.account,
  ) => {
    const [row] = await rows(reference);
    const reported: Refund = {
      id: row?.provider_ref ?? `sbr_${row?.id}`,
      refundId: row?.id ?? "",
      reference,
      amount: Number(row?.amount_cents),
      status,
      reason: null,
      occurredAt: "2027-01-02T00:00:00.000Z",
      ...facts,
    };
    return notify(refunds.api, by, { refund: reported });
  };
  const check = async (reference: string) =>
    checkRefund(refunds.api.services, await refunds.shop.ctx(), (await rows(reference))[0]?.id ?? "");
  const isChecked = async (reference: string) =>
    (
      await refunds.api.query(
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
    refunds.gateway.replies.set("POST refunds", () => ({ status: 409, json: { error: "x", message: "Too old." } }));
    const answer = await refund(reference);
    assert.deepEqual([answer.status, answer.body.error], [502, "gateway_error"]);
    assert.match(answer.body.message, /Too old/);
  });

  const unreachable = (t: TestContext) => {
    const ability = findAdapter("sandbox")?.refunds ?? assert.fail("the sandbox gateway refunds");
    t.mock.method(ability, "refund", () => Promise.reject(new GatewayNotReached("refused")));
  };

  test("not sent: 502 gateway_error, nothing changed, and it can be tried again", async (t) => {
    const reference = await paid();
    unreachable(t);
    const answer = await refund(reference, { amount: 30 });
    assert.deepEqual([answer.status, answer.body.error], [502, "gateway_error"]);
    assert.match(answer.body.message, /could not be sent to the gateway/);
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
    assert.deepEqual([await events(reference), await isChecked(reference)], [[], false]);
    const health = await refunds.staff<{ status: string }>("GET", `/gateways/${refunds.account.id}/health`);
    assert.equal(health.body.status, "failing", "no answer of the gateway's");
    t.mock.restoreAll();
    const again = await refund(reference, { amount: 100 });
    assert.deepEqual([again.status, again.body.refunds[0]?.["refundNumber"]], [201, `${reference}-R2`]);
  });

  test("unclear, and the second request not sent: pending, since the first may have been made", async (t) => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    assert.equal((await refund(reference, { amount: 30 })).status, 201);
    unreachable(t);
    assert.notEqual(await check(reference), null);
    assert.deepEqual(summary(await shown(reference)), ["complete", 30, ["pending"]]);
    t.mock.restoreAll();
    reply("processed");
    assert.equal(await check(reference), null);
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
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
      refunds.gateway.replies.set("POST refunds", ({ body }) => {
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

      refunds.gateway.replies.set("GET refunds", () => unclear);
      assert.notEqual(await check(reference), null);
      refunds.gateway.replies.delete("GET refunds");
      refunds.gateway.replies.set("POST refunds", (call) => {
        made.add(call.body["refundId"]);
        return refundAnswer(call, "processed");
      });
      assert.equal(await check(reference), null);
      assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
      assert.equal(made.size, 1, "always under the same id");
      assert.deepEqual(await events(reference), ["payment.partially_refunded"]);
    });

  test("the gateway has made the refund: it is found by a query and counted once", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference);
    const posts = refunds.gateway.calls.length;
    refunds.gateway.replies.set("GET refunds", ({ path }) =>
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
    assert.equal(refunds.gateway.calls.filter(({ method }) => method === "POST").length, posts, "not asked for again");
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed"]]);
    assert.deepEqual([await events(reference), (await books(reference))["refunds"]], [["payment.refunded"], 10_000]);
  });

  test("an answer about another refund counts as no answer", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", (call) => {
      const another = { ...call, body: { ...call.body, refundId: "ref_01kc00000000000000000000000" } };
      return refundAnswer(another, "processed");
    });
    assert.deepEqual(summary((await refund(reference, { amount: 30 })).body), ["complete", 30, ["pending"]]);
    assert.equal(await isChecked(reference), true);
    reply("processed");
    assert.equal(await check(reference), null);
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
  });

  test("pending, then processed: the money is back from the first on, one event", async () => {
    const reference = await paid();
    reply("pending");
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["pending"]]);
    await Promise.all(Array.from({ length: 10 }, () => notifyOf(reference, "processed")));
    await notifyOf(reference, "pending");
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed"]]);
    assert.deepEqual([await events(reference), await isChecked(reference)], [["payment.refunded"], false]);
    assert.equal((await books(reference))["refunds"], 10_000);
  });

  test("pending, then refused: undone once, in the books too, and flagged", async () => {
    const reference = await paid();
    reply("pending");
    await refund(reference, { amount: 30 });
    await Promise.all(Array.from({ length: 10 }, () => notifyOf(reference, "refused")));
    const undone = await shown(reference);
    assert.deepEqual([...summary(undone), undone.flags], ["complete", 0, [], ["refund_failed"]]);
    assert.equal((await books(reference))["refunds"], 0);
    const { api, shop } = refunds;
    const alerts = await mailsOf(api.services, shop.organisation, { kind: "staff_alert" });
    const about = alerts.filter(({ text }) => text.includes(reference));
    assert.deepEqual([about.length, await events(reference)], [1, ["payment.partially_refunded"]]);
    assert.match(String(about[0]?.subject), /a refund of R 30\.00 could not be made/);
    await notifyOf(reference, "processed");
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
    reply("processed");
    assert.deepEqual(summary((await refund(reference)).body), ["refunded", 100, ["processed"]]);
  });

  test("an undone refund gives the credit back that it took", async () => {
    const customerId = String((await refunds.shop.post("/customers", {})).body["id"]);
    const linkId = String((await refunds.shop.post("/payment-links", { title: "a", amount: 100 })).body["id"]);
    await paid({ linkId, customerId });
    const second = await paid({ linkId, customerId });
    reply("pending");
    await refund(second, { amount: 30 });
    await notifyOf(second, "refused");
    assert.equal((await refunds.shop.get(`/customers/${customerId}/standing`)).body["credit"], 100);
  });

  test("the first of two undone: what the second gave back is out of the credit instead", async () => {
    const { customerId, reference } = await partlyOverpaid();
    reply("pending");
    await refund(reference, { amount: 30 });
    await refund(reference, { amount: 20, method: "manual" });
    await notifyOf(reference, "refused");
    assert.equal((await refunds.shop.get(`/customers/${customerId}/standing`)).body["credit"], 10);
    assert.equal((await books(reference))["refunds"], 0);
    await refund(reference, { method: "manual" });
    assert.equal((await refunds.shop.get(`/customers/${customerId}/standing`)).body["credit"], 0);
    assert.equal((await books(reference))["refunds"], 7000);
  });

  test("undone after its invoice was cancelled: the customer's credit has it back", async () => {
    const { customerId, reference, invoiceId } = await partlyOverpaid({ invoice: 150 });
    const credit = async () => (await refunds.shop.get(`/customers/${customerId}/standing`)).body["credit"];
    reply("pending");
    await refund(reference, { amount: 30 });
    assert.equal((await refunds.shop.post(`/invoices/${invoiceId}/cancel`, {})).status, 200);
    assert.equal(await credit(), 70);
    await notifyOf(reference, "refused");
    assert.equal(await credit(), 100);
    assert.deepEqual(summary((await refund(reference, { method: "manual" })).body), ["refunded", 100, ["processed"]]);
    assert.equal(await credit(), 0);
  });

  for (const [name, facts] of [
    ["another amount", { amount: 2999 }],
    ["a hundredfold", { amount: 300_000 }],
  ] as const)
    test(`a report of ${name} is flagged, not applied`, async () => {
      const reference = await paid();
      refunds.gateway.replies.set("POST refunds", () => "hang up");
      await refund(reference, { amount: 30 });
      assert.equal((await notifyOf(reference, "processed", facts)).status, 200);
      const odd = await shown(reference);
      assert.deepEqual([...summary(odd), odd.flags], ["complete", 30, ["pending"], ["notification_mismatch"]]);
      await notifyOf(reference, "processed");
      assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
    });

  test("a report by another account of the organisation is flagged, not applied", async () => {
    const second = await refunds.shop.addGateway({ type: "sandbox_cancel_only", credentials: CREDENTIALS });
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference, { amount: 30 });
    assert.equal((await notifyOf(reference, "processed", {}, second)).status, 200);
    const odd = await shown(reference);
    assert.deepEqual([...summary(odd), odd.flags], ["complete", 30, ["pending"], ["notification_mismatch"]]);
  });

  test("a report by another organisation's account finds no refund", async () => {
    const other = await refunds.api.addMerchant();
    const theirs = await other.addGateway({ credentials: CREDENTIALS });
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference, { amount: 30 });
    assert.equal((await notifyOf(reference, "processed", {}, theirs)).status, 200);
    assert.deepEqual(summary(await shown(reference)), ["complete", 30, ["pending"]]);
  });

  test("every report is kept with its outcome, also of a refund of an unknown payment", async () => {
    const kept = (reference: string) =>
      refunds.api.query<{ outcome: string; source: string }>(
        "select outcome, source from gateway_notifications where reference = $1 and fact->>'about' = 'refund' order by id",
        reference,
      );
    const reference = await paid();
    const unknown = { refundId: "ref_x", id: "sbr_x", amount: 1, reference: "TEFO-20270101-00000000" };
    assert.equal((await notifyOf(reference, "processed", unknown)).status, 200);
    assert.deepEqual(await kept(unknown.reference), [{ outcome: "unknown_reference", source: "notification" }]);
    reply("pending");
    await refund(reference);
    await notifyOf(reference, "processed");
    await notifyOf(reference, "processed");
    assert.deepEqual(await kept(reference), [
      { outcome: "applied", source: "query" },
      { outcome: "applied", source: "notification" },
      { outcome: "repeated", source: "notification" },
    ]);
  });

  test("the gateway's own id finds a refund of that gateway account only", async () => {
    const reference = await paid();
    reply("pending");
    await refund(reference);
    const [row] = await rows(reference);
    const ctx = await refunds.shop.ctx();
    const report = async (accountId: string) => {
      const told = { refundId: "", reference, amount: 10_000, status: "processed", reason: null } as const;
      const fact = refundFact({ ...told, id: String(row?.provider_ref), occurredAt: "2027-01-02T00:00:00.000Z" });
      return refunds.api.services.db.transaction(ctx.organisation.id, (tx) =>
        applyRefundFact(tx, ctx, { accountId, source: "notification" }, { ...fact, refundId: null }),
      );
    };
    const other = await refunds.shop.addGateway({ credentials: CREDENTIALS });
    assert.equal(await report(other.id), "unknown_reference");
    assert.deepEqual((await shown(reference)).flags, []);
    assert.equal(await report(refunds.account.id), "applied");
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed"]]);
  });
});

describe("a report without an id that a refund of this amount failed", () => {
  const failed = async (reference: string): Promise<string> => {
    const ctx = await refunds.shop.ctx();
    const told = { id: "", refundId: "", reference, amount: 4_000, status: "refused", reason: "Failed." } as const;
    const fact = refundFact({ ...told, occurredAt: "2027-01-02T00:00:00.000Z" });
    return refunds.api.services.db.transaction(ctx.organisation.id, (tx) =>
      applyRefundFact(
        tx,
        ctx,
        { accountId: refunds.account.id, source: "notification" },
        { ...fact, refundId: null, providerRefundRef: null },
      ),
    );
  };
  for (const [before, outcome, after] of [
    ["processed", "unknown_reference", ["partially_refunded", 40, ["processed"]]],
    ["pending", "applied", ["complete", 0, []]],
  ] as const)
    test(`${before}: ${outcome === "applied" ? "it failed" : "the gateway is asked, since it may be about another one"}`, async () => {
      const reference = await paid();
      refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, before));
      await refund(reference, { amount: 40 });
      assert.equal(await failed(reference), outcome);
      assert.deepEqual(summary(await shown(reference)), after);
      const [row] = await rows(reference);
      const checks = await refunds.api.query(
        "select from due_work where kind = 'refund.check' and subject = $1",
        row?.id,
      );
      assert.equal(checks.length, outcome === "applied" ? 0 : 1);
    });
});

describe("what a refund does not change", () => {
  for (const [body, status] of [
    [{ amount: 30 }, "partially_refunded"],
    [undefined, "refunded"],
  ] as const)
    test(`${status}: no notification of the payment moves it (interface 3.1)`, async () => {
      const reference = await paid();
      await refund(reference, body);
      const before = await shown(reference);
      for (const report of ["pending", "cancelled", "failed", "complete"] as const)
        await notify(refunds.api, refunds.account, { payment: reportedPayment(reference, report) });
      assert.deepEqual(await shown(reference), before);
      assert.deepEqual((await events(reference)).length, 1);
    });

  test("every entry balances", async () => {
    const odd = await refunds.api.query(
      "select entry_id from journal_lines group by organisation_id, entry_id having sum(amount_cents) <> 0",
    );
    assert.deepEqual(odd, []);
  });
});
