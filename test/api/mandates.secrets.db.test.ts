import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { debitReference } from "../support/debit-batches.ts";
import {
  ACCOUNT_NUMBER,
  addActiveMandate,
  addMandate,
  ID_NUMBER,
  issueAgreement,
  type MandateShop,
  openMandateShop,
  type Shown,
} from "../support/mandates.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

const UNPAID_NUMBER = `${ACCOUNT_NUMBER.slice(0, -2)}02`;
const REJECTED_NUMBER = `${ACCOUNT_NUMBER.slice(0, -2)}09`;
const SECRETS = [ACCOUNT_NUMBER, UNPAID_NUMBER, REJECTED_NUMBER, ID_NUMBER];

/** Everything that can become of a mandate: signed, electronic, refused, changed, collected, unpaid, taken back. */
async function liveThrough(shop: MandateShop): Promise<{ readonly mandate: Shown; readonly path: string }> {
  const mandate = await addMandate(shop, { notes: "n" });
  const { path } = await issueAgreement(shop, mandate);
  const signed = await api.call("POST", path, {
    body: new URLSearchParams({ fullName: "Thandi Nkosi", accept: "yes", action: "sign" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
  });
  assert.equal(signed.status, 303);
  await addActiveMandate(shop, {}, { accountNumber: UNPAID_NUMBER });
  await addMandate(shop, { authority: "emandate" });
  const refused = await shop.shop.post("/mandates", {
    customerId: shop.customer,
    bank: { branchCode: "250655", accountNumber: REJECTED_NUMBER, accountHolder: "T Nkosi" },
    amount: 10,
    authority: "emandate",
    idNumber: ID_NUMBER,
  });
  assert.equal(refused.status, 400);
  await shop.shop.post("/mandates", { bank: { accountNumber: ACCOUNT_NUMBER }, idNumber: ID_NUMBER });
  await shop.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { amount: 5 } });
  await shop.move("2027-04-02T10:00:00Z");
  const reference = debitReference(mandate, "20270325");
  const told = await shop.staff("POST", "/sandbox/notify", { reference, status: "failed" });
  assert.equal(told.status, 200, told.text);
  const debit = (await shop.shop.get(`/transactions/${reference}`)).body;
  assert.equal((debit["reversals"] as unknown[]).length, 1);
  return { mandate, path };
}

const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

test("no bank account number and no identity number is anywhere in full: not in a table, not in an answer", async () => {
  const shop = await openMandateShop(api);
  const endpoint = await shop.staff("POST", "/webhook-endpoints", { url: "http://127.0.0.1:1/", events: ["*"] });
  assert.equal(endpoint.status, 201, endpoint.text);
  const { mandate, path } = await liveThrough(shop);

  const tables = await api.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  assert.ok(tables.length > 50);
  for (const { name } of tables) {
    const rows = await api.query<{ row: string }>(
      `select t::text as row from ${name} t where t::text like any ($1)`,
      SECRETS.map((secret) => `%${secret}%`),
    );
    assert.deepEqual(rows, [], name);
  }

  const lists = ["mandates", "debit-batches", "transactions", "emails", "events", "audit-log", "webhook-deliveries"];
  for (const list of lists) {
    const { status, body, text } = await shop.staff<{ data: Shown[] }>("GET", `/${list}?limit=100`);
    assert.equal(status, 200, list);
    assert.ok(body.data.length > 0, list);
    assert.deepEqual(secretsIn(text), [], list);
    if (!["mandates", "debit-batches", "emails", "events"].includes(list)) continue;
    for (const { id } of body.data) {
      const one = await shop.staff("GET", `/${list}/${id}`);
      assert.deepEqual([one.status, secretsIn(one.text)], [200, []], `${list} ${id}`);
    }
  }
  for (const name of ["invoices", "transactions", "customers", "journal"]) {
    const file = await shop.staff("GET", `/exports/${name}.csv`);
    assert.deepEqual([file.status, secretsIn(file.text)], [200, []], name);
  }
  for (const shown of [await api.call("GET", path), await shop.shop.get(`/mandates/${mandate["id"]}`)])
    assert.deepEqual([shown.status, secretsIn(shown.text)], [200, []]);
});
