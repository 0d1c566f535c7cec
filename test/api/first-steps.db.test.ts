import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface FirstSteps {
  readonly steps: readonly { readonly key: string; readonly done: boolean }[];
  readonly mail: {
    readonly configured: boolean;
    readonly lastFailure: { readonly at: string; readonly error: string } | null;
  };
}

test("each step is done when what it asks for is there, and mail says whether it leaves", async () => {
  const merchant = await api.addMerchant();
  const owner = await merchant.signIn("owner");
  const read = async () => (await owner<FirstSteps>("GET", "/first-steps")).body;
  const done = async () => (await read()).steps.filter((step) => step.done).map(({ key }) => key);
  const all = (await read()).steps.map(({ key }) => key);
  assert.deepEqual(all, ["business", "vat", "bank_details", "gateway", "email", "team", "first_invoice"]);
  assert.deepEqual(await done(), []);
  await owner("PATCH", "/settings", { branding: { companyName: "Karoo Furniture", address: "1 Main Road" } });
  assert.deepEqual(await done(), ["business"]);
  await owner("PATCH", "/settings", { vatRegistered: false });
  assert.deepEqual(await done(), ["business", "vat"]);
  await owner("PATCH", "/settings", { vatRegistered: true });
  assert.deepEqual(await done(), ["business"]);
  await owner("PATCH", "/settings", { branding: { vatNumber: "4123456789" } });
  await merchant.addGateway();
  assert.deepEqual(await done(), ["business", "vat", "gateway"]);
  await owner("POST", "/members", { email: "books@karoo.example", role: "finance" });
  const { body: customer } = await merchant.post("/customers", { email: "thandi@example.co.za" });
  const line = { description: "Chair", quantity: 1, unitPrice: 100 };
  const draft = await merchant.post("/invoices", { customerId: customer["id"], lines: [line] });
  assert.deepEqual(await done(), ["business", "vat", "gateway", "team"]);
  await merchant.call("POST", `/invoices/${draft.body["id"]}/send`);
  assert.deepEqual(await done(), ["business", "vat", "gateway", "team", "first_invoice"]);
  assert.deepEqual((await read()).mail, { configured: false, lastFailure: null });
  await api.query(
    "update emails set status = 'failed', error = 'refused' where organisation_id = $1",
    merchant.organisation.id,
  );
  assert.equal((await read()).mail.lastFailure?.error, "refused");
});
