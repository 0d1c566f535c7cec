import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* What falls due at one moment is billed in sets: a few statements for all, and each subscription as if it were alone. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Creates a subscription for each of the customers, in their order; answers their ids. */
const subscribeAll = async (shop: SubscriptionShop, customers: readonly string[], fields: object) => {
  const ids: string[] = [];
  for (const id of customers) ids.push((await shop.subscribe({ customer: { id }, ...fields })).id);
  return ids;
};
const addCustomers = async ({ shop }: SubscriptionShop, count: number) => {
  const ids: string[] = [];
  for (let number = 0; number < count; number++)
    ids.push((await shop.post<{ id: string }>("/customers", { email: `payer-${number}@example.co.za` })).body.id);
  return ids;
};
/** The invoices of bills with a cycle, in the order of their numbers. */
const invoicesOfCycle = ({ shop }: SubscriptionShop, cycle: number) =>
  api.query<{ id: string; number: string; subscription: string; transaction: string; start: string; paid: number }>(
    `select i.id, i.number, b.customer_subscription_id as subscription, i.paid_cents::integer as paid, b.period_start::text as start,
            (select m.xmin::text from customer_subscription_bills m where m.organisation_id = b.organisation_id and m.id = b.id) as transaction
       from customer_subscription_bills b join invoices i on i.organisation_id = b.organisation_id and i.id = b.invoice_id
      where b.organisation_id = $1 and b.cycle = $2 order by i.number`,
    shop.organisation.id,
    cycle,
  );
const numbersOf = (invoices: readonly { number: string }[]) => invoices.map(({ number }) => Number(number.slice(4)));

describe("renewals that fall due at one moment", () => {
  test("are one transaction: each has its number, mail, events and next due work", async () => {
    const shop = await openSubscriptionShop(api);
    const customers = await addCustomers(shop, 20);
    const planId = await shop.addPlan();
    // Two subscriptions for each of half of the customers.
    const ids = await subscribeAll(shop, [...customers, ...customers.slice(0, 10)], { planId });
    await shop.move("2027-02-28");
    const renewed = await invoicesOfCycle(shop, 2);
    assert.deepEqual(renewed.map(({ subscription }) => subscription).toSorted(), ids.toSorted());
    assert.equal(new Set(renewed.map(({ transaction }) => transaction)).size, 1);
    assert.deepEqual(
      numbersOf(renewed),
      ids.map((_, place) => ids.length + 1 + place),
    );
    const mailed = await api.query<{ about: string }>(
      "select about from emails where organisation_id = $1 and kind = 'invoice' and about = any ($2)",
      shop.shop.organisation.id,
      renewed.map(({ id }) => id),
    );
    assert.equal(mailed.length, ids.length);
    for (const id of ids)
      assert.deepEqual(
        (await shop.events(id)).map(({ type }) => type),
        ["subscription.created", "subscription.activated", "subscription.renewed"],
      );
    const outstanding = await api.query<{ due: string }>(
      `select distinct (due_at at time zone 'Africa/Johannesburg')::date::text as due from due_work
        where organisation_id = $1 and kind = 'customer_subscription.bill'`,
      shop.shop.organisation.id,
    );
    assert.deepEqual(outstanding, [{ due: "2027-03-31" }]);
  });

  test("are billed though one of them cannot be, which is tried again by itself and named", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const ids = await subscribeAll(shop, await addCustomers(shop, 9), { planId });
    const broken = ids[4] ?? "";
    const change = (path: string, value: string) =>
      api.query(
        `update customer_subscriptions set state = jsonb_set(state, '{${path}}', $3::jsonb) where organisation_id = $1 and id = $2`,
        shop.shop.organisation.id,
        broken,
        value,
      );
    await change("terms,price,frequency", '"fortnightly"');
    await shop.move("2027-02-28");
    const renewed = await invoicesOfCycle(shop, 2);
    assert.deepEqual(
      renewed.map(({ subscription }) => subscription).toSorted(),
      ids.filter((id) => id !== broken).toSorted(),
    );
    // What was tried in vain has left no gap in the numbers.
    assert.deepEqual(
      numbersOf(renewed),
      renewed.map((_, place) => ids.length + 1 + place),
    );
    const [parked] = await api.query<{ subject: string; reported: boolean }>(
      `select subject, last_error is not null as reported from due_work
        where organisation_id = $1 and kind = 'customer_subscription.bill' and parked_at is not null`,
      shop.shop.organisation.id,
    );
    assert.deepEqual(parked, { subject: broken, reported: true });
    await change("terms,price,frequency", '"monthly"');
    await api.query(
      "update due_work set parked_at = null, attempts = 0 where organisation_id = $1 and subject = $2",
      shop.shop.organisation.id,
      broken,
    );
    await shop.move("2027-03-31");
    assert.deepEqual((await shop.invoices(broken)).map(({ periodStart }) => periodStart).toSorted(), [
      "2027-01-31",
      "2027-02-28",
      "2027-03-31",
    ]);
  });

  test("take a customer's credit note once, oldest invoice first, and leave the others alone", async () => {
    const shop = await openSubscriptionShop(api);
    const [one = "", other = ""] = await addCustomers(shop, 2);
    const planId = await shop.addPlan();
    const first = await subscribeAll(shop, [one, one, other], { planId });
    const [invoice] = await shop.invoices(first[0] ?? "");
    // Paid, so that the credit note is not applied to it.
    await shop.shop.post(`/invoices/${invoice?.["id"]}/payments`, { amount: 115, method: "eft" });
    const [second] = await shop.invoices(first[1] ?? "");
    await shop.shop.post(`/invoices/${second?.["id"]}/payments`, { amount: 115, method: "eft" });
    const note = await shop.staff("POST", "/credit-notes", {
      invoiceId: invoice?.["id"],
      amount: 115,
      reason: "Outage",
    });
    assert.equal(note.status, 201, note.text);
    await shop.move("2027-02-28");
    const renewed = await invoicesOfCycle(shop, 2);
    const paid = new Map(renewed.map((row) => [row.subscription, row.paid]));
    const [applied] = renewed.filter(({ subscription }) => first.slice(0, 2).includes(subscription));
    assert.equal(applied?.paid, 11500, "the one with the lower number");
    assert.equal(
      [...paid.values()].reduce((sum, cents) => sum + cents, 0),
      11500,
    );
    assert.equal(paid.get(first[2] ?? ""), 0);
  });

  test("are one transaction with the end of what was never paid", async () => {
    const stage = await openCollectingShop(api);
    const unpaid = await stage.subscribe();
    const billed = await stage.subscribe({ collectionMethod: "invoice" });
    await stage.move("2027-03-31T22:00:00.000Z");
    assert.equal((await stage.now(unpaid.id)).status, "expired");
    assert.deepEqual(
      (await stage.invoices(billed.id)).map(({ periodStart }) => periodStart),
      ["2027-04-01", "2027-03-01"],
    );
    const told = await api.query<{ type: string; transaction: string }>(
      "select type, xmin::text as transaction from events where organisation_id = $1 and type = any ($2) order by type",
      stage.shop.organisation.id,
      ["subscription.expired", "subscription.renewed"],
    );
    assert.equal(told.length, 2);
    assert.equal(told[0]?.transaction, told[1]?.transaction);
  });

  test("that were missed are billed each period once, oldest first, whatever the method", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const customers = await addCustomers(shop, 3);
    const ids = await subscribeAll(shop, customers, { planId });
    const [manual = ""] = await subscribeAll(shop, customers.slice(0, 1), { planId, collectionMethod: "manual" });
    // As if no worker had run for three months.
    await api.query(
      "update organisations set clock_at = '2027-05-01T00:00:00Z' where id = $1",
      shop.shop.organisation.id,
    );
    await shop.move("2027-05-02");
    for (const id of ids) {
      const invoices = (await shop.invoices(id)).toReversed();
      const starts = invoices.map(({ periodStart }) => periodStart);
      assert.deepEqual(starts, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]);
      const numbers = numbersOf(invoices as { number: string }[]);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
      assert.deepEqual(
        (await shop.events(id)).map(({ type, data }) => [
          type,
          (data["invoice"] as { periodStart: string }).periodStart,
          data["currentPeriodStart"],
          data["cyclesBilled"],
        ]),
        [
          ["subscription.created", "2027-01-31", "2027-01-31", 1],
          ["subscription.activated", "2027-01-31", "2027-01-31", 1],
          ["subscription.renewed", "2027-02-28", "2027-02-28", 2],
          ["subscription.renewed", "2027-03-31", "2027-03-31", 3],
          ["subscription.renewed", "2027-04-30", "2027-04-30", 4],
        ],
      );
    }
    assert.deepEqual(
      (await shop.invoices(manual)).map(({ periodStart, status }) => [periodStart, status]),
      [
        ["2027-02-28", "draft"],
        ["2027-01-31", "draft"],
      ],
    );
  });
});
