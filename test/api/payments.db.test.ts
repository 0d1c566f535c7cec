import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { internalFact, type PaidFact, type PaymentFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { FORWARD, type ForwardStatus } from "../../src/modules/payments/states.ts";
import { mailsOf } from "../support/mails.ts";
import { setUpPayments } from "../support/paying.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";

const payments = setUpPayments();
const { addLink, addCustomer, pending, notifyOf, shown, link, events, posted, entries, outcomes, reactions } = payments;

describe("which payment a report is about", () => {
  const report = async (by: GatewayAccount, fact: PaymentFact) => {
    const ctx = await payments.shop.ctx();
    return payments.api.services.db.transaction(ctx.organisation.id, (tx) =>
      settlePayment(tx, ctx, { accountId: by.id, source: "notification" }, fact),
    );
  };
  const paidFact = (facts: Partial<PaidFact>): PaidFact => ({
    ...internalFact("", "paid"),
    kind: "paid",
    amount: cents(10_000),
    currency: "ZAR",
    fee: null,
    ...facts,
  });

  test("the gateway's own id finds it without a reference, and with one that a subscription's gateway made up", async () => {
    const subscription = { key: "sub_1", handle: null, nextChargeOn: null };
    for (const reported of [{ reference: null }, { reference: "RENEWAL-1", subscription }]) {
      const ours = await pending();
      await notifyOf(ours, "pending", { id: `own_${ours}` });
      assert.equal((await shown(ours))["providerRef"], `own_${ours}`);
      assert.equal(await report(payments.account, paidFact({ ...reported, providerRef: `own_${ours}` })), "applied");
      assert.equal((await shown(ours))["status"], "complete");
      assert.deepEqual(await outcomes(ours), ["repeated", "applied"]);
    }
  });

  test("an id of another account, an unknown id and an id of two payments match no payment", async () => {
    const ours = await pending();
    await notifyOf(ours, "pending", { id: `own_${ours}` });
    const other = await payments.shop.addGateway({ credentials: CREDENTIALS });
    const byId = (providerRef: string | null) => paidFact({ reference: null, providerRef });
    assert.equal(await report(other, byId(`own_${ours}`)), "unknown_reference");
    assert.equal(await report(payments.account, byId("own_nobody")), "unknown_reference");
    assert.equal(await report(payments.account, byId(null)), "unknown_reference");
    const contradicted = paidFact({ reference: "TEFO-20270101-00000000", providerRef: `own_${ours}` });
    assert.equal(await report(payments.account, contradicted), "unknown_reference");
    await notifyOf(await pending(), "pending", { id: `own_${ours}` });
    assert.equal(await report(payments.account, byId(`own_${ours}`)), "unknown_reference");
    assert.equal((await shown(ours))["status"], "pending");
  });

  test("a later collection of a subscription that repeats the first reference is no repeat of the first payment", async () => {
    const first = await pending();
    const subscription = { key: "sub_1", handle: null, nextChargeOn: null };
    const collection = (providerRef: string) => paidFact({ reference: first, providerRef, subscription });
    assert.equal(await report(payments.account, collection("c1")), "applied");
    assert.equal(await report(payments.account, collection("c1")), "repeated");
    assert.equal(
      await report(payments.account, collection("c2")),
      "mismatch",
      "kept and flagged for staff, and not lost as a repeat",
    );
    assert.deepEqual((await shown(first))["flags"], ["notification_mismatch"]);
    const second = await pending();
    await notifyOf(second, "pending", { id: "c3" });
    assert.equal(await report(payments.account, collection("c3")), "applied");
    assert.equal((await shown(second))["status"], "complete");
  });
});

describe("a payment completes once", () => {
  test("twenty notifications at once: one move, one event, one receipt asked for, one journal entry", async () => {
    const id = await addLink({ metadata: { order: "7" }, externalReference: "o-7" });
    const reference = await pending({ linkId: id });
    const answers = await Promise.all(Array.from({ length: 20 }, () => notifyOf(reference, "complete")));
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)), new Set(["200 "]));
    assert.equal((await shown(reference))["status"], "complete");
    assert.deepEqual(
      (await events(reference)).map(({ type, sequence }) => [type, sequence]),
      [["payment.complete", 1]],
    );
    assert.deepEqual(await reactions(reference), ["payment.complete"]);
    assert.deepEqual(await posted(reference), [
      ["gateway_clearing", 9610, null],
      ["gateway_fees", 390, null],
      ["revenue", -10_000, null],
    ]);
    assert.equal(await entries(reference), 1);
    const { paidCount, active } = await link(id);
    assert.deepEqual([paidCount, active], [1, false]);
    assert.deepEqual((await outcomes(reference)).sort(), ["applied", ...Array.from({ length: 19 }, () => "repeated")]);
  });

  test("paid twice at the gateway under one reference: the second payment is kept, flagged and mailed once, and not booked", async () => {
    const { api, shop } = payments;
    await shop.signIn();
    const alertsAbout = async (reference: string) =>
      (await mailsOf(api.services, shop.organisation, { kind: "staff_alert" })).filter(({ text }) =>
        text.includes(reference),
      );
    const reference = await pending({ linkId: await addLink({}) });
    await notifyOf(reference, "complete", { id: "tab_1" });
    await notifyOf(reference, "complete", { id: "tab_1" });
    assert.deepEqual((await shown(reference))["flags"], []);
    assert.equal((await alertsAbout(reference)).length, 0, "one payment that is reported twice is one payment");
    const before = await posted(reference);
    await Promise.all(Array.from({ length: 3 }, () => notifyOf(reference, "complete", { id: "tab_2" })));
    const { flags, providerRef, status } = await shown(reference);
    assert.deepEqual([flags, providerRef, status], [["notification_mismatch"], "tab_1", "complete"]);
    assert.deepEqual(await outcomes(reference), ["applied", "repeated", "mismatch", "mismatch", "mismatch"]);
    assert.deepEqual([await posted(reference), await entries(reference)], [before, 1]);
    const [alert, ...more] = await alertsAbout(reference);
    assert.deepEqual(more, []);
    assert.match(String(alert?.text).replaceAll(/\s+/g, " "), /paid a second time.* tab_1 .* tab_2 /);
    await notifyOf(reference, "complete", { id: "tab_3" });
    assert.equal((await alertsAbout(reference)).length, 2, "a third payment is another one");
    await notifyOf(reference, "failed", { id: "tab_4" });
    assert.equal((await outcomes(reference)).at(-1), "repeated", "an attempt that failed moved no money");
  });

  test("of two payments under one reference that are reported at once, one completes and the other is flagged", async () => {
    for (let round = 0; round < 3; round++) {
      const reference = await pending({ linkId: await addLink({}) });
      await Promise.all(["left", "right"].map((id) => notifyOf(reference, "complete", { id: `${id}_${reference}` })));
      assert.deepEqual((await shown(reference))["flags"], ["notification_mismatch"]);
      assert.deepEqual((await outcomes(reference)).sort(), ["applied", "mismatch"]);
    }
  });

  test("the event shows the payment as get does, with its customer (interface 6)", async () => {
    const customerId = await addCustomer();
    const reference = await pending({ customerId, linkId: await addLink() });
    await notifyOf(reference, "complete");
    const [event] = await events(reference);
    const { customer, ...rest } = event?.data ?? {};
    assert.deepEqual(rest, await shown(reference));
    assert.deepEqual(customer, { id: customerId, externalReference: null, email: null });
  });

  test("contradictory reports at the same time: complete in the end, with one event each, in any order", async () => {
    for (let round = 0; round < 5; round++) {
      const reference = await pending({ linkId: await addLink() });
      const reported = Array.from({ length: 20 }, (_, n) => FORWARD[(n + round) % 4] ?? "complete");
      await Promise.all(reported.map((status) => notifyOf(reference, status)));
      assert.equal((await shown(reference))["status"], "complete");
      const types = (await events(reference)).map(({ type }) => type);
      assert.equal(types.at(-1), "payment.complete");
      assert.equal(new Set(types).size, types.length, "none is reported twice");
      assert.equal(await entries(reference), 1);
    }
  });

  test("paidAt is the organisation's time, and a repeat leaves it", async () => {
    const still = await payments.api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
    const theirs = await still.addGateway({ credentials: CREDENTIALS });
    const reference = await addPayment(payments.api, still, theirs);
    await notify(payments.api, theirs, { payment: reportedPayment(reference, "complete") });
    await still.change({ clock_at: "2027-03-02T10:00:00Z" });
    await notify(payments.api, theirs, { payment: reportedPayment(reference, "complete") });
    const { body } = await still.get(`/transactions/${reference}`);
    assert.equal(body["paidAt"], "2027-03-01T10:00:00.000Z");
  });
});

describe("every order of four notifications (interface 3.1)", () => {
  const four = (length: number): ForwardStatus[][] =>
    length === 0 ? [[]] : four(length - 1).flatMap((rest) => FORWARD.map((status) => [...rest, status]));
  const ALL = four(4);
  let linkId: string;
  const references: string[] = [];

  before(async () => {
    linkId = await addLink({ singleUse: false });
    for (let from = 0; from < ALL.length; from += 16)
      await Promise.all(
        ALL.slice(from, from + 16).map(async (reported, n) => {
          const reference = await pending({ linkId });
          references[from + n] = reference;
          for (const status of reported) assert.equal((await notifyOf(reference, status)).status, 200);
        }),
      );
  });

  /** The statuses that a payment takes, in order, for a sequence of notifications. */
  const movesOf = (reported: readonly ForwardStatus[]) => {
    const moves: ForwardStatus[] = [];
    let at = 0;
    for (const status of reported) {
      const place = FORWARD.indexOf(status);
      if (place > at) moves.push(status);
      at = Math.max(at, place);
    }
    return moves;
  };

  test("each ends at the furthest of them", async () => {
    const rows = await payments.api.query<{ reference: string; status: string; paid: boolean }>(
      "select reference, status, paid_at is not null as paid from transactions where reference = any($1)",
      references,
    );
    const stored = new Map(rows.map((row) => [row.reference, row]));
    for (const [n, reported] of ALL.entries()) {
      const { status, paid } = stored.get(references[n] ?? "") ?? {};
      const expected = movesOf(reported).at(-1) ?? "pending";
      assert.deepEqual([status, paid], [expected, expected === "complete"], reported.join(", "));
    }
  });

  test("each move has one event, in order, and there are no others", async () => {
    const sent = Map.groupBy(await events(...references), ({ subject }) => subject);
    for (const [n, reported] of ALL.entries()) {
      const types = (sent.get(references[n] ?? "") ?? []).map(({ type }) => type);
      assert.deepEqual(
        types,
        movesOf(reported).map((status) => `payment.${status}`),
        reported.join(", "),
      );
    }
  });

  test("the books and the link have each complete one once", async () => {
    const complete = ALL.filter((reported) => reported.includes("complete")).length;
    assert.equal(complete, 175);
    const [{ n, total } = { n: 0, total: 0 }] = await payments.api.query<{ n: number; total: number }>(
      `select count(distinct e.id)::int as n, sum(l.amount_cents)::int as total from journal_entries e join journal_lines l
          on l.organisation_id = e.organisation_id and l.entry_id = e.id and l.account = 'revenue' where e.subject = any($1)`,
      references,
    );
    assert.deepEqual([n, total], [complete, -complete * 10_000]);
    assert.equal((await link(linkId))["paidCount"], complete);
  });

  test("every notification is kept, applied or not", async () => {
    for (const [n, reported] of ALL.entries()) {
      const kept = await outcomes(references[n] ?? "");
      assert.deepEqual(
        [kept.length, kept.filter((outcome) => outcome === "applied").length],
        [4, movesOf(reported).length],
      );
    }
  });
});

describe("two payments through one single-use link (interface 16.21)", () => {
  test("one after the other: both complete, the second is credit and flagged", async () => {
    const [id, customerId] = [await addLink(), await addCustomer()];
    const [first, second] = [await pending({ linkId: id, customerId }), await pending({ linkId: id, customerId })];
    await notifyOf(first, "complete");
    await notifyOf(second, "complete");
    const [a, b] = [await shown(first), await shown(second)];
    assert.deepEqual([a["status"], a["flags"]], ["complete", []]);
    assert.deepEqual([b["status"], b["flags"]], ["complete", ["overpaid"]]);
    assert.deepEqual(await posted(second), [
      ["gateway_clearing", 9610, null],
      ["gateway_fees", 390, null],
      ["customer_credit", -10_000, customerId],
    ]);
    const { body: standing } = await payments.shop.get(`/customers/${customerId}/standing`);
    assert.deepEqual([standing["credit"], standing["balance"], standing["status"]], [100, 0, "good"]);
    const { paidCount, active } = await link(id);
    assert.deepEqual([paidCount, active], [2, false]);
    assert.deepEqual((await events(second))[0]?.data["flags"], ["overpaid"]);
  });

  test("ten at once: one is what was asked for, nine are credit", async () => {
    const [id, customerId] = [await addLink(), await addCustomer()];
    const references = await Promise.all(Array.from({ length: 10 }, () => pending({ linkId: id, customerId })));
    await Promise.all(references.map((reference) => notifyOf(reference, "complete")));
    const flags = await Promise.all(references.map(async (reference) => (await shown(reference))["flags"]));
    assert.equal(flags.filter((given) => JSON.stringify(given) === '["overpaid"]').length, 9);
    assert.equal((await link(id))["paidCount"], 10);
    assert.equal((await payments.shop.get(`/customers/${customerId}/standing`)).body["credit"], 900);
  });

  test("without a customer the credit is in the books without a customer", async () => {
    const id = await addLink();
    const references = [await pending({ linkId: id }), await pending({ linkId: id })];
    for (const reference of references) await notifyOf(reference, "complete");
    assert.deepEqual((await posted(references[1] ?? "")).at(-1), ["customer_credit", -10_000, null]);
  });

  test("a link of many uses: each payment is revenue, the link stays active", async () => {
    const id = await addLink({ singleUse: false });
    const references = [await pending({ linkId: id }), await pending({ linkId: id })];
    for (const reference of references) await notifyOf(reference, "complete");
    for (const reference of references) assert.deepEqual((await shown(reference))["flags"], []);
    const { paidCount, active } = await link(id);
    assert.deepEqual([paidCount, active], [2, true]);
  });

  test("a failed attempt uses nothing up", async () => {
    const id = await addLink();
    const [first, second] = [await pending({ linkId: id }), await pending({ linkId: id })];
    await notifyOf(first, "failed");
    assert.equal((await link(id))["active"], true);
    await notifyOf(second, "complete");
    assert.deepEqual((await shown(second))["flags"], []);
  });
});

describe("books", () => {
  test("a product's VAT is taken out of what was paid", async () => {
    const product = "prod_00000000000000000000000015";
    await payments.api.query(
      `insert into products (organisation_id, id, name, amount_cents, currency, tax_rate, tax_inclusive, enabled, created_at, updated_at)
         values ($1, $2, 'Box', 10000, 'ZAR', 15, true, true, now(), now())`,
      payments.shop.organisation.id,
      product,
    );
    const reference = await pending({ linkId: await addLink({ productId: product }) });
    await notifyOf(reference, "complete", { fee: null });
    assert.deepEqual(await posted(reference), [
      ["gateway_clearing", 10_000, null],
      ["revenue", -8696, null],
      ["vat_output", -1304, null],
    ]);
  });

  test("every entry balances", async () => {
    const odd = await payments.api.query(
      "select entry_id from journal_lines group by organisation_id, entry_id having sum(amount_cents) <> 0",
    );
    assert.deepEqual(odd, []);
  });
});
