import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { MASTERCARD } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: reports about subscriptions, recomputed from the rows that they add up. */

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
  readonly opening: Counted;
  readonly moved: Readonly<Record<string, Counted>>;
  readonly closing: Counted;
  readonly churn: { readonly subscriptionsPercent: number | null; readonly revenuePercent: number | null };
}
interface Movement {
  readonly kind: string;
  readonly amount: number;
}
const cents = (amount: number) => Math.round(amount * 100);
const read = async <Body>(staff: StaffCall, path: string) => {
  const answer = await staff<Body>("GET", path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const report = (staff: StaffCall, query: string) =>
  read<Span & { series: Span[] }>(staff, `/overview/revenue-report?${query}`);

/** Cents and subscriptions at the end of a day, by the movements alone. */
const atEndOf = async (organisation: string, day: string) => {
  const [row] = await api.query<{ cents: number; count: number }>(
    `select coalesce(sum(amount_cents), 0)::integer as cents,
            (count(*) filter (where kind in ('new', 'reactivation')) - count(*) filter (where kind = 'churn'))::integer as count
       from customer_subscription_movements
      where organisation_id = $1 and currency = 'ZAR' and happened_at < ($2::date + 1)::timestamp at time zone '+02'`,
    organisation,
    day,
  );
  return [row?.cents, row?.count];
};
const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** Opening and closing are what the movements come to, and what moved is what its list shows. */
async function assertMoved(shop: SubscriptionShop, span: Span): Promise<void> {
  const name = `${span.from} to ${span.to}`;
  const organisation = shop.shop.organisation.id;
  const figures = ({ amount, count }: Counted) => [cents(amount), count];
  assert.deepEqual(figures(span.opening), await atEndOf(organisation, dayBefore(span.from)), name);
  assert.deepEqual(figures(span.closing), await atEndOf(organisation, span.to), name);
  let moved = 0;
  for (const [kind, figure] of Object.entries(span.moved)) {
    const list = `/subscription-movements?kind=${kind}&from=${span.from}&to=${span.to}&currency=ZAR&limit=100`;
    const { data } = await read<{ data: Movement[] }>(shop.staff, list);
    assert.deepEqual(figures(figure), [data.reduce((sum, { amount }) => sum + cents(amount), 0), data.length], list);
    moved += cents(figure.amount);
  }
  assert.equal(cents(span.opening.amount) + moved, cents(span.closing.amount), name);
  const { opening, churn } = span;
  const stopped = span.moved["churn"];
  assert.ok(stopped);
  const percent = (part: number, whole: number) => (whole === 0 ? null : Number(((part / whole) * 100).toFixed(2)));
  assert.deepEqual(churn, {
    subscriptionsPercent: percent(stopped.count, opening.count),
    revenuePercent: percent(-stopped.amount, opening.amount),
  });
}

describe("the report of recurring revenue", () => {
  test("goes from opening to closing by what moved it, whole and by month", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const act = async (id: string, action: string, body = {}) => {
      const answer = await shop.shop.post(`/customer-subscriptions/${id}/${action}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    const { id } = await shop.subscribe({ planId });
    const other = await shop.subscribe({ planId, quantity: 2 });
    const third = await shop.subscribe({ planId, quantity: 3 });
    await shop.subscribe({ planId: await shop.addPlan({ name: "Dollars", currency: "USD", amount: 7 }) });
    await shop.move("2027-02-10");
    await act(id, "change-plan", { quantity: 4, proration: "now" });
    await act(other.id, "pause");
    await shop.move("2027-03-05");
    await act(other.id, "resume");
    await act(id, "change-plan", { quantity: 2, proration: "none" });
    await act(third.id, "cancel", { when: "now" });
    await shop.subscribe({ planId });

    const all = await report(shop.staff, "from=2027-01-01&to=2027-03-05");
    await assertMoved(shop, all);
    assert.deepEqual([all.opening.amount, all.closing.amount, all.closing.count], [0, 500, 3]);
    assert.deepEqual(
      all.series.map(({ from, to }) => [from, to]),
      [
        ["2027-01-01", "2027-01-31"],
        ["2027-02-01", "2027-02-28"],
        ["2027-03-01", "2027-03-05"],
      ],
    );
    for (const [at, span] of all.series.entries()) {
      await assertMoved(shop, span);
      if (at > 0) assert.deepEqual(span.opening, all.series[at - 1]?.closing);
    }
    const past = await report(shop.staff, "from=2027-02-05&to=2027-02-20");
    await assertMoved(shop, past);
    assert.deepEqual(
      [past.closing.amount, past.moved["churn"]?.count, past.churn.subscriptionsPercent],
      [700, 1, 33.33],
    );
    const dollars = await report(shop.staff, "currency=USD");
    assert.deepEqual([dollars.from, dollars.series.length, dollars.closing.amount], ["2026-04-01", 12, 7]);
    assert.equal((await shop.staff("GET", "/overview/revenue-report?from=2027-02-01&to=2027-01-01")).status, 400);
  });
});

interface Cohorts {
  readonly from: string;
  readonly cohorts: readonly {
    readonly from: string;
    readonly to: string;
    readonly started: Counted;
    readonly months: readonly {
      readonly to: string;
      readonly active: Counted;
      readonly subscriptionsPercent: number;
      readonly revenuePercent: number;
    }[];
  }[];
}

describe("the report of cohorts", () => {
  /** What is left at the end of a day of the subscriptions that started in some days, by the movements alone. */
  const leftOf = async (organisation: string, { from, to }: { from: string; to: string }, end: string) => {
    const rows = await api.query<{ kind: string; cents: number; subscription: string }>(
      `select m.kind, m.amount_cents::integer as cents, m.customer_subscription_id as subscription
         from customer_subscription_movements m
        where m.organisation_id = $1 and m.currency = 'ZAR' and day_of(m.happened_at) <= $4::date
          and (select min(day_of(f.happened_at)) from customer_subscription_movements f
                where f.organisation_id = $1 and f.customer_subscription_id = m.customer_subscription_id) between $2 and $3
        order by m.happened_at, m.id`,
      ...[organisation, from, to, end],
    );
    const left = new Map<string, number>();
    for (const { subscription, cents: moved } of rows) left.set(subscription, (left.get(subscription) ?? 0) + moved);
    const active = [...left.values()].filter((amount) => amount > 0);
    return { amount: active.reduce((sum, amount) => sum + amount, 0) / 100, count: active.length };
  };

  test("says what is left of the subscriptions that started in each month", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const organisation = shop.shop.organisation.id;
    const act = async (id: string, action: string, body = {}) => {
      const answer = await shop.shop.post(`/customer-subscriptions/${id}/${action}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    const [one, two] = [await shop.subscribe({ planId }), await shop.subscribe({ planId, quantity: 2 })];
    const three = await shop.subscribe({ planId, quantity: 3 });
    await shop.subscribe({ planId: await shop.addPlan({ name: "Dollars", currency: "USD", amount: 7 }) });
    await act(three.id, "cancel", { when: "now" });
    await shop.move("2027-03-05");
    await act(two.id, "pause");
    await shop.subscribe({ planId, trialDays: 30 });
    await shop.subscribe({ planId, quantity: 5 });
    await shop.move("2027-04-20");
    await act(two.id, "resume");
    await act(one.id, "change-plan", { quantity: 4, proration: "now" });
    await shop.move("2027-05-10");

    const of = await read<Cohorts>(shop.staff, "/overview/cohort-report?from=2027-01-15&to=2027-05-10");
    assert.equal(of.from, "2027-01-01", "cohorts are whole months");
    assert.deepEqual(
      of.cohorts.map(({ from, to, started, months }) => [from, to, started, months.length]),
      [
        ["2027-01-01", "2027-01-31", { amount: 600, count: 3 }, 5],
        ["2027-03-01", "2027-03-31", { amount: 500, count: 1 }, 3],
        ["2027-04-01", "2027-04-30", { amount: 100, count: 1 }, 2],
      ],
    );
    for (const cohort of of.cohorts) {
      const query = `kind=new&currency=ZAR&from=${cohort.from}&to=${cohort.to}&limit=100`;
      const { data } = await read<{ data: Movement[] }>(shop.staff, `/subscription-movements?${query}`);
      assert.equal(data.length, cohort.started.count, "its figure leads to its rows");
      for (const { to, active, subscriptionsPercent, revenuePercent } of cohort.months) {
        assert.deepEqual(active, await leftOf(organisation, cohort, to), `${cohort.from} at ${to}`);
        assert.equal(subscriptionsPercent, Number(((active.count / cohort.started.count) * 100).toFixed(2)));
        assert.equal(revenuePercent, Number(((active.amount / cohort.started.amount) * 100).toFixed(2)));
      }
    }
    assert.deepEqual(
      of.cohorts[0]?.months.map(({ to, active }) => [to, active.count, active.amount]),
      [
        ["2027-01-31", 2, 300],
        ["2027-02-28", 2, 300],
        ["2027-03-31", 1, 100],
        ["2027-04-30", 2, 600],
        ["2027-05-10", 2, 600],
      ],
    );
    const revenue = await report(shop.staff, "from=2027-01-01&to=2027-05-10");
    for (const { to, closing } of revenue.series) {
      const last = of.cohorts.flatMap(({ months }) => months.filter((month) => month.to === to));
      const all = last.reduce((sum, { active }) => sum + cents(active.amount), 0);
      assert.equal(all, cents(closing.amount), `all cohorts at ${to} are the recurring revenue`);
    }
    const dollars = await read<Cohorts>(shop.staff, "/overview/cohort-report?currency=USD");
    assert.deepEqual(
      dollars.cohorts.map(({ started }) => started),
      [{ amount: 7, count: 1 }],
    );
  });
});

describe("the report of recovery", () => {
  const DECLINED = "4000000000000341";
  const at = (day: string) => `2027-${day}T12:00:00.000Z`;
  type Recovery = Readonly<Record<"failed" | "retried" | "recovered" | "retrying" | "lost", Counted>>;

  test("divides collections that failed into recovered, retrying and lost", async () => {
    const shop = await openCollectingShop(api);
    const recovery = async (query = "from=2027-04-01&to=2027-04-30") => {
      const body = await read<Recovery>(shop.staff, `/overview/recovery-report?${query}`);
      const rows = await api.query<{ cents: number; paid: boolean; ended: boolean; retried: boolean }>(
        `select i.total_cents::integer as cents, i.status = 'paid' as paid, c.ended is not null as ended, c.retries > 0 as retried
           from subscription_collections c join invoices i on i.organisation_id = c.organisation_id and i.id = c.invoice_id
          where c.organisation_id = $1 and c.missed_at is not null`,
        shop.shop.organisation.id,
      );
      const of = (wanted: (row: (typeof rows)[number]) => boolean) => {
        const own = rows.filter(wanted);
        return { amount: own.reduce((sum, row) => sum + row.cents, 0) / 100, count: own.length };
      };
      assert.partialDeepStrictEqual(body, {
        failed: of(() => true),
        retried: of(({ retried }) => retried),
        recovered: of(({ paid }) => paid),
        retrying: of(({ paid, ended }) => !paid && !ended),
        lost: of(({ paid, ended }) => !paid && ended),
      });
      return body;
    };
    const one = await shop.subscribe();
    const other = await shop.subscribe({ quantity: 2 });
    await shop.pay(one, DECLINED);
    await shop.pay(other, DECLINED);
    await shop.move(at("04-05"));
    const failed = await recovery();
    assert.deepEqual([failed.failed.count, failed.retrying.count], [2, 2]);
    await shop.pay(await shop.now(other.id), MASTERCARD);
    await shop.move(at("04-29"));
    const done = await recovery();
    assert.deepEqual(
      [done.failed, done.recovered, done.lost],
      [
        { amount: 300, count: 2 },
        { amount: 200, count: 1 },
        { amount: 100, count: 1 },
      ],
    );
    assert.ok(done.retried.count > 0);
    const before = await read<Recovery>(shop.staff, "/overview/recovery-report?from=2027-03-01&to=2027-03-31");
    assert.equal(before.failed.count, 0);
  });
});
