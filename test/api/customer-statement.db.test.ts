import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { EXCHANGE, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Statement {
  readonly movements: readonly { date: string; description: string; amount: number; balance: number }[];
  readonly currencies: readonly string[];
  readonly opening: number;
  readonly closing: number;
}

test("of one day an invoice stands before the payments, which bear the beginning of their day; all else in the order of time", async () => {
  const shop = await openInvoicing(api);
  const finance = await shop.merchant.signIn("finance");
  const admin = await shop.merchant.signIn("admin");
  const earlier = await shop.owe(100);
  assert.equal((await admin("POST", "/test-clock", { now: "2027-03-05T10:00:00.000Z" })).status, 200);
  const later = await shop.owe(50);
  const startOfDay = { paidAt: "2027-03-04T22:00:00.000Z" };
  for (const [id, amount] of [
    [later.id, 50],
    [earlier.id, 60],
  ] as const)
    assert.equal((await shop.payOffline(id, amount, startOfDay)).status, 201);
  const note = { customerId: shop.customerId, reason: "Half", amount: 20 };
  assert.equal((await finance("POST", "/credit-notes", note)).status, 201);
  const path = `/customers/${shop.customerId}/statement`;
  const { body } = await finance<Statement>("GET", `${path}?from=2027-03-01&to=2027-03-31`);
  const shown = body.movements.map(({ date, amount, balance }) => [date, amount, balance]);
  assert.deepEqual(shown, [
    ["2027-03-01", 100, 100],
    ["2027-03-05", 50, 150],
    ["2027-03-05", -50, 100],
    ["2027-03-05", -60, 40],
    ["2027-03-05", -20, 20],
  ]);
  assert.equal(body.closing, 20);
  const csv = (await finance("GET", `${path}/csv?from=2027-03-05&to=2027-03-05`)).text.trimEnd().split("\r\n");
  assert.deepEqual(
    csv.slice(1).map((row) => row.replace(/,.*?(,-?[\d.]*,[\d.]+)$/, "$1")),
    [
      "2027-03-05,,100.00",
      "2027-03-05,50.00,150.00",
      "2027-03-05,-50.00,100.00",
      "2027-03-05,-60.00,40.00",
      "2027-03-05,-20.00,20.00",
      "2027-03-05,,20.00",
    ],
  );
});

test("a statement names the currencies in which anything was posted for the customer, whatever its days", async () => {
  const shop = await openInvoicing(api);
  const finance = await shop.merchant.signIn("finance");
  const read = async (query: string) =>
    (await finance<Statement>("GET", `/customers/${shop.customerId}/statement?from=2027-05-01&to=2027-05-31${query}`))
      .body;
  assert.deepEqual((await read("")).currencies, ["ZAR"]);
  await shop.owe(10, { currency: "USD", exchange: EXCHANGE });
  assert.deepEqual((await read("")).currencies, ["USD"]);
  await shop.owe(20);
  assert.deepEqual((await read("")).currencies, ["USD", "ZAR"]);
  assert.deepEqual([(await read("&currency=USD")).opening, (await read("")).opening], [10, 20]);
});
