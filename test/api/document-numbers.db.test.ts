import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { LINE, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const begin = async (staff: StaffCall, documentNumbers: object | null) => {
  const answer = await staff<{ documentNumbers: object }>("PATCH", "/settings", { documentNumbers });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.documentNumbers;
};

test("new documents are numbered by the prefix of the settings, counted on; what was given stays", async () => {
  const shop = await openInvoicing(api);
  const { merchant, customerId } = shop;
  const staff = await merchant.signIn("owner");
  const quote = async () =>
    (await merchant.post<{ number: string }>("/quotes", { customerId, lineItems: [LINE] })).body.number;
  const note = async () =>
    (await staff<{ number: string }>("POST", "/credit-notes", { customerId, amount: 1, reason: "late" })).body.number;
  const first = (await shop.create()).body;
  assert.deepEqual([first.number, await quote(), await note()], ["INV-000001", "QUO-000001", "CN-000001"]);

  const chosen = { invoicePrefix: "ACME-2027-", quotePrefix: "ACMEQ", creditNotePrefix: "CN-" };
  assert.deepEqual(await begin(staff, { invoicePrefix: "acme-2027-", quotePrefix: "ACMEQ" }), chosen);
  const second = (await shop.create({ send: true })).body;
  assert.deepEqual([second.number, await quote(), await note()], ["ACME-2027-000002", "ACMEQ000002", "CN-000002"]);
  assert.equal((await shop.show(first.id)).number, "INV-000001");
  assert.equal((await merchant.get<{ number: string }>("/quotes/ACMEQ000002")).body.number, "ACMEQ000002");
  assert.match((await shop.mailsOf(second.number))[0]?.subject ?? "", /ACME-2027-000002/);

  await begin(staff, null);
  assert.equal((await shop.create()).body.number, "INV-000003");
  for (const [q, number] of [
    ["2", "ACME-2027-000002"],
    ["acme-2027-000002", "ACME-2027-000002"],
    ["000001", "INV-000001"],
  ] as const) {
    const found = await staff<{ data: { number: string }[] }>("GET", `/invoices?q=${q}`);
    assert.ok(
      found.body.data.some((one) => one.number === number),
      `${q}: ${found.text}`,
    );
  }
});

test("a prefix that could make two numbers the same, or that no bank keeps, is refused", async () => {
  const { merchant } = await openInvoicing(api);
  const staff = await merchant.signIn("owner");
  for (const invoicePrefix of ["A1", "A--", "-A", "A/", "A B", "Ä-", "ABCDEFGHIJKL-", "", "QUO-", 7]) {
    const { status, body, text } = await staff<{ issues: { path: unknown }[] }>("PATCH", "/settings", {
      documentNumbers: { invoicePrefix },
    });
    const field = invoicePrefix === "QUO-" ? "quotePrefix" : "invoicePrefix";
    assert.ok(body.issues, `${invoicePrefix}: ${text}`);
    assert.deepEqual([status, body.issues[0]?.path], [400, ["documentNumbers", field]], String(invoicePrefix));
  }
});

test("while two processes create invoices, the prefix changes: no gap, no double, and none goes back", async (t) => {
  const other = await openApi(api.environment);
  t.after(() => other.close());
  const shop = await openInvoicing(api);
  const { key, signIn } = shop.merchant;
  const staff = await signIn("owner");
  const body = { customerId: shop.customerId, lines: [LINE] };
  const [changed, ...made] = await Promise.all([
    begin(staff, { invoicePrefix: "NEW-" }),
    ...Array.from({ length: 60 }, (_, n) =>
      (n % 2 === 0 ? api : other).call<{ number: string }>("POST", "/api/v1/invoices", { body, key }),
    ),
  ]);
  assert.ok(changed);
  const numbers = made.map((answer) => answer.body.number);
  const byCounter = numbers.toSorted((one, two) => counter(one) - counter(two));
  assert.deepEqual(
    byCounter.map(counter),
    Array.from({ length: 60 }, (_, n) => n + 1),
  );
  const prefixes = byCounter.map((number) => number.replace(/\d+$/, ""));
  assert.deepEqual(prefixes, prefixes.toSorted(), "INV- before NEW-");
  assert.equal((await shop.create()).body.number, "NEW-000061");
});

const counter = (number: string): number => Number(/\d+$/.exec(number)?.[0]);
