import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { addOrder } from "../support/eft.ts";
import { EXCHANGE, exempt } from "../support/invoices.ts";
import { openReconciling, type Reconciling } from "../support/reconciliation.ts";

/* Interface 14.3: what a list comes to, recomputed from its rows, page by page. */

let api: TestApi;
let shop: Reconciling;
let staff: StaffCall;
let other: string;
before(async () => {
  api = await openApi();
  shop = await openReconciling(api);
  staff = await shop.merchant.signIn("owner");
  other = (await post<{ id: string }>("/customers", { company: "Karoo Saws", email: "saws@example.co.za" })).id;
  await bill();
  for (const [customerId, amount] of [
    [shop.customerId, 120],
    [other, 80.5],
    [other, 19.99],
  ] as const) {
    await post("/quotes", { customerId, lineItems: [exempt(amount)] });
    await post("/credit-notes", { customerId, amount, taxRate: 0, reason: "Goodwill" });
    await addOrder(shop.merchant, { amount, customer: { id: customerId } });
    await post("/payment-links", { title: "Work", amount, customerId });
  }
});
// A payment that the test inserts itself is awaited by no work, which `verify` would tell.
after(() => api.close());

async function post<Body>(path: string, body: object): Promise<Body> {
  const answer = await staff<Body>("POST", path, body);
  assert.ok(answer.status === 201 || answer.status === 200, `${path}: ${answer.text}`);
  return answer.body;
}

/** Invoices of every status, in two currencies; one payment is refunded in part, another wholly. */
async function bill(): Promise<void> {
  const [paid, part, cancelled] = [await shop.owe(300), await shop.owe(200.1), await shop.owe(50)];
  await shop.create({ lines: [exempt(75)] });
  await shop.owe(99.99, { customerId: other });
  await shop.owe(40, { customerId: other, currency: "USD", exchange: EXCHANGE });
  assert.equal((await shop.payOffline(part.id, 100)).status, 200 + 1);
  assert.equal((await shop.act(cancelled.id, "cancel")).status, 200);
  const references = [await shop.payOnline(paid.id, 300), await shop.payOnline((await shop.owe(60)).id, 60)];
  const [first = "", second = ""] = references;
  await post(`/transactions/${first}/refunds`, { amount: 25.5, method: "manual" });
  await post(`/transactions/${second}/refunds`, { amount: 60, method: "manual" });
  await shop.attempt((await shop.owe(33)).id, 33);
}

interface Totals {
  readonly count: number;
  readonly more: boolean;
  readonly currencies: readonly Readonly<Record<string, number | string>>[];
}
type Row = Readonly<Record<string, unknown>>;

const totals = async (list: string, query = "", as = staff): Promise<Totals> => {
  const answer = await as<Totals>("GET", `/totals${list}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** All rows of a list, over pages of two. */
async function rows(list: string, query = "", as = staff): Promise<Row[]> {
  const found: Row[] = [];
  for (let next = ""; ; ) {
    const { status, body, text } = await as<{ data: Row[]; nextCursor: string | null }>(
      "GET",
      `${list}?${query}&limit=2${next}`,
    );
    assert.equal(status, 200, text);
    found.push(...body.data);
    if (body.nextCursor === null) return found;
    next = `&startingAfter=${body.nextCursor}`;
  }
}

const cents = (amount: unknown): number => Math.round(Number(amount) * 100);

type Sums = Readonly<Record<string, (row: Row) => number>>;

/** The totals are the rows' number and sums, by currency. */
async function assertTotals(list: string, sums: Sums, query = ""): Promise<Totals> {
  const [told, all] = [await totals(list, query), await rows(list, query)];
  assert.deepEqual([told.count, told.more], [all.length, false], `${list}?${query}`);
  const byCurrency = Object.entries(Object.groupBy(all, ({ currency }) => String(currency))).toSorted(
    ([one], [two]) => Number(two === "ZAR") - Number(one === "ZAR"),
  );
  assert.deepEqual(
    told.currencies.map(({ currency, count, ...of }) => [
      currency,
      count,
      ...Object.keys(sums).map((name) => cents(of[name])),
    ]),
    byCurrency.map(([currency, of = []]) => [
      currency,
      of.length,
      ...Object.values(sums).map((sumOf) => of.reduce((all, row) => all + sumOf(row), 0)),
    ]),
    `${list}?${query}`,
  );
  for (const countTo of [1, 1000]) {
    const counted = await totals(list, `${query}&countTo=${countTo}`);
    const expected = { count: Math.min(countTo, all.length), more: all.length > countTo, currencies: [] };
    assert.partialDeepStrictEqual(counted, expected, `${list}?${query}, to ${countTo}`);
  }
  return told;
}

const OWED = ["sent", "overdue", "partially_paid"];
const INVOICE: Sums = {
  total: ({ total }) => cents(total),
  amountDue: ({ status, amountDue }) => (OWED.includes(String(status)) ? cents(amountDue) : 0),
};
const PAYMENT: Sums = {
  amount: ({ amount }) => cents(amount),
  netPaid: ({ paidAt, amount, refundedAmount }) => (paidAt === null ? 0 : cents(amount) - cents(refundedAmount)),
};

describe("the totals of a list are the sums of its rows", () => {
  for (const query of [
    "",
    "status=draft",
    "status=paid",
    "owing=open",
    "owing=overdue",
    "currency=USD",
    "q=karoo",
    "q=99.99",
    "createdFrom=2027-03-01&createdTo=2027-03-01",
    "createdTo=2027-02-01",
  ])
    test(`invoices ${query}`, async () => {
      await assertTotals("/invoices", INVOICE, query);
    });

  test("invoices of a customer", async () => {
    await assertTotals("/invoices", INVOICE, `customerId=${other}`);
  });

  for (const query of [
    "",
    "status=pending",
    "status=partially_refunded",
    "status=refunded",
    "q=300",
    "paidFrom=2027-03-01",
  ])
    test(`payments ${query}`, async () => {
      await assertTotals("/transactions", PAYMENT, query);
    });

  test("quotes", async () => {
    for (const query of ["", "status=draft", "status=sent", "q=karoo", `customerId=${other}`])
      await assertTotals("/quotes", { total: ({ total }) => cents(total) }, query);
  });

  test("credit notes", async () => {
    const sums: Sums = { amount: ({ amount }) => cents(amount), remaining: ({ remaining }) => cents(remaining) };
    for (const query of ["", `customerId=${other}`, "q=80.50"]) await assertTotals("/credit-notes", sums, query);
  });

  test("EFT orders", async () => {
    for (const query of ["", "status=awaiting_payment", "status=paid", `customerId=${other}`, "q=karoo"])
      await assertTotals("/eft-orders", { amount: ({ amount }) => cents(amount) }, query);
  });

  test("payment links and checkouts are counted", async () => {
    for (const [list, query] of [
      ["/payment-links", ""],
      ["/payment-links", "active=true"],
      ["/payment-links", "active=false"],
      ["/payment-links", "q=work"],
      ["/checkout-sessions", ""],
    ] as const) {
      const all = await rows(list, query);
      assert.partialDeepStrictEqual(await totals(list, query), { count: all.length, more: false, currencies: [] });
    }
  });
});

test("a debit that came back reduces what was paid", async () => {
  const before = await totals("/transactions");
  const [{ id } = { id: "" }] = await api.query<{ id: string }>(
    "select id from transactions where organisation_id = $1 and paid_at is not null order by id limit 1",
    shop.merchant.organisation.id,
  );
  const insert = async (reversal: string, amount: number, reversed: string | null) =>
    api.query(
      `insert into reversals (organisation_id, id, transaction_id, amount_cents, reason, reversed_at, created_at, reversal_id)
       values ($1, $2, $3, $4, 'Test', $5, now(), null)`,
      ...[shop.merchant.organisation.id, reversal, id, amount, reversed],
    );
  await insert("rev_00000000000000000000000001", 1050, "2027-03-01T10:00:00Z");
  await insert("rev_00000000000000000000000002", 9000, null);
  const net = ({ currencies }: Totals) => cents(currencies.find(({ currency }) => currency === "ZAR")?.["netPaid"]);
  assert.equal(net(await totals("/transactions")), net(before) - 1050, "what a bank has not taken yet does not count");
  await api.query("delete from reversals where organisation_id = $1", shop.merchant.organisation.id);
});

test("customers come to what the books say that they owe, and to their credit", async () => {
  for (const query of ["", "q=karoo", "email=nobody@example.co.za"]) {
    const all = await rows("/customers", query);
    const told = await totals("/customers", query);
    assert.equal(told.count, all.length);
    const books = await api.query<{ currency: string; owed: number; credit: number }>(
      `select currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0)::integer as owed,
              coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0)::integer as credit
         from journal_lines where organisation_id = $1 and customer_id = any ($2)
          and account in ('receivable', 'customer_credit') group by 1 order by 1 desc`,
      shop.merchant.organisation.id,
      all.map(({ id }) => id),
    );
    assert.deepEqual(
      told.currencies.map(({ currency, balance, credit }) => [currency, cents(balance), cents(credit)]),
      books.map(({ currency, owed, credit }) => [currency, owed, credit]),
      query,
    );
  }
});

test("subscriptions come to their monthly recurring revenue, as the overview has it", async () => {
  const subscribed = await openSubscriptionShop(api);
  const plan = await subscribed.addPlan();
  await subscribed.subscribe({ planId: plan });
  const late = await subscribed.subscribe({ planId: plan, quantity: 2 });
  const paused = await subscribed.subscribe({ planId: plan });
  assert.equal((await subscribed.act(paused.id, "pause")).status, 200);
  const as = subscribed.staff;
  const { body } = await as<{ recurringRevenue: { currency: string; mrr: { amount: number } }[] }>("GET", "/overview");
  const told = await totals("/customer-subscriptions", "", as);
  assert.equal(told.count, 3);
  assert.deepEqual(
    told.currencies.map(({ currency, mrr }) => [currency, mrr]),
    body.recurringRevenue.map(({ currency, mrr }) => [currency, mrr.amount]),
  );
  assert.equal((await totals("/customer-subscriptions", "status=paused", as)).currencies[0]?.["mrr"], 0);
  await subscribed.move("2028-06-01");
  const due = await rows("/customer-subscriptions", "status=past_due", as);
  assert.ok(
    due.some(({ id }) => id === late.id),
    "an invoice is overdue after a year",
  );
  assert.equal((await totals("/customer-subscriptions", "status=past_due", as)).count, due.length);
});

describe("totals are refused", () => {
  test("with a filter that the list refuses, and with no count to go to", async () => {
    for (const query of ["status=nonsense", "countTo=0", "countTo=x", "countTo=10001", "countTo=1.5"])
      assert.equal((await staff("GET", `/totals/invoices?${query}`)).status, 400, query);
  });

  test("to roles that may not read the list, and to keys", async () => {
    const answer = await shop.merchant.get("/totals/invoices");
    assert.equal(answer.status, 404, "the client API has none");
    await shop.merchant.change({ plan: "starter" });
    const refused = refusal((await staff("GET", "/totals/invoices")) as never);
    const list = refusal((await staff("GET", "/invoices")) as never);
    assert.deepEqual(refused, list);
    await shop.merchant.change({ plan: "business" });
  });
});
