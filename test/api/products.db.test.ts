import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { paymentLinkEndpoints } from "../../src/http/resources/payment-links.ts";
import { productEndpoints } from "../../src/http/resources/products.ts";
import { settingsEndpoints } from "../../src/http/resources/settings.ts";
import { addMerchant, dataOf, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

describe("products", () => {
  let merchant: Merchant;
  before(async () => {
    const endpoints = [...productEndpoints, ...settingsEndpoints, ...gatewayEndpoints, ...paymentLinkEndpoints];
    merchant = await openMerchant(endpoints, { sandbox: true });
    assert.equal((await merchant.call("POST", "/gateways", { type: "sandbox" })).status, 201);
  });
  after(() => merchant.close());

  const create = (body: object) => merchant.call("POST", "/products", body);

  test("VAT, currency and the rest have defaults", async () => {
    const { status, body } = await create({ name: " Wool ", amount: 149.995 });
    assert.equal(status, 201);
    const { id, createdAt, updatedAt, ...rest } = body;
    assert.match(String(id), /^prod_[0-9a-z]{26}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      name: "Wool",
      description: null,
      amount: 150,
      currency: "ZAR",
      taxRate: 15,
      standardRate: true,
      taxInclusive: false,
      recurring: null,
      enabled: true,
    });
    assert.deepEqual((await merchant.call("GET", `/products/${id}`)).body, body);
  });

  test("VAT follows the settings, unless the body gives it", async () => {
    const other = await addMerchant(merchant.dashboard);
    await other.call("PATCH", "/settings", { vatRate: 15.5, taxInclusivePrices: true });
    const { body } = await other.call("POST", "/products", { name: "a", amount: 1 });
    assert.deepEqual([body["taxRate"], body["taxInclusive"]], [15.5, true]);
    const given = { name: "b", amount: 1, taxRate: 0, taxInclusive: false };
    const { body: exempt } = await other.call("POST", "/products", given);
    assert.deepEqual([exempt["taxRate"], exempt["taxInclusive"]], [0, false]);

    await other.call("PATCH", "/settings", { vatRate: 14 });
    const { body: kept } = await other.call("PATCH", `/products/${body["id"]}`, { name: "c" });
    assert.equal(kept["taxRate"], 14);
    const { status } = await other.call("PATCH", `/products/${body["id"]}`, { taxRate: null });
    assert.equal(status, 400, "null is what NaN becomes, and no rate");
  });

  test("those that are billed again and again are listed by themselves", async () => {
    const other = await addMerchant(merchant.dashboard);
    await other.call("POST", "/products", { name: "Helmet", amount: 1 });
    await other.call("POST", "/products", { name: "Locker", amount: 1, recurring: { frequency: "monthly" } });
    const names = async (query: string) => dataOf(await other.call("GET", `/products${query}`)).map(({ name }) => name);
    assert.deepEqual(await names("?recurring=true"), ["Locker"]);
    assert.deepEqual(await names("?recurring=true&q=helm"), []);
    assert.deepEqual(await names(""), ["Locker", "Helmet"]);
    assert.equal((await other.call("GET", "/products?recurring=no")).status, 400);
  });

  test("PATCH changes what is given; null clears what may be empty", async () => {
    const made = {
      name: "Box",
      amount: 99,
      description: "Monthly",
      currency: "usd",
      recurring: { frequency: "monthly" },
    };
    const { body } = await create(made);
    assert.deepEqual([body["currency"], body["recurring"]], ["USD", { frequency: "monthly" }]);
    const path = `/products/${body["id"]}`;
    const dear = await merchant.call("PATCH", path, { amount: 120.5, enabled: false });
    assert.equal(dear.status, 200);
    assert.deepEqual({ ...dear.body, updatedAt: 0 }, { ...body, amount: 120.5, enabled: false, updatedAt: 0 });
    const cleared = await merchant.call("PATCH", path, { description: null, recurring: null });
    assert.deepEqual([cleared.body["description"], cleared.body["recurring"]], [null, null]);
    assert.deepEqual((await merchant.call("PATCH", path, {})).status, 200);
  });

  const REFUSED: [string, object, unknown[]][] = [
    ["no name", { amount: 1 }, ["name"]],
    ["no amount", { name: "a" }, ["amount"]],
    ["nothing to pay", { name: "a", amount: 0 }, ["amount"]],
    ["less than a cent", { name: "a", amount: 0.001 }, ["amount"]],
    ["too much", { name: "a", amount: 10_000_000.01 }, ["amount"]],
    ["an amount as text", { name: "a", amount: "1" }, ["amount"]],
    ["a currency that is none", { name: "a", amount: 1, currency: "XXQ" }, ["currency"]],
    ["a rate below zero", { name: "a", amount: 1, taxRate: -1 }, ["taxRate"]],
    [
      "a frequency that is none",
      { name: "a", amount: 1, recurring: { frequency: "daily" } },
      ["recurring", "frequency"],
    ],
    ["recurring as text", { name: "a", amount: 1, recurring: "monthly" }, ["recurring"]],
  ];
  for (const [what, body, path] of REFUSED)
    test(`${what}: 400 at ${path.join(".")}`, async () => {
      const answer = await create(body);
      assert.deepEqual([answer.status, issuePath(answer)], [400, path]);
    });

  test("one that a payment link uses can be disabled and not deleted", async () => {
    const { body: product } = await create({ name: "Used", amount: 10 });
    const link = await merchant.call("POST", "/payment-links", { title: "Used", amount: 10, productId: product["id"] });
    assert.equal(link.status, 201, JSON.stringify(link.body));
    const refused = await merchant.call("DELETE", `/products/${product["id"]}`);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
    assert.equal(
      (await merchant.call("PATCH", `/products/${product["id"]}`, { enabled: false })).body["enabled"],
      false,
    );

    const { body: unused } = await create({ name: "Unused", amount: 10 });
    assert.deepEqual((await merchant.call("DELETE", `/products/${unused["id"]}`)).body, unused);
    assert.equal((await merchant.call("GET", `/products/${unused["id"]}`)).status, 404);
    assert.equal((await merchant.call("DELETE", `/products/${unused["id"]}`)).status, 404);
  });

  test("the list searches names, newest first", async () => {
    const other = await addMerchant(merchant.dashboard);
    for (const name of ["Red wool", "Blue wool", "Felt"]) await other.call("POST", "/products", { name, amount: 1 });
    const found = await other.call("GET", "/products?q=WOOL&limit=1");
    assert.deepEqual(
      dataOf(found).map(({ name }) => name),
      ["Blue wool"],
    );
    const rest = await other.call("GET", `/products?q=WOOL&startingAfter=${found.body["nextCursor"]}`);
    assert.deepEqual(
      dataOf(rest).map(({ name }) => name),
      ["Red wool"],
    );
  });

  test("another organisation's product is not found", async () => {
    const other = await addMerchant(merchant.dashboard);
    const { body } = await create({ name: "Mine", amount: 1 });
    for (const [method, sent] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const)
      assert.equal((await other.call(method, `/products/${body["id"]}`, sent)).status, 404);
  });
});
