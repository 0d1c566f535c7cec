import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DebitOrderAbility } from "../../src/gateways/contract.ts";
import { sandbox } from "../../src/gateways/sandbox/adapter.ts";
import { paymentFact } from "../../src/gateways/sandbox/facts.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { eventsOf, openCardShop } from "../support/cards.ts";
import { batchNow, debitOf, debitReference, gathered, mandateIs, submit } from "../support/debit-batches.ts";
import { addActiveMandate, type MandateShop, type Shown } from "../support/mandates.ts";
import { CREDENTIALS, notify, reportedPayment, reportedReversal } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* Results of debits in every order, repeated, too late, and of unknown debits or those of another account. */

const DATE = "2027-03-05";
const DAY = "20270305";
const AMOUNT = { amount: 35_050 };

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A shop with so many mandates in an open batch, whose gateway's notifications the test signs itself. */
async function openGathered(count: number) {
  const shop = await openCardShop(api, {}, { credentials: CREDENTIALS });
  const mandates: Shown[] = [];
  for (let n = 0; n < count; n++) mandates.push(await addActiveMandate(shop, { debitDay: 5 }));
  return { shop, mandates, batch: await gathered(shop, DATE) };
}

const REPORTS = {
  success: (reference: string) => ({ payment: reportedPayment(reference, "complete", AMOUNT) }),
  unpaid: (reference: string) => ({ payment: reportedPayment(reference, "failed", AMOUNT) }),
  reversal: (reference: string) => ({ reversal: reportedReversal(reference, AMOUNT) }),
  "late success": (reference: string) => ({
    payment: reportedPayment(reference, "complete", { ...AMOUNT, occurredAt: "2027-03-20T10:00:00.000Z" }),
  }),
} as const;
type Report = keyof typeof REPORTS;

const ordersOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

/** What a report does, told `times` at once. */
async function report(shop: MandateShop, reference: string, what: Report, times = 1): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => notify(api, shop.account, REPORTS[what](reference))),
  );
  assert.deepEqual(
    [...new Set(answers.map(({ status }) => status))],
    [200],
    `${what} of ${reference}: ${answers[0]?.text}`,
  );
}

const entriesOf = async (reference: string): Promise<unknown[]> =>
  (
    await api.query<{ kind: string; account: string; cents: number }>(
      `select e.kind, l.account, sum(l.amount_cents)::int as cents from journal_entries e
         join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
        where e.subject = $1 or e.subject in (select w.id from reversals w join transactions t on t.organisation_id = w.organisation_id
          and t.id = w.transaction_id where t.reference = $1)
        group by 1, 2 order by 1, 2`,
      reference,
    )
  ).map(({ kind, account, cents }) => [kind, account, cents]);

test("every order of success, unpaid, reversal and late success ends in the same books", async () => {
  const orders = ordersOf<Report>(["success", "unpaid", "reversal", "late success"]);
  const { shop, mandates } = await openGathered(orders.length);
  for (const [n, order] of orders.entries()) {
    const mandate = mandates[n] ?? assert.fail();
    const reference = debitReference(mandate, DAY);
    for (const what of order) await report(shop, reference, what, 2);
    const payment = await debitOf(shop, mandate, DAY);
    const name = order.join(", ");
    assert.equal(payment["status"], "complete", name);
    assert.equal((payment["reversals"] as unknown[]).length, 1, name);
    await mandateIs(shop, mandate, { failureCount: 1, status: "active", lastCollectedAt: DATE });
    const earned = [
      ["payment", "gateway_clearing", 34_660],
      ["payment", "gateway_fees", 390],
      ["payment", "revenue", -35_050],
      ["reversal", "gateway_clearing", -35_050],
      ["reversal", "revenue", 35_050],
    ];
    assert.deepEqual(await entriesOf(reference), earned, name);
  }
  for (const type of ["payment.complete", "payment.reversed"])
    assert.equal((await eventsOf(shop, type)).length, orders.length, type);
});

describe("a result", () => {
  test("twenty times at once counts once", async () => {
    const { shop, mandates } = await openGathered(2);
    const [good = {}, bad = {}] = mandates;
    await report(shop, debitReference(bad, DAY), "unpaid", 20);
    await mandateIs(shop, bad, { failureCount: 1 });
    await report(shop, debitReference(good, DAY), "success", 20);
    await report(shop, debitReference(good, DAY), "reversal", 20);
    await mandateIs(shop, good, { failureCount: 1 });
    for (const [type, count] of [
      ["payment.failed", 1],
      ["payment.complete", 1],
      ["payment.reversed", 1],
    ] as const)
      assert.equal((await eventsOf(shop, type)).length, count, type);
  });

  test("before the batch is sent is taken, and nothing is debited again", async () => {
    const { shop, mandates, batch } = await openGathered(1);
    const [one = {}] = mandates;
    await report(shop, debitReference(one, DAY), "success");
    await submit(shop, batch);
    await shop.move("2027-03-20T10:00:00Z");
    assert.deepEqual((await batchNow(shop, batch))["results"], { collected: 1, unpaid: 0, pending: 0 });
    assert.equal((await eventsOf(shop, "payment.complete")).length, 1);
  });

  test("of another amount, or from another account, is flagged and not applied; of an unknown debit it is kept", async () => {
    const { shop, mandates } = await openGathered(2);
    const [one = {}, two = {}] = mandates;
    const other = await shop.shop.addGateway({ credentials: CREDENTIALS, name: "Second" });
    const reference = debitReference(one, DAY);
    assert.equal((await notify(api, other, REPORTS.unpaid(reference))).status, 200);
    const less = { payment: reportedPayment(debitReference(two, DAY), "complete", { amount: 35_049 }) };
    assert.equal((await notify(api, shop.account, less)).status, 200);
    for (const mandate of [one, two]) {
      assert.partialDeepStrictEqual(await debitOf(shop, mandate, DAY), {
        status: "pending",
        flags: ["notification_mismatch"],
      });
      await mandateIs(shop, mandate, { failureCount: 0, lastCollectedAt: null });
    }
    await report(shop, "DO0000000000-20270305", "success");
    const kept = await api.query<{ outcome: string }>(
      "select outcome from gateway_notifications where organisation_id = $1 order by id",
      shop.shop.organisation.id,
    );
    assert.deepEqual(
      kept.map(({ outcome }) => outcome),
      ["mismatch", "mismatch", "unknown_reference"],
    );
  });

  test("of another organisation's debit changes nothing there", async () => {
    const { shop, mandates } = await openGathered(1);
    const [one = {}] = mandates;
    const stranger = await openCardShop(api, {}, { credentials: CREDENTIALS });
    await report(stranger, debitReference(one, DAY), "unpaid");
    assert.partialDeepStrictEqual(await debitOf(shop, one, DAY), { status: "pending" });
    await mandateIs(shop, one, { failureCount: 0 });
  });

  test("that is polled with others' and unknown debits applies to its own alone", async (t) => {
    const { shop, mandates, batch } = await openGathered(2);
    const { mandates: others, shop: stranger } = await openGathered(1);
    const [one = {}, two = {}] = mandates;
    const [foreign = {}] = others;
    await submit(shop, batch);
    await shop.move("2027-03-02T10:00:00Z");
    const references = [one, foreign, two].map((mandate) => debitReference(mandate, DAY));
    const facts = [...references, "DO0000000000-20270305"].map((reference) =>
      paymentFact(reportedPayment(reference, "complete", AMOUNT)),
    );
    const gateway = sandbox.debitOrders as Required<DebitOrderAbility>;
    t.mock.method(gateway, "results", async () => ({ facts, next: null }));
    await shop.move("2027-03-20T10:00:00Z");
    assert.deepEqual((await batchNow(shop, batch))["results"], { collected: 2, unpaid: 0, pending: 0 });
    assert.equal((await debitOf(stranger, foreign, DAY))["status"], "pending");
  });
});

test("two processes that make, submit and gather the same days at once debit each mandate once", async () => {
  const shop = await openCardShop(api);
  const mandates: Shown[] = [];
  for (let n = 0; n < 10; n++) mandates.push(await addActiveMandate(shop, { debitDay: 5 + (n % 2) }));
  const second = await openApi(api.environment);
  try {
    const cookie = await shop.shop.signIn();
    const elsewhere = (path: string, body: object) => cookie("POST", path, body);
    const calls = Array.from({ length: 20 }, (_, n) => {
      const actionDate = n % 2 ? "2027-03-05" : "2027-03-08";
      return n % 4 < 2
        ? shop.staff("POST", "/debit-batches", { actionDate })
        : elsewhere("/debit-batches", { actionDate });
    });
    const move = shop.move("2027-03-04T10:00:00Z");
    const answers = await Promise.all(calls);
    await move;
    assert.deepEqual(
      [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 201 && status !== 400),
      [],
    );
  } finally {
    await second.close();
  }
  await shop.move("2027-03-20T10:00:00Z");
  const debits = await api.query<{ mandate_id: string; debits: number; status: string }>(
    `select d.mandate_id, count(*)::int as debits, min(t.status) as status from debits d join transactions t
        on t.organisation_id = d.organisation_id and t.id = d.transaction_id where d.organisation_id = $1 group by 1`,
    shop.shop.organisation.id,
  );
  assert.deepEqual(
    debits.map(({ mandate_id, debits: count, status }) => [mandate_id, count, status]).toSorted(),
    mandates.map(({ id }) => [id, 1, "complete"]).toSorted(),
  );
});
