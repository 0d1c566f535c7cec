import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RECORDS } from "../../src/catalogue.ts";
import { contextFor, SYSTEM } from "../../src/flows/context.ts";
import { customerEndpoints } from "../../src/http/resources/customers.ts";
import { invoiceEndpoints } from "../../src/http/resources/invoices.ts";
import { productEndpoints } from "../../src/http/resources/products.ts";
import { searchEndpoints } from "../../src/http/resources/search.ts";
import { transactionEndpoints } from "../../src/http/resources/transactions.ts";
import { addInvoices } from "../support/invoiced-organisation.ts";
import { addMerchant, type Merchant, openMerchant } from "../support/merchant.ts";

interface Group {
  kind: string;
  hasMore: boolean;
  results: { id: string; title: string; detail: string | null; path: string; amount: number | null }[];
}

describe("the search over all records", () => {
  let merchant: Merchant;
  before(async () => {
    merchant = await openMerchant(
      [
        ...searchEndpoints(RECORDS),
        ...customerEndpoints,
        ...invoiceEndpoints,
        ...productEndpoints,
        ...transactionEndpoints,
      ],
      { sandbox: true },
    );
    const { services } = merchant.dashboard;
    await addInvoices(services, contextFor(services, merchant.organisation, SYSTEM));
    for (const [firstName, lastName, company, email] of [
      ["Thandi", "Nkosi", "Karoo Supplies", "Thandi.Nkosi@Example.co.za"],
      ["Thandi", "O'Brien", null, "ob@example.co.za"],
      ["José", "Ñandú", "50% off_season", null],
    ])
      await merchant.call("POST", "/customers", { firstName, lastName, company, email });
  });
  after(() => merchant.close());

  const search = async (q: string, limit = "", own = merchant): Promise<Group[]> => {
    const answer = await own.call("GET", `/search?q=${encodeURIComponent(q)}${limit}`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body["q"], q.trim());
    return answer.body["groups"] as Group[];
  };
  const titles = async (q: string, kind: string) =>
    (await search(q)).find((group) => group.kind === kind)?.results.map(({ title }) => title) ?? [];

  test("finds customers by any word of their names, company and address, or its beginning", async () => {
    for (const q of [
      "thandi",
      "THANDI NKOSI",
      "nko",
      "supplies",
      "karoo thandi",
      "thandi.nkosi@example.co.za",
      "thandi.n",
    ])
      assert.ok((await titles(q, "customer")).includes("Karoo Supplies"), q);
    assert.deepEqual(await titles("o'brien", "customer"), ["Thandi O'Brien"]);
    for (const q of ["ñandú josé", "NANDU", "jose", "50% off_season", "off_"])
      assert.deepEqual(await titles(q, "customer"), ["50% off_season"], q);
    assert.deepEqual(await titles("thandi zulu", "customer"), []);
  });

  test("follows a changed name", async () => {
    const own = await addMerchant(merchant.dashboard);
    const { id } = (await own.call("POST", "/customers", { email: "a@example.co.za", lastName: "Before" })).body;
    await own.call("PATCH", `/customers/${id}`, { lastName: "Afterwards" });
    assert.deepEqual(await search("before", "", own), []);
    assert.equal((await search("afterwards", "", own))[0]?.results[0]?.id, id);
  });

  test("finds records by number, reference, the merchant's reference, amount and id, each under its path", async () => {
    const { data } = (await merchant.call("GET", "/invoices?externalReference=plain")).body as {
      data: { id: string; number: string; total: number; customer: { email: string } }[];
    };
    const [plain] = data;
    assert.ok(plain);
    const byNumber = String(Number(plain.number.slice(4)));
    for (const q of [
      plain.id,
      plain.number,
      plain.number.toLowerCase(),
      byNumber,
      "plain",
      "plai",
      String(plain.total),
      String(Math.floor(plain.total)),
      plain.customer.email,
    ])
      assert.ok(
        (await search(q, "&limit=20")).some(
          ({ kind, results }) => kind === "invoice" && results.some(({ id }) => id === plain.id),
        ),
        q,
      );
    const paid = (await merchant.call("GET", "/transactions")).body["data"] as { reference: string }[];
    const reference = paid[0]?.reference ?? "";
    assert.deepEqual(await titles(reference.toLowerCase(), "transaction"), [reference]);
    const groups = (await search("debtor@example.com")).filter(({ kind }) =>
      ["customer", "invoice", "transaction"].includes(kind),
    );
    assert.ok(groups.length > 1);
    for (const { results } of groups)
      for (const { path } of results) assert.equal((await merchant.call("GET", path)).status, 200, path);
  });

  test("shows at most so many of a kind and says that there are more", async () => {
    const [invoices] = (await search("INV-", "&limit=2")).filter(({ kind }) => kind === "invoice");
    assert.deepEqual([invoices?.results.length, invoices?.hasMore], [2, true]);
    for (const limit of ["&limit=0", "&limit=x", "&limit=999"]) assert.ok((await search("INV-", limit)).length > 0);
  });

  test("finds nothing of another organisation", async () => {
    const other = await addMerchant(merchant.dashboard);
    for (const q of ["thandi", "INV-", "plain", "debtor@example.com"])
      assert.deepEqual(await search(q, "", other), [], q);
  });

  test("accepts any text, without special characters", async () => {
    for (const q of [
      "%",
      "_",
      "'",
      "\\",
      "😀",
      "x".repeat(5000),
      "50%",
      "'; drop table customers",
      "\u202e",
      "((",
      "  ",
    ]) {
      const groups = await search(q);
      for (const { results } of groups)
        assert.ok(
          q === "50%" && results.every(({ title }) => title.startsWith("50%")),
          `${q} ${JSON.stringify(groups)}`,
        );
    }
    for (const path of ["/search", "/search?q=", "/search?q=%00", "/search?q=a&q=b"])
      assert.equal((await merchant.call("GET", path)).status, 200, path);
  });

  test("names records of any kinds at once, those of the own organisation", async () => {
    const product = (await merchant.call("POST", "/products", { name: "Helmet", amount: 10 })).body as { id: string };
    const [customer] = (await merchant.call("GET", "/customers?email=ob@example.co.za")).body["data"] as {
      id: string;
    }[];
    const names = async (ids: string, own = merchant) => {
      const answer = await own.call("GET", `/record-names?ids=${encodeURIComponent(ids)}`, undefined, "viewer");
      assert.equal(answer.status, 200, answer.text);
      return answer.body["data"];
    };
    const asked = `${product.id}, ${customer?.id},${product.id},inv_unknown,'`;
    const expected = [
      { id: product.id, name: "Helmet", path: `/products/${product.id}` },
      { id: customer?.id, name: "Thandi O'Brien", path: `/customers/${customer?.id}` },
    ];
    assert.deepEqual(await names(asked), expected);
    assert.deepEqual(await names(asked, await addMerchant(merchant.dashboard)), []);
    for (const none of ["", ",", "\0"]) assert.deepEqual(await names(none), [], none);
    const many = Array.from({ length: 101 }, (_, at) => `cus_${at}`).join(",");
    assert.equal((await merchant.call("GET", `/record-names?ids=${many}`)).status, 400);
  });
});
