import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.15: prices of a plan in several currencies, and subscriptions in one of them. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const USD = { currency: "USD", amount: 9.5, setupFee: 2 };
const EUR = { currency: "EUR", amount: 8, setupFee: 0 };
interface Plan extends Record<string, unknown> {
  readonly id: string;
}

async function opened() {
  const shop = await openSubscriptionShop(api);
  const rates = [
    { currency: "USD", rate: 18.5, date: "2027-01-29", source: "SARB" },
    { currency: "EUR", rate: 20, date: "2027-01-29", source: "SARB" },
  ];
  assert.equal((await shop.staff("PATCH", "/settings", { exchangeRates: rates })).status, 200);
  const plan = (fields: object) =>
    shop.shop.post<Plan>(`/packages/${shop.packageId}/plans`, {
      name: "Gold",
      amount: 100,
      frequency: "monthly",
      taxRate: 15,
      setupFee: 10,
      ...fields,
    });
  const change = (id: string, body: object) =>
    shop.staff<Plan>("PATCH", `/packages/${shop.packageId}/plans/${id}`, body);
  return { ...shop, plan, change };
}
type Stage = Awaited<ReturnType<typeof opened>>;
const create = ({ shop, customer }: SubscriptionShop, fields: object) =>
  shop.post<{ id: string; message?: string; issues?: { path: unknown[] }[] }>("/customer-subscriptions", {
    customer: { id: customer },
    collectionMethod: "invoice",
    ...fields,
  });

describe("prices of a plan in other currencies", () => {
  let stage: Stage;
  before(async () => {
    stage = await opened();
  });

  test("are shown as given, with no set-up fee unless there is one, and make a new version when they change", async () => {
    const { body } = await stage.plan({ prices: [USD, { currency: "eur", amount: 8 }] });
    assert.deepEqual(body["prices"], [USD, EUR]);
    const same = await stage.change(body.id, { prices: [EUR, USD] });
    assert.deepEqual([same.body["version"], same.body["prices"]], [1, [EUR, USD]]);
    const other = await stage.change(body.id, { prices: [EUR] });
    assert.deepEqual([other.body["version"], other.body["prices"]], [2, [EUR]]);
    const { body: kept } = await stage.change(body.id, { name: "Platinum" });
    assert.deepEqual(kept["prices"], [EUR]);
  });

  for (const [what, fields, path] of [
    ["the plan's own currency", { prices: [{ currency: "ZAR", amount: 1 }] }, "prices.0.currency"],
    ["one currency twice", { prices: [USD, { currency: "usd", amount: 1 }] }, "prices"],
    ["a currency that is none", { prices: [{ currency: "XXQ", amount: 1 }] }, "prices.0.currency"],
    ["an amount below zero", { prices: [{ currency: "USD", amount: -1 }] }, "prices.0.amount"],
    ["no amount", { prices: [{ currency: "USD" }] }, "prices.0.amount"],
    ["no list", { prices: USD }, "prices"],
  ] as const)
    test(`are refused: ${what}`, async () => {
      const { status, body } = await stage.plan(fields);
      const [issue] = (body["issues"] ?? []) as { path: unknown[] }[];
      assert.deepEqual([status, issue?.path.join(".")], [400, path]);
    });

  test("a change of the plan's currency to that of one of them is refused", async () => {
    const { body } = await stage.plan({ prices: [USD] });
    assert.equal((await stage.change(body.id, { currency: "USD" })).status, 400);
  });
});

describe("a subscription in a currency of its plan", () => {
  test("is billed in it, from the first charge to the renewal and the change of plan", async () => {
    const stage = await opened();
    const { body: gold } = await stage.plan({ prices: [USD] });
    const { body: silver } = await stage.plan({
      name: "Silver",
      amount: 40,
      setupFee: 0,
      prices: [{ ...USD, amount: 4 }],
    });
    const { body: bronze } = await stage.plan({ name: "Bronze", amount: 20 });
    const sub = await stage.subscribe({ planId: gold.id, currency: "usd" });
    assert.deepEqual([sub["currency"], sub["amount"]], ["USD", 9.5]);
    const [first] = await stage.invoices(sub.id);
    assert.partialDeepStrictEqual(first, {
      currency: "USD",
      subtotal: 11.5,
      taxAmount: 1.73,
      total: 13.23,
      exchange: { rate: 18.5, date: "2027-01-29", source: "SARB" },
      taxAmountZar: 32.01,
      totalZar: 244.76,
    });
    const refused = await stage.act(sub.id, "change-plan", { planId: bronze.id });
    assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, ["planId"]]);
    assert.match(String(refused.body["message"]), /ZAR.*USD/);
    const changed = await stage.act(sub.id, "change-plan", { planId: silver.id, proration: "next_renewal" });
    assert.equal(changed.status, 200);
    await stage.move("2027-03-01");
    assert.deepEqual(
      (await stage.invoices(sub.id)).map(({ currency, subtotal }) => [currency, subtotal]),
      [
        ["USD", 4],
        ["USD", 11.5],
      ],
    );
    const { body: list } = await stage.shop.get<{ data: unknown[] }>("/customer-subscriptions?currency=USD");
    assert.equal(list.data.length, 1);
  });

  test("must be one of them", async () => {
    const stage = await opened();
    const { body: plan } = await stage.plan({ prices: [USD, EUR] });
    const refused = await create(stage, { planId: plan.id, currency: "GBP" });
    assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, ["currency"]]);
    assert.match(String(refused.body.message), /ZAR, USD, EUR/);
    const dry = await create(stage, { planId: plan.id, currency: "GBP", dryRun: true });
    assert.equal(dry.status, 400);
    const debit = await create(stage, { planId: plan.id, currency: "USD", collectionMethod: "debit_order" });
    assert.deepEqual([debit.status, debit.body.issues?.[0]?.path], [400, ["collectionMethod"]]);
    assert.equal((await stage.subscribe({ planId: plan.id }))["currency"], "ZAR");
    assert.equal((await stage.subscribe({ planId: plan.id, currency: "ZAR" }))["currency"], "ZAR");
  });

  test("keeps its price when the plan's prices change or go", async () => {
    const stage = await opened();
    const { body: plan } = await stage.plan({ prices: [USD], setupFee: 0 });
    const sub = await stage.subscribe({ planId: plan.id, currency: "USD" });
    await stage.change(plan.id, { prices: [] });
    await stage.move("2027-03-01");
    assert.deepEqual(
      (await stage.invoices(sub.id)).map(({ currency, subtotal }) => [currency, subtotal]),
      [
        ["USD", 9.5],
        ["USD", 11.5],
      ],
    );
    assert.equal((await create(stage, { planId: plan.id, currency: "USD" })).status, 400);
  });

  test("counts in the revenue of its currency", async () => {
    const stage = await opened();
    const { body: plan } = await stage.plan({ prices: [USD] });
    await stage.subscribe({ planId: plan.id, currency: "USD" });
    await stage.subscribe({ planId: plan.id });
    const rows = await api.query<{ currency: string; amount: number }>(
      `select currency, sum(amount_cents)::integer as amount from day_sums
        where organisation_id = $1 and figure = 'recurring' group by currency order by currency`,
      stage.shop.organisation.id,
    );
    assert.deepEqual(rows, [
      { currency: "USD", amount: 950 },
      { currency: "ZAR", amount: 10000 },
    ]);
  });
});
