import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recordPaymentOfInvoice } from "../../src/flows/customer-subscriptions/record-payment-of-invoice.ts";
import { OfflinePaymentCreate } from "../../src/modules/invoices/schema.ts";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";
import { eventually } from "../support/worker.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Month {
  readonly month: string;
  readonly status: string;
  readonly closedBy: string | null;
  readonly totals?: readonly { account: string; currency: string; debit: number; credit: number }[];
}
/** A shop whose clock stands on 2027-03-01, with staff who look after its books. */
async function open() {
  const shop = await openInvoicing(api);
  const finance = await shop.merchant.signIn("finance");
  const month = async (name: string) => (await finance<Month>("GET", `/accounting/months/${name}`)).body;
  const act = <Body = Month>(name: string, action: string) =>
    finance<Body>("POST", `/accounting/months/${name}/${action}`);
  return { ...shop, finance, month, act };
}
const entriesOf = (organisation: string) =>
  api.query<{ kind: string; day: string }>(
    "select kind, (occurred_at at time zone 'Africa/Johannesburg')::date::text as day from journal_entries where organisation_id = $1 order by id",
    organisation,
  );

test("a payment of a closed month is dated in the first open one; the books keep each cent, and reopening changes nothing", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  await shop.payOffline(invoice.id, 10, { paidAt: "2027-01-15T10:00:00Z" });
  const january = await shop.month("2027-01");
  assert.deepEqual(january.totals, [
    { account: "bank", currency: "ZAR", debit: 10, credit: 0 },
    { account: "receivable", currency: "ZAR", debit: 0, credit: 10 },
  ]);
  const closed = await shop.act("2027-02", "close");
  assert.deepEqual([closed.status, closed.body.status], [200, "closed"], closed.text);
  assert.deepEqual((await shop.month("2027-01")).totals, january.totals);
  assert.equal((await shop.month("2027-01")).status, "closed", "those before it too");
  const paid = await shop.payOffline(invoice.id, 20, { paidAt: "2027-01-20T10:00:00Z" });
  assert.equal(paid.status, 201, paid.text);
  assert.deepEqual((await entriesOf(shop.merchant.organisation.id)).at(-1), {
    kind: "offline_payment",
    day: "2027-03-01",
  });
  assert.deepEqual((await shop.month("2027-01")).totals, january.totals);
  const books = await shop.books();
  const reopened = await shop.act("2027-01", "reopen");
  assert.deepEqual([reopened.status, reopened.body.status], [200, "open"]);
  assert.equal((await shop.month("2027-02")).status, "open", "those after it too");
  assert.deepEqual(await shop.books(), books);
  await shop.payOffline(invoice.id, 5, { paidAt: "2027-01-21T10:00:00Z" });
  assert.equal((await shop.month("2027-01")).totals?.[0]?.debit, 15);
});

test("a month that is not over is not closed; an open one is not reopened; closing again changes nothing", async () => {
  const shop = await open();
  for (const [name, action, status] of [
    ["2027-03", "close", 409],
    ["2099-01", "close", 409],
    ["2027-02", "reopen", 409],
    ["2027-13", "close", 404],
    ["march", "close", 404],
  ] as const) {
    const { status: got, body } = await shop.act<Refusal>(name, action);
    assert.equal(got, status, `${name} ${action} ${JSON.stringify(body)}`);
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => shop.act("2027-02", "close")));
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
  const list = await shop.finance<{ data: Month[] }>("GET", "/accounting/months");
  assert.deepEqual(
    list.body.data.map(({ month, status }) => [month, status]),
    [
      ["2027-03", "open"],
      ["2027-02", "closed"],
    ],
  );
  const viewer = await shop.merchant.signIn("viewer");
  assert.equal((await viewer("GET", "/accounting/months")).status, 200);
  assert.equal((await viewer("POST", "/accounting/months/2027-02/reopen")).status, 403);
});

test("a payment that is being recorded in an earlier month is waited for by the closing of that month", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  const ctx = await shop.merchant.ctx();
  const body = OfflinePaymentCreate.parse({ amount: 10, method: "eft", paidAt: "2027-02-15T10:00:00Z" });
  let ended = false;
  const closing = await api.services.db.transaction(shop.merchant.organisation.id, async (tx) => {
    await recordPaymentOfInvoice(tx, ctx, invoice.id, body);
    const answer = shop.act("2027-02", "close").finally(() => {
      ended = true;
    });
    const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await eventually("the closing waits, or has not", async () => ended || (await api.query(waits)).length > 0);
    return { answer };
  });
  const { body: february } = await closing.answer;
  assert.deepEqual([february.status, february.totals?.[0]?.debit], ["closed", 10]);
});

test("the database itself refuses an entry of a closed month", async () => {
  const shop = await open();
  await shop.act("2027-02", "close");
  const insert = (at: string) =>
    api.query(
      `with entry as (insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
         values ($1, 'jrn_' || $2, 'payment', $2, $2::timestamptz, '') returning *)
       insert into journal_lines (organisation_id, entry_id, line, account, amount_cents, currency, occurred_at)
       select organisation_id, id, n, 'bank', 3 - 2 * n, 'ZAR', occurred_at from entry, generate_series(1, 2) as n`,
      shop.merchant.organisation.id,
      at,
    );
  await assert.rejects(insert("2027-02-28T21:59:59Z"), /closed month/);
  await insert("2027-02-28T22:00:00Z");
  for (const table of ["journal_lines where entry_id", "journal_entries where id"])
    await api.query(`delete from ${table} like 'jrn_2027%' and organisation_id = $1`, shop.merchant.organisation.id);
});

test("the database itself refuses lines that do not balance, and looks at the months of each organisation", async () => {
  const [shop, other] = [await open(), await open()];
  await other.act("2027-02", "close");
  const organisations = [shop, other].map(({ merchant }) => merchant.organisation.id);
  /** Lines of `jrn_0`, of this organisation, `jrn_1`, of the other one, and of `jrn_2`, of this one, in one statement. */
  const post = (lines: readonly (readonly [entry: number, amount: number, currency?: string, at?: string])[]) =>
    api.query(
      `with entries as (insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
         select ($1::text[])[1 + n % 2], 'jrn_' || n, 'payment', 'unbalanced' || n, now(), '' from generate_series(0, 2) n returning id)
       insert into journal_lines (organisation_id, entry_id, line, account, amount_cents, currency, occurred_at)
       select ($1::text[])[1 + entry % 2], 'jrn_' || entry, n, 'bank', amount, currency, at
         from unnest($2::int[], $3::bigint[], $4::text[], $5::timestamptz[]) with ordinality as l(entry, amount, currency, at, n)`,
      organisations,
      lines.map(([entry]) => entry),
      lines.map(([, amount]) => amount),
      lines.map(([, , currency = "ZAR"]) => currency),
      lines.map(([, , , at = "2027-03-01T12:00:00Z"]) => at),
    );
  await assert.rejects(
    post([
      [0, 5],
      [0, -4],
    ]),
    /jrn_0 does not balance/,
  );
  await assert.rejects(
    post([
      [0, 5],
      [2, -5],
    ]),
    /does not balance/,
  );
  await assert.rejects(
    post([
      [0, 5],
      [0, -5, "USD"],
    ]),
    /jrn_0 does not balance/,
  );
  await assert.rejects(
    post([
      [0, 5],
      [0, -5],
      [1, 3],
      [1, -2],
    ]),
    /jrn_1 does not balance/,
  );
  const closed = "2027-02-28T12:00:00Z";
  await assert.rejects(
    post([
      [0, 5],
      [0, -5],
      [1, 3, "ZAR", closed],
      [1, -3],
    ]),
    /closed month/,
  );
  await post([
    [0, 5, "ZAR", closed],
    [0, -5, "ZAR", closed],
    [1, 3],
    [1, -3],
  ]);
  for (const table of ["journal_lines where entry_id", "journal_entries where id"])
    await api.query(`delete from ${table} in ('jrn_0', 'jrn_1', 'jrn_2')`);
});

test("months that are closed and reopened in any order beside payments conserve every cent", async () => {
  const step = fc.oneof(
    fc.record({
      what: fc.constant("pay" as const),
      month: fc.integer({ min: 1, max: 3 }),
      cents: fc.integer({ min: 1, max: 999 }),
    }),
    fc.record({ what: fc.constantFrom("close" as const, "reopen" as const), month: fc.integer({ min: 1, max: 2 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const shop = await open();
      const invoice = await shop.owe(100);
      let paid = 0;
      for (const one of steps)
        if (one.what !== "pay") await shop.act(`2027-0${one.month}`, one.what);
        else {
          const sealed = await shop.month("2027-01");
          const paidAt = one.month === 3 ? "2027-03-01T09:00:00Z" : `2027-0${one.month}-10T10:00:00Z`;
          const { status } = await shop.payOffline(invoice.id, one.cents / 100, { paidAt });
          if (status === 201) paid += one.cents;
          if (sealed.status === "closed") assert.deepEqual((await shop.month("2027-01")).totals, sealed.totals);
        }
      const months = await Promise.all(["2027-01", "2027-02", "2027-03"].map(shop.month));
      const totals = months.flatMap(({ totals: of }) => of ?? []);
      const bank = totals.filter(({ account }) => account === "bank");
      assert.equal(Math.round(bank.reduce((sum, { debit }) => sum + debit * 100, 0)), paid);
      assert.equal(Math.round(totals.reduce((sum, { debit, credit }) => sum + (debit - credit) * 100, 0)), 0);
    }),
    { numRuns: 10 },
  );
});

interface VatReturn {
  readonly from: string;
  readonly to: string;
  readonly figures: readonly { field: string; amount: number; list: string | null }[];
}
const centsOf = (rand: unknown): number => Math.round(Number(rand) * 100);

test("the VAT return equals the books and the documents, and each figure its records", async () => {
  const line = fc.record({
    unitPrice: fc.integer({ min: 1, max: 9_999 }).map((of) => of / 100),
    taxRate: fc.constantFrom(0, 15, 14.5),
  });
  const step = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    taxInclusive: fc.boolean(),
    after: fc.constantFrom("cancel", "credit", "nothing"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const shop = await open();
      const expected = { output: 0, credited: 0, untaxed: 0, gross: 0 };
      for (const { lines, taxInclusive, after: then } of steps) {
        const asked = lines.map((one) => ({ description: "Work", quantity: 1, ...one }));
        const { body: invoice } = await shop.create({ lines: asked, taxInclusive, send: true });
        const zero = lines.filter(({ taxRate }) => taxRate === 0).reduce((sum, one) => sum + centsOf(one.unitPrice), 0);
        const tax = centsOf(invoice.taxAmount);
        expected.output += tax;
        expected.gross += centsOf(invoice.total) - zero;
        expected.untaxed += zero;
        if (then === "cancel") {
          const { status } = await shop.merchant.call("POST", `/invoices/${invoice.id}/cancel`, {});
          assert.equal(status, 200);
          expected.credited += tax;
          expected.untaxed -= zero;
        } else if (then === "credit") {
          const note = { description: "Work", amount: 1.15, taxRate: 15 };
          const free = { description: "Work", amount: 0.5, taxRate: 0 };
          const body = { customerId: shop.customerId, reason: "Wrong", lines: [note, free] };
          const made = await shop.finance("POST", "/credit-notes", body);
          assert.equal(made.status, 201, made.text);
          expected.credited += 15;
          expected.untaxed -= 50;
        }
      }
      const { body, text } = await shop.finance<VatReturn>("GET", "/accounting/vat201/2027-03?months=2");
      assert.deepEqual([body.from, body.to], ["2027-02-01", "2027-03-31"], text);
      const field = (name: string) => centsOf(body.figures.find((one) => one.field === name)?.amount);
      assert.deepEqual(["1", "2", "4", "13", "18", "19", "20"].map(field), [
        expected.gross,
        expected.untaxed,
        expected.output,
        expected.output,
        expected.credited,
        expected.credited,
        expected.output - expected.credited,
      ]);
      const vat = (await shop.month("2027-03")).totals?.find(({ account }) => account === "vat_output");
      assert.equal(field("20"), centsOf(vat?.credit ?? 0) - centsOf(vat?.debit ?? 0), "as the ledger account");
      for (const { amount, list } of body.figures) {
        if (!list) continue;
        const { body: records } = await shop.finance<{ data: { amount: number }[] }>("GET", `${list}&limit=100`);
        assert.equal(
          records.data.reduce((sum, record) => sum + centsOf(record.amount), 0),
          centsOf(amount),
          list,
        );
      }
    }),
    { numRuns: 8 },
  );
  const shop = await open();
  for (const [path, status] of [
    ["2027-13", 404],
    ["2027-03?months=3", 400],
    ["2027-03/records?field=20", 400],
    ["2027-03/records", 400],
  ] as const)
    assert.equal((await shop.finance("GET", `/accounting/vat201/${path}`)).status, status, path);
});
