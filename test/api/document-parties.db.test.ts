import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { partiesOf } from "../../src/flows/documents/parties.ts";
import type { Parties } from "../../src/templates/printed.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { exempt, type Invoicing, openInvoicing } from "../support/invoices.ts";

/* An issued document keeps the supplier and the recipient that it was issued with (VAT Act, sections 20 and 21). */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

/** Supplier and recipient in the PDF of the document. */
async function namedBy(shop: Invoicing, id: string): Promise<Parties> {
  const ctx = await shop.merchant.ctx();
  const document = { id, customerId: shop.customerId };
  return api.services.db.read(shop.merchant.organisation.id, (tx) => partiesOf(tx, ctx, document));
}

const names = ({ supplier, recipient }: Parties) => [
  supplier.companyName,
  supplier.address,
  supplier.vatNumber,
  recipient.name,
  recipient.company,
  recipient.address,
];

/** A merchant and a customer with some particulars set; `changeAll` changes all of them. */
async function open(): Promise<{ shop: Invoicing; changeAll: () => Promise<void> }> {
  const shop = await openInvoicing(api);
  const owner = await shop.merchant.signIn("owner");
  const brand = async (branding: object) => assert.equal((await owner("PATCH", "/settings", { branding })).status, 200);
  const customer = async (fields: object) =>
    assert.equal((await shop.merchant.call("PATCH", `/customers/${shop.customerId}`, { body: fields })).status, 200);
  await brand({ companyName: "Karoo Coffee (Pty) Ltd", vatNumber: "4012345678" });
  await customer({ lastName: "Mokoena", company: "Bluegum CC" });
  return {
    shop,
    changeAll: async () => {
      await brand({ companyName: "Other (Pty) Ltd", vatNumber: "4999999999", address: "1 New Road" });
      await customer({ firstName: "Nomvula", lastName: "Dlamini", company: "Other CC", address: "2 New Road" });
    },
  };
}
/** Particulars that the document shows: those set at first, and those added later where none was set. */
const KEPT = ["Karoo Coffee (Pty) Ltd", "1 New Road", "4012345678", "Thandi Mokoena", "Bluegum CC", "2 New Road"];
const CHANGED = ["Other (Pty) Ltd", "1 New Road", "4999999999", "Nomvula Dlamini", "Other CC", "2 New Road"];

for (const [how, issue] of [
  ["created and sent", async (shop: Invoicing) => (await shop.owe(100)).id],
  [
    "sent later",
    async (shop: Invoicing) => {
      const { id } = (await shop.create({ lines: [exempt(100)] })).body;
      assert.equal((await shop.act(id, "send")).status, 200);
      return id;
    },
  ],
  [
    "paid in part as a draft",
    async (shop: Invoicing) => {
      const { id } = (await shop.create({ lines: [exempt(100)] })).body;
      assert.equal((await shop.payOffline(id, 40)).status, 201);
      return id;
    },
  ],
] as const)
  test(`an invoice that was ${how} names whom it named, and fills in what it lacked`, async () => {
    const { shop, changeAll } = await open();
    const id = await issue(shop);
    await changeAll();
    assert.deepEqual(names(await namedBy(shop, id)), KEPT);
    assert.equal((await shop.act(id, "send")).status, 200);
    assert.deepEqual(names(await namedBy(shop, id)), KEPT, "sent again, it is still the same document");
  });

test("a credit note names whom it named", async () => {
  const { shop, changeAll } = await open();
  const staff = await shop.merchant.signIn("finance");
  const note = await staff<{ id: string }>("POST", "/credit-notes", {
    customerId: shop.customerId,
    amount: 10,
    reason: "A mistake",
  });
  assert.equal(note.status, 201);
  await changeAll();
  assert.deepEqual(names(await namedBy(shop, note.body.id)), KEPT);
});

test("a draft names whom it would be from and to now", async () => {
  const { shop, changeAll } = await open();
  const { id } = (await shop.create({ lines: [exempt(100)] })).body;
  await changeAll();
  assert.deepEqual(names(await namedBy(shop, id)), CHANGED);
});
