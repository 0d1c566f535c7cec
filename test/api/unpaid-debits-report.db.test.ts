import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: debits that were returned unpaid, beside the scheme's limits, recomputed from the rows. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Counted {
  readonly amount: number;
  readonly count: number;
}
interface Span {
  readonly from: string;
  readonly to: string;
  readonly presented: Counted;
  readonly unpaid: Counted;
  readonly disputed: Counted;
  readonly unpaidPercent: number;
  readonly unpaidAmountPercent: number;
}
interface Report extends Span {
  readonly unpaidLimitPercent: number;
  readonly reasons: readonly (Counted & { readonly code: string; readonly reason: string })[];
  readonly series: readonly Span[];
}

test("unpaid debits are counted of those that banks decided, by action date, with their reasons", async () => {
  const shop = await openMandateShop(api);
  const bad = { accountNumber: "62900417702" };
  await addActiveMandate(shop, { debitDay: 6 });
  await addActiveMandate(shop, { debitDay: 6, amount: 100 });
  await addActiveMandate(shop, { debitDay: 6, amount: 50.5 }, bad);
  await addActiveMandate(shop, { debitDay: 20, amount: 75 }, bad);
  const read = async (query = "") => {
    const answer = await shop.staff<Report>("GET", `/overview/unpaid-debits-report${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const none = await read();
  assert.deepEqual([none.presented, none.unpaidPercent, none.reasons], [{ amount: 0, count: 0 }, 0, []]);
  await shop.move("2027-04-20T10:00:00Z");

  /** From the rows alone. */
  const rows = await api.query<{ day: string; cents: number; unpaid: boolean; decided: boolean }>(
    `select b.action_date::text as day, t.amount_cents::integer as cents, d.unpaid_at is not null as unpaid,
            t.status not in ('pending', 'cancelled') and not d.withdrawn as decided
       from debits d join debit_batches b on b.organisation_id = d.organisation_id and b.id = d.debit_batch_id
       join transactions t on t.organisation_id = d.organisation_id and t.id = d.transaction_id where d.organisation_id = $1`,
    shop.shop.organisation.id,
  );
  const assertSpan = (span: Span) => {
    const own = rows.filter(({ day, decided }) => decided && day >= span.from && day <= span.to);
    const of = (some: typeof rows) => ({
      amount: some.reduce((sum, { cents }) => sum + cents, 0) / 100,
      count: some.length,
    });
    const unpaid = of(own.filter((row) => row.unpaid));
    const presented = of(own);
    const percent = (part: number, whole: number) => (whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(2)));
    assert.partialDeepStrictEqual(span, {
      presented,
      unpaid,
      unpaidPercent: percent(unpaid.count, presented.count),
      unpaidAmountPercent: percent(unpaid.amount, presented.amount),
    });
  };
  const all = await read();
  assertSpan(all);
  all.series.forEach(assertSpan);
  assert.deepEqual([all.to, all.from, all.unpaidLimitPercent], ["2027-04-20", "2027-01-21", 10]);
  assert.ok(all.unpaid.count >= 3 && all.presented.count > all.unpaid.count);
  assert.deepEqual(all.reasons, [{ code: "02", reason: "Insufficient funds", ...all.unpaid }]);
  const first = await read("?from=2027-03-01&to=2027-03-14");
  assertSpan(first);
  assert.deepEqual([first.unpaid, first.presented.count], [{ amount: 50.5, count: 1 }, 3]);
  const listed = await shop.staff<{ data: { amount: number }[] }>(
    "GET",
    `/unpaid-debits?from=${all.from}&to=${all.to}&limit=100`,
  );
  assert.equal(listed.body.data.length, all.unpaid.count);
  const march = await shop.staff<{ data: unknown[] }>("GET", "/unpaid-debits?from=2027-03-01&to=2027-03-14");
  assert.equal(march.body.data.length, 1);
});
