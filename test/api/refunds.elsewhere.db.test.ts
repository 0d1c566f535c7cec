import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applyRefundReports } from "../../src/flows/payments/refund-reports.ts";
import type { Refund } from "../../src/gateways/sandbox/wire.ts";
import { mailsOf } from "../support/mails.ts";
import { addPayment, notify, refundAnswer, reportedPayment } from "../support/payments.ts";
import { setUpRefunds, summary } from "../support/refunds.ts";
import { faultsOf } from "../support/verified.ts";

const refunds = setUpRefunds();
const { books, events, paid, refund, shown } = refunds;

/** The gateway tells of a refund that was not requested here; amounts in rand. */
const told = async (
  reference: string,
  id: string,
  { amount = 30, status = "processed", refundId = null }: TellsOf = {},
) => {
  const cents = amount === null ? null : amount * 100;
  const report = { id, refundId, reference, amount: cents, status, reason: null } as const;
  const answer = await notify(refunds.api, refunds.account, {
    refund: { ...report, occurredAt: "2027-01-02T00:00:00.000Z" },
  });
  assert.equal(answer.status, 200);
};
interface TellsOf {
  readonly amount?: number | null;
  readonly status?: Refund["status"];
  readonly refundId?: string | null;
}

/** Does the work that is due for a payment about which reports wait; answers whether there was any. */
const catchUp = async (reference: string): Promise<boolean> => {
  const [due] = await refunds.api.query<{ subject: string }>(
    "delete from due_work w using transactions t where w.kind = 'refund.reports' and w.subject = t.id and t.reference = $1 returning subject",
    reference,
  );
  if (due) await applyRefundReports(refunds.api.services, await refunds.shop.ctx(), due.subject);
  return due !== undefined;
};
const alertsAbout = async (reference: string) => {
  const mails = await mailsOf(refunds.api.services, refunds.shop.organisation, { kind: "staff_alert" });
  return mails.filter(({ text }) => text.includes(reference)).map(({ subject }) => subject);
};

describe("a refund that was made in the gateway's own dashboard", () => {
  test("is booked as one of ours, once, with its event, and flagged", async () => {
    const reference = await paid();
    await Promise.all(Array.from({ length: 8 }, () => told(reference, "sbr_a")));
    const after = await shown(reference);
    assert.deepEqual([...summary(after), after.flags], ["partially_refunded", 30, ["processed"], ["made_elsewhere"]]);
    assert.partialDeepStrictEqual(after.refunds[0], { refundNumber: `${reference}-R1`, madeElsewhere: true });
    assert.deepEqual(await events(reference), ["payment.partially_refunded"]);
    assert.deepEqual(
      [(await books(reference))["refunds"], (await books(reference))["gateway_clearing"]],
      [3_000, 6_610],
    );
    assert.deepEqual(await alertsAbout(reference), []);
  });

  test("in parts, up to the whole; more than is left is mailed to staff, and not booked", async () => {
    const reference = await paid();
    await told(reference, "sbr_b1");
    await told(reference, "sbr_b2", { amount: 50 });
    await told(reference, "sbr_b3", { amount: 40 });
    const partly = await shown(reference);
    assert.deepEqual(
      [...summary(partly), partly.flags],
      ["partially_refunded", 80, ["processed", "processed"], ["made_elsewhere", "notification_mismatch"]],
    );
    assert.equal((await alertsAbout(reference)).length, 1);
    await told(reference, "sbr_b4", { amount: 20 });
    assert.deepEqual(summary(await shown(reference)), ["refunded", 100, ["processed", "processed", "processed"]]);
    assert.deepEqual((await events(reference)).at(-1), "payment.refunded");
  });

  test("beside one of ours: whichever is told first, neither is booked twice", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, "pending"));
    await refund(reference, { amount: 30 });
    const ours = (await refunds.rows(reference))[0];
    await told(reference, "sbr_c", { amount: 30 });
    await told(reference, String(ours?.provider_ref), { refundId: String(ours?.id) });
    await told(reference, "sbr_c", { amount: 30 });
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 60, ["processed", "processed"]]);
    assert.equal((await books(reference))["refunds"], 6_000);
  });

  test("while ours has no answer: the report is taken for ours, and the next one is another refund", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", () => "hang up");
    await refund(reference, { amount: 30 });
    await told(reference, "sbr_d1");
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
    await told(reference, "sbr_d2");
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 60, ["processed", "processed"]]);
  });

  test("of the amount of one that the gateway refused us: it is booked", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, "refused"));
    assert.equal((await refund(reference, { amount: 30 })).status, 502);
    await told(reference, "sbr_e");
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
  });

  test("that staff had recorded by hand is that one", async () => {
    const reference = await paid();
    await refund(reference, { amount: 30, method: "manual" });
    await told(reference, "sbr_f");
    await told(reference, "sbr_f");
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
  });

  test("pending, then processed; pending, then failed: undone, mailed, and an older report changes nothing", async () => {
    const reference = await paid();
    await told(reference, "sbr_g1", { status: "pending" });
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["pending"]]);
    await told(reference, "sbr_g1");
    await told(reference, "sbr_g2", { amount: 20, status: "pending" });
    await told(reference, "sbr_g2", { amount: 20, status: "refused" });
    await told(reference, "sbr_g2", { amount: 20, status: "pending" });
    await told(reference, "sbr_g2", { amount: 20 });
    const after = await shown(reference);
    assert.deepEqual(summary(after), ["partially_refunded", 30, ["processed"]]);
    assert.deepEqual([after.flags, (await alertsAbout(reference)).length], [["made_elsewhere", "refund_failed"], 1]);
    assert.equal((await books(reference))["refunds"], 3_000);
  });

  test("failed before anything else was told: it stays failed", async () => {
    const reference = await paid();
    for (const status of ["refused", "pending", "processed"] as const) await told(reference, "sbr_h", { status });
    assert.deepEqual(summary(await shown(reference)), ["complete", 0, []]);
    assert.deepEqual(await events(reference), []);
  });

  test("before the payment has completed: booked when it has", async () => {
    const reference = await addPayment(refunds.api, refunds.shop, refunds.account);
    await told(reference, "sbr_i");
    assert.deepEqual(summary(await shown(reference)), ["pending", 0, []]);
    await notify(refunds.api, refunds.account, { payment: reportedPayment(reference, "complete") });
    assert.equal(await catchUp(reference), true);
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 30, ["processed"]]);
    assert.equal((await books(reference))["refunds"], 3_000);
  });

  test("without its amount: staff are mailed, and book it; a later report is that one", async () => {
    const reference = await paid();
    await told(reference, "sbr_j", { amount: null });
    await told(reference, "sbr_j", { amount: null });
    const before = await shown(reference);
    assert.deepEqual([...summary(before), before.flags], ["complete", 0, [], ["made_elsewhere"]]);
    assert.match(String(await alertsAbout(reference)), /a refund was made at the gateway$/);
    const calls = refunds.gateway.calls.length;
    const booked = await refund(reference, { amount: 45, madeElsewhere: true });
    assert.deepEqual([booked.status, ...summary(booked.body)], [201, "partially_refunded", 45, ["processed"]]);
    assert.equal(refunds.gateway.calls.length, calls, "the gateway is not asked");
    await told(reference, "sbr_j", { amount: 45 });
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 45, ["processed"]]);
    assert.equal((await books(reference))["gateway_clearing"], 5_110);
  });

  test("more than is left while one of ours is open: booked when ours has failed", async () => {
    const reference = await paid();
    refunds.gateway.replies.set("POST refunds", (call) => refundAnswer(call, "pending"));
    await refund(reference, { amount: 60 });
    await told(reference, "sbr_k", { amount: 50 });
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 60, ["pending"]]);
    const ours = (await refunds.rows(reference))[0];
    await told(reference, String(ours?.provider_ref), { amount: 60, status: "refused", refundId: String(ours?.id) });
    assert.equal(await catchUp(reference), true);
    assert.deepEqual(summary(await shown(reference)), ["partially_refunded", 50, ["processed"]]);
  });

  test("a refund by hand of a bank transfer was made at no gateway", async () => {
    const reference = await paid();
    const refused = await refund(reference, { amount: 1, method: "manual", madeElsewhere: true });
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"]);
  });
});

test("verify finds none of it, and one that was told and not booked", async () => {
  assert.deepEqual(await faultsOf(refunds.api), []);
  const reference = await paid();
  await told(reference, "sbr_z");
  await refunds.api.query("update refunds set provider_ref = 'other' where provider_ref = 'sbr_z'");
  await refunds.api.query(
    "update gateway_notifications set outcome = 'unknown_reference' where fact ->> 'providerRefundRef' = 'sbr_z'",
  );
  const faults = await faultsOf(refunds.api);
  assert.deepEqual(
    faults.map(({ rule }) => rule),
    ["refund_booked"],
  );
  await refunds.api.query("update refunds set provider_ref = 'sbr_z' where provider_ref = 'other'");
});
