import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { notify, openStandIn, reportedReversal, type StandIn } from "../support/payments.ts";
import { imported, openReconciling, type Reconciling, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: what was received, by the day on which the money came, whatever the way; verify compares it with the books. */

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api).finally(() => gateway.close());
});

interface Money {
  readonly gross: number;
  readonly refunded: number;
  readonly reversed: number;
  readonly net: number;
  readonly payments: number;
}
interface Span extends Money {
  readonly from: string;
  readonly to: string;
}
interface Divided extends Span {
  readonly series: readonly Span[];
}
interface Range extends Divided {
  readonly currency: string;
  readonly by: string;
  readonly before: Divided;
}
interface Receipt {
  readonly id: string;
  readonly kind: string;
  readonly day: string;
  readonly amount: number;
  readonly reference: string | null;
  readonly method: string;
  readonly gateway: string | null;
  readonly path: string;
  readonly customer: { readonly id: string } | null;
}

const read = async (staff: StaffCall, query = "from=2027-02-01&to=2027-03-31"): Promise<Range> => {
  const answer = await staff<Range>("GET", `/overview/received?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
interface Way extends Money {
  readonly method: string;
  readonly gateway: string | null;
  readonly fees: number;
}
const ways = async (staff: StaffCall, query = "from=2027-02-01&to=2027-03-31") => {
  const answer = await staff<Way & { methods: Way[] }>("GET", `/overview/received-by-method?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
/** All receipts of a query, over pages of two. */
async function receipts(staff: StaffCall, query = "from=2027-02-01&to=2027-03-31"): Promise<Receipt[]> {
  const found: Receipt[] = [];
  for (let next = ""; ; ) {
    const { status, body, text } = await staff<{ data: Receipt[]; nextCursor: string | null }>(
      "GET",
      `/receipts?${query}&limit=2${next}`,
    );
    assert.equal(status, 200, text);
    found.push(...body.data);
    if (body.nextCursor === null) return found;
    next = `&startingAfter=${body.nextCursor}`;
  }
}
const cents = (amount: number) => Math.round(amount * 100);
const total = (all: readonly Receipt[]) => all.reduce((sum, { amount }) => sum + cents(amount), 0);

/** The figures are the sums of their rows, whole and by day. */
async function assertListed(staff: StaffCall): Promise<Receipt[]> {
  const [range, all] = [await read(staff), await receipts(staff)];
  assert.deepEqual([cents(range.net), new Set(all.map(({ id }) => id)).size], [total(all), all.length]);
  const of = (kinds: readonly string[]) => all.filter(({ kind }) => kinds.includes(kind));
  const came = of(["payment", "bank_line", "recorded"]);
  assert.deepEqual([cents(range.gross), range.payments], [total(came), came.length]);
  assert.equal(cents(range.refunded) + total(of(["refund"])), 0);
  assert.equal(cents(range.reversed) + total(of(["reversal"])), 0);
  for (const { from, net } of range.series)
    assert.equal(cents(net), total(all.filter(({ day }) => day === from)), from);
  const report = await ways(staff);
  const { series: _series, before: _before, object: _object, by: _by, ...whole } = range as Range & { object: string };
  assert.partialDeepStrictEqual(report, whole, "the methods add up to the same");
  const [fees] = await api.query<{ cents: string }>(
    "select coalesce(sum(fee_cents), 0) as cents from transactions where reference = any ($1)",
    of(["payment"]).map(({ reference }) => reference),
  );
  assert.equal(cents(report.fees), Number(fees?.cents));
  for (const way of report.methods) {
    const own = all.filter(({ method, gateway }) => method === way.method && gateway === way.gateway);
    const from = (kinds: readonly string[]) => total(own.filter(({ kind }) => kinds.includes(kind)));
    const name = `${way.method} ${way.gateway}`;
    assert.deepEqual(
      [way.gross, way.refunded, way.reversed, way.net].map(cents),
      [from(["payment", "bank_line", "recorded"]), 0 - from(["refund"]), 0 - from(["reversal"]), total(own)],
      name,
    );
    const query = `&method=${way.method}${way.gateway === null ? "" : `&gateway=${way.gateway}`}`;
    const listed = await receipts(staff, `from=2027-02-01&to=2027-03-31${query}`);
    assert.deepEqual(listed, own, `${name}: the list has exactly its rows`);
  }
  assert.equal(
    report.methods.flatMap(({ payments }) => payments).reduce((sum, count) => sum + count, 0),
    range.payments,
  );
  assert.deepEqual(
    all.map(({ day }) => day),
    all.map(({ day }) => day).toSorted((a, b) => b.localeCompare(a)),
    "newest day first",
  );
  return all;
}
/** The net of each day with receipts. */
const byDay = async (staff: StaffCall) =>
  Object.fromEntries(
    (await read(staff)).series.filter(({ payments, net }) => payments || net).map((day) => [day.from, day.net]),
  );
const line = (run: Awaited<ReturnType<typeof imported>>, description: string) =>
  run.items.find((item) => item.description === description)?.id ?? "";
const match = async ({ staff }: Reconciling, id: string, ...allocations: object[]) => {
  const { status, text } = await staff("POST", `/reconciliation/items/${id}/match`, { allocations });
  assert.equal(status, 200, text);
};

describe("what was received", () => {
  test("is by the day on which the money came, whatever the way", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    await shop.payOnline((await shop.owe(100)).id, 100);
    const recorded = await shop.payOffline((await shop.owe(70)).id, 70, {
      method: "cash",
      paidAt: "2027-02-26T10:00:00Z",
    });
    assert.equal(recorded.status, 201, recorded.text);
    const owed = await shop.owe(60);
    const run = await imported(
      staff,
      statementOf(["2027-02-24", "pays", 75], ["2027-02-25", "fee", -7], ["2027-02-25", "mine", 500]),
    );
    await match(
      shop,
      line(run, "pays"),
      { kind: "invoice", invoiceId: owed.id },
      { kind: "customer_credit", customerId: shop.customerId },
    );
    await match(shop, line(run, "fee"), { kind: "bank_fee" });
    await match(shop, line(run, "mine"), { kind: "own_transfer" });
    assert.deepEqual(await byDay(staff), { "2027-02-24": 75, "2027-02-26": 70, "2027-03-01": 100 });
    const all = await assertListed(staff);
    assert.deepEqual(
      all.map(({ kind, amount, method }) => [kind, amount, method]),
      [
        ["payment", 100, "sandbox"],
        ["recorded", 70, "cash"],
        ["bank_line", 15, "eft"],
        ["bank_line", 60, "eft"],
      ],
    );
    assert.ok(all.every(({ customer, path }) => customer?.id === shop.customerId && path.startsWith("/")));
    const { body } = await staff<{ received: Record<"today" | "thisMonth" | "lastMonth", Money> }>("GET", "/overview");
    const whole = (gross: number, payments: number) => ({ gross, refunded: 0, reversed: 0, net: gross, payments });
    assert.partialDeepStrictEqual(body.received, {
      today: whole(100, 1),
      thisMonth: whole(100, 1),
      lastMonth: whole(145, 3),
    });
  });

  test("a transfer that a line shows counts once, on the line's day, until the match is undone", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    const [one, split] = [await shop.paid(80), await shop.paid(50)];
    assert.deepEqual(await byDay(staff), { "2027-03-01": 130 });
    const run = await imported(
      staff,
      statementOf(
        ["2027-02-26", "shown", 80, one.reference],
        ["2027-02-26", "a part", 20],
        ["2027-02-27", "the rest", 30],
      ),
    );
    assert.deepEqual(await byDay(staff), { "2027-02-26": 80, "2027-03-01": 50 });
    await match(shop, line(run, "a part"), { kind: "payment", transactionReference: split.reference, amount: 20 });
    assert.deepEqual(await byDay(staff), { "2027-02-26": 100, "2027-03-01": 30 });
    assert.equal((await read(staff)).payments, 3, "each part is a receipt");
    await match(shop, line(run, "the rest"), { kind: "payment", transactionReference: split.reference });
    assert.deepEqual(await byDay(staff), { "2027-02-26": 100, "2027-02-27": 30 });
    await assertListed(staff);
    for (const name of ["shown", "the rest"])
      assert.equal((await staff("POST", `/reconciliation/items/${line(run, name)}/unmatch`)).status, 200);
    assert.deepEqual(await byDay(staff), { "2027-02-26": 20, "2027-03-01": 110 });
    await assertListed(staff);
  });

  test("a payment that was recorded and is found on a statement counts once, on the line's day", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    const invoice = await shop.owe(90);
    await shop.payOffline(invoice.id, 90);
    const [payment] = await api.query<{ id: string }>(
      "select id from invoice_payments where invoice_id = $1",
      invoice.id,
    );
    const run = await imported(staff, statementOf(["2027-02-27", "came", 90]));
    assert.deepEqual(await byDay(staff), { "2027-03-01": 90 });
    await match(shop, line(run, "came"), { kind: "invoice_payment", invoiceId: invoice.id, paymentId: payment?.id });
    assert.deepEqual(await byDay(staff), { "2027-02-27": 90 });
    await assertListed(staff);
  });

  test("is less what was refunded, paid out and taken back, each on its own day", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    const owner = await shop.merchant.signIn("owner");
    const reference = await shop.payOnline((await shop.owe(100)).id, 100);
    const credited = await shop.owe(60);
    await shop.payOffline(credited.id, 40);
    await owner("POST", "/test-clock", { now: "2027-03-05T10:00:00Z" });
    const refund = await owner("POST", `/transactions/${reference}/refunds`, { amount: 30, method: "manual" });
    assert.equal(refund.status, 201, refund.text);
    assert.equal((await shop.act(credited.id, "cancel")).status, 200);
    const paidOut = await owner("POST", `/customers/${shop.customerId}/credit-refunds`, { amount: 40 });
    assert.equal(paidOut.status, 201, paidOut.text);
    const taken = await shop.payOnline((await shop.owe(25)).id, 25);
    await owner("POST", "/test-clock", { now: "2027-03-06T10:00:00Z" });

    await notify(api, shop.account, { reversal: reportedReversal(taken, { amount: 2500 }) });
    const days = await byDay(staff);
    assert.equal(days["2027-03-05"], 25 - 30 - 40);
    const range = await read(staff);
    assert.deepEqual([range.gross, range.refunded], [165, 70]);
    await assertListed(staff);
  });

  test("is divided by method and gateway, a refund by hand apart from what the gateway took", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    const owner = await shop.merchant.signIn("owner");
    const reference = await shop.payOnline((await shop.owe(100)).id, 100);
    await shop.payOffline((await shop.owe(70)).id, 70, { method: "cash" });
    await shop.paid(80);
    const refund = await owner("POST", `/transactions/${reference}/refunds`, { amount: 30, method: "manual" });
    assert.equal(refund.status, 201, refund.text);
    const { methods, fees, net } = await ways(staff);
    assert.deepEqual([fees, net], [3.9, 220]);
    assert.deepEqual(
      methods.map((way) => [way.method, way.gateway, way.gross, way.refunded, way.net, way.payments, way.fees]),
      [
        ["sandbox", "sandbox", 100, 0, 100, 1, 3.9],
        ["eft", null, 80, 0, 80, 1, 0],
        ["cash", null, 70, 0, 70, 1, 0],
        ["manual", null, 0, 30, -30, 0, 0],
      ],
    );
    await assertListed(staff);
    assert.equal((await staff("GET", "/overview/received-by-method?from=2027-03-02&to=2027-03-01")).status, 400);
    assert.deepEqual((await ways(staff, "from=2027-01-01&to=2027-01-31")).methods, []);
  });

  test("is compared with as many days before, by day, week or month", async () => {
    const shop = await openReconciling(api);
    const { staff } = shop;
    for (const [amount, paidAt] of [
      [10, "2027-02-28T21:59:59Z"],
      [20, "2027-02-28T22:00:00Z"],
      [40, "2027-02-01T10:00:00Z"],
    ] as const)
      await shop.payOffline((await shop.owe(amount)).id, amount, { paidAt });
    const month = await read(staff, "from=2027-02-01&to=2027-02-28&by=month");
    assert.partialDeepStrictEqual(month, {
      net: 50,
      payments: 2,
      by: "month",
      before: { from: "2027-01-04", to: "2027-01-31", net: 0 },
    });
    assert.deepEqual(
      month.series.map(({ net }) => net),
      [50],
    );
    const day = await read(staff, "");
    assert.partialDeepStrictEqual(day, {
      from: "2027-03-01",
      to: "2027-03-01",
      net: 20,
      before: { from: "2027-02-28", net: 10 },
    });
    const week = await read(staff, "from=2027-02-01&to=2027-03-01&by=week");
    assert.deepEqual(
      week.series.map(({ from, net }) => [from, net]),
      [
        ["2027-02-01", 40],
        ["2027-02-08", 0],
        ["2027-02-15", 0],
        ["2027-02-22", 10],
        ["2027-03-01", 20],
      ],
    );
    assert.deepEqual((await receipts(staff, "from=2027-02-01&to=2027-02-28&kind=refund,reversal")).length, 0);
    for (const query of ["from=2027-03-02&to=2027-03-01", "from=2020-01-01&to=2027-03-01", "by=year", "from=never"])
      assert.equal((await staff("GET", `/overview/received?${query}`)).status, 400, query);
    assert.equal((await staff("GET", "/receipts?startingAfter=nothing")).status, 400);
    assert.equal((await staff("GET", "/receipts?kind=gift")).status, 400);
  });
});
