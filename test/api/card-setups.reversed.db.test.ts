import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addSetup, begin, type CardShop, eventsOf, openCardShop, type Shown } from "../support/cards.ts";
import { CREDENTIALS, notify, reportedPayment, reportedReversal } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

// The bank takes the 1.00 of a set-up back, which a credit note has given the customer: an invoice asks for it.

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A shop with a set-up whose payment has begun. */
async function openBegun() {
  const stage = await openCardShop(api, {}, { credentials: CREDENTIALS });
  const { reference } = await begin(stage, String((await addSetup(stage))["url"]));
  const tell = async (report: Parameters<typeof notify>[2]) =>
    assert.equal((await notify(api, stage.account, report)).status, 200);
  return {
    stage,
    reference,
    complete: () => tell({ payment: reportedPayment(reference, "complete", { amount: 100 }) }),
    takeBack: (facts: object = {}) => tell({ reversal: reportedReversal(reference, { amount: 100, ...facts }) }),
  };
}

const owe = async ({ shop, customer }: CardShop): Promise<Shown> => {
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 100, taxRate: 0 }];
  return (await shop.post("/invoices", { customerId: customer, lines, send: true })).body;
};
/** Oldest first: total, what is due. */
const invoices = async ({ shop }: CardShop) =>
  (await shop.get<{ data: Shown[] }>("/invoices")).body.data
    .toReversed()
    .map((one) => [one["total"], one["amountDue"]]);

async function books({ shop }: CardShop): Promise<Record<string, number>> {
  const rows = await api.query<{ account: string; cents: number }>(
    `select account, sum(amount_cents)::int as cents from journal_lines where organisation_id = $1
      group by account having sum(amount_cents) <> 0 order by account`,
    shop.organisation.id,
  );
  return Object.fromEntries(rows.map(({ account, cents }) => [account, cents]));
}

/** The fee stays with the gateway. */
const FEE = { gateway_clearing: -390, gateway_fees: 390 };

const TOLD: [string, (begun: Awaited<ReturnType<typeof openBegun>>) => Promise<unknown>][] = [
  ["after it completed", async ({ complete, takeBack }) => [await complete(), await takeBack()]],
  ["before it completed", async ({ complete, takeBack }) => [await takeBack(), await complete()]],
  ["at the same time", ({ complete, takeBack }) => Promise.all([takeBack(), complete(), takeBack(), complete()])],
  [
    "five times at once",
    async ({ complete, takeBack }) => [await complete(), await Promise.all([1, 2, 3, 4, 5].map(() => takeBack()))],
  ],
];
for (const [when, happen] of TOLD)
  test(`${when}: the credit note that is open pays the invoice, and nothing is left to give`, async () => {
    const begun = await openBegun();
    const { stage } = begun;
    await happen(begun);
    assert.deepEqual(await invoices(stage), [[1, 0]]);
    assert.deepEqual(await books(stage), FEE);
    await owe(stage);
    assert.deepEqual((await invoices(stage)).at(-1), [100, 100], "the next invoice gets no credit");
    const told = await eventsOf(stage, "%");
    assert.equal(told.filter(({ type }) => type === "payment.reversed").length, 1);
    assert.equal(told.filter(({ type }) => type === "credit_note.applied").length, 1);
  });

test("when the credit was used, the customer owes it", async () => {
  const { stage, complete, takeBack, reference } = await openBegun();
  await owe(stage);
  await complete();
  assert.deepEqual(await invoices(stage), [[100, 99]]);
  await takeBack();
  assert.deepEqual(await invoices(stage), [
    [100, 99],
    [1, 1],
  ]);
  assert.deepEqual(await books(stage), { ...FEE, receivable: 10_000, revenue: -10_000 });
  const payment = (await stage.shop.get(`/transactions/${reference}`)).body;
  assert.deepEqual([payment["status"], (payment["reversals"] as Shown[]).length], ["complete", 1]);
});
