import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CustomerId } from "../../src/kernel/ids.ts";
import { cents } from "../../src/kernel/money.ts";
import { instant } from "../../src/kernel/time.ts";
import { postEntry } from "../../src/modules/books/store.ts";
import { type ApiMerchant, issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";

interface Customer {
  readonly id: string;
  readonly [field: string]: unknown;
}

const NOW = "2027-03-01T10:00:00.000Z";
const NOBODY = "cus_00000000000000000000000000";
const UNKNOWN = [NOBODY, "x", "%00", "%F0%9F%8E%89", "cus_%27--"];

let api: TestApi;
let merchant: ApiMerchant;
let other: ApiMerchant;

before(async () => {
  api = await openApi();
  merchant = await api.addMerchant({ clockAt: new Date(NOW) as never });
  other = await api.addMerchant();
});
after(() => api.close());

const add = async (fields: object = {}, of = merchant) => (await of.post<Customer>("/customers", fields)).body;
const patch = (id: string, body: unknown, of = merchant) =>
  of.call<Customer & Refusal>("PATCH", `/customers/${id}`, { body });

describe("GET /customers/{id}", () => {
  for (const id of UNKNOWN)
    test(`404 not_found: ${id}`, async () => {
      const { status, body } = await merchant.get<Refusal>(`/customers/${id}`);
      assert.deepEqual([status, body.error], [404, "not_found"]);
    });

  test("404 not_found: another organisation's, in the same words", async () => {
    const theirs = await merchant.get<Refusal>(`/customers/${(await add({}, other)).id}`);
    assert.equal(theirs.status, 404);
    const none = await merchant.get<Refusal>(`/customers/${NOBODY}`);
    assert.deepEqual({ ...theirs.body, requestId: null }, { ...none.body, requestId: null });
  });
});

describe("GET /customers", () => {
  let shop: ApiMerchant;
  const list = async (query = "") => (await shop.get<{ data: Customer[] }>(`/customers${query}`)).body;
  const names = async (query: string) => (await list(query)).data.map((customer) => customer["firstName"]);
  before(async () => {
    shop = await api.addMerchant();
    for (let n = 1; n <= 25; n++)
      await add({ firstName: `n${n}`, externalReference: `r ${n}`, email: `p${n % 5}@Example.org` }, shop);
  });

  test("200: newest first, 20 of them, each as get shows it", async () => {
    const { data, ...rest } = await list();
    assert.deepEqual(rest, { hasMore: true, nextCursor: data.at(-1)?.id });
    assert.deepEqual(
      await names(""),
      Array.from({ length: 20 }, (_, n) => `n${25 - n}`),
    );
    assert.deepEqual(data[0], (await shop.get(`/customers/${data[0]?.id}`)).body);
  });

  const FILTERS: [string, string[]][] = [
    ["?externalReference=r%207", ["n7"]],
    ["?externalReference=%20r%207%20", ["n7"]],
    ["?externalReference=R%207", []],
    ["?externalReference=r", []],
    ["?email=P1%40example.ORG&limit=2", ["n21", "n16"]],
    ["?email=p1%40example", []],
    ["?email=%25", []],
    ["?email=p_%40example.org", []],
    ["?email=p1%40example.org&externalReference=r%206", ["n6"]],
    ["?email=p1%40example.org&externalReference=r%207", []],
    ["?email=%00", []],
    ["?limit=3", ["n25", "n24", "n23"]],
    ["?limit=0", ["n25"]],
    ["?limit=x&externalReference=r%201", ["n1"]],
  ];
  for (const [query, expected] of FILTERS) test(query, async () => assert.deepEqual(await names(query), expected));

  test("another organisation's are not there", async () => {
    const empty = await api.addMerchant();
    assert.deepEqual((await empty.get("/customers?email=p1%40example.org")).body, {
      data: [],
      hasMore: false,
      nextCursor: null,
    });
  });
});

describe("PATCH /customers/{id}", () => {
  const FULL = {
    externalReference: "full",
    email: "full@example.org",
    firstName: "a",
    lastName: "b",
    company: "c",
    vatNumber: "d",
    phone: "e",
    address: "f",
    metadata: { a: "1", b: "2" },
  };

  test("200: what is left out stays, and only that", async () => {
    const before = await add(FULL);
    const { status, body } = await patch(before.id, {});
    assert.equal(status, 200);
    assert.deepEqual(body, before);
    const changes = { lastName: "z", phone: "1", active: false, email: "z@example.org" };
    for (const [field, value] of Object.entries(changes)) {
      const { body: old } = await merchant.get<Customer>(`/customers/${before.id}`);
      assert.deepEqual((await patch(before.id, { [field]: value, colour: "red" })).body, { ...old, [field]: value });
    }
    await patch(before.id, { externalReference: null });
  });

  for (const field of Object.keys(FULL).filter((name) => name !== "metadata"))
    test(`200: null clears ${field} alone`, async () => {
      const before = await add({ ...FULL, externalReference: `clear ${field}` });
      assert.deepEqual((await patch(before.id, { [field]: null })).body, { ...before, [field]: null });
    });

  test("200: metadata replaces the whole map; null and {} clear it", async () => {
    const { id } = await add({ metadata: { a: "1", b: "2" } });
    assert.deepEqual((await patch(id, { metadata: { c: 3, d: null } })).body["metadata"], { c: "3" });
    assert.deepEqual((await patch(id, { firstName: "x" })).body["metadata"], { c: "3" });
    assert.deepEqual((await patch(id, { metadata: null })).body["metadata"], {});
    await patch(id, { metadata: { e: "5" } });
    assert.deepEqual((await patch(id, { metadata: {} })).body["metadata"], {});
  });

  test("200: its own reference again, a free one, and one that was cleared elsewhere", async () => {
    const [a, b] = [await add({ externalReference: "own" }), await add({ externalReference: "gone" })];
    assert.equal((await patch(a.id, { externalReference: "own" })).status, 200);
    assert.equal((await patch(a.id, { externalReference: " own " })).status, 200);
    await patch(b.id, { externalReference: null });
    assert.equal((await patch(a.id, { externalReference: "gone" })).body["externalReference"], "gone");
  });

  test("200: the email of another is allowed, and changes nothing else", async () => {
    await add({ email: "shared@example.org" });
    const { id } = await add();
    assert.equal((await patch(id, { email: "shared@example.org" })).status, 200);
  });

  test("409 external_reference_conflict: another has it; nothing changes", async () => {
    await add({ externalReference: "taken" });
    const before = await add({ firstName: "x" });
    const { status, body } = await patch(before.id, { externalReference: "taken", firstName: "y" });
    assert.deepEqual([status, body.error], [409, "external_reference_conflict"]);
    assert.deepEqual((await merchant.get(`/customers/${before.id}`)).body, before);
  });

  test("200: a reference that another organisation's customer has", async () => {
    await add({ externalReference: "theirs" }, other);
    assert.equal((await patch((await add()).id, { externalReference: "theirs" })).status, 200);
  });

  test("409: of ten at once to one reference, one has it", async () => {
    const customers = await Promise.all(Array.from({ length: 10 }, () => add()));
    const answers = await Promise.all(customers.map(({ id }) => patch(id, { externalReference: "ten" })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)]);
  });

  test("two fields at once, from two callers: neither is lost", async () => {
    const { id } = await add();
    await Promise.all([patch(id, { firstName: "a" }), patch(id, { lastName: "b" }), patch(id, { phone: "c" })]);
    const { body } = await merchant.get<Customer>(`/customers/${id}`);
    assert.deepEqual([body["firstName"], body["lastName"], body["phone"]], ["a", "b", "c"]);
  });

  const REFUSED: [string, unknown, string[]][] = [
    ["an email that is none", { email: "x" }, ["email"]],
    ["a long phone", { phone: "1".repeat(31) }, ["phone"]],
    ["an empty reference", { externalReference: " " }, ["externalReference"]],
    ["nested metadata", { metadata: { a: [] } }, ["metadata"]],
    ["active in words", { active: "no" }, ["active"]],
    ["a list", [], [""]],
  ];
  for (const [name, body, paths] of REFUSED)
    test(`400 invalid_request: ${name}`, async () => {
      const before = await add({ phone: "1" });
      const answer = await merchant.call<Refusal>("PATCH", `/customers/${before.id}`, { body });
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
      assert.deepEqual(issuePaths(answer), paths);
      assert.deepEqual((await merchant.get(`/customers/${before.id}`)).body, before);
    });

  test("404 not_found: unknown, and another organisation's", async () => {
    for (const id of [...UNKNOWN, (await add({}, other)).id]) {
      const { status, body } = await patch(id, { firstName: "x" });
      assert.deepEqual([status, body.error], [404, "not_found"], id);
    }
  });

  test("400 comes before 404", async () => assert.equal((await patch(NOBODY, { email: "x" })).status, 400));

  test("403 account_restricted on a read-only account", async () => {
    const shut = await api.addMerchant();
    const { id } = await add({}, shut);
    await shut.change({ state: "suspended" });
    const { status, body } = await patch(id, { firstName: "x" }, shut);
    assert.deepEqual([status, body.error], [403, "account_restricted"]);
  });

  test("an Idempotency-Key is not used: each PATCH counts", async () => {
    const { id } = await add();
    const send = (firstName: string) =>
      merchant.call<Customer>("PATCH", `/customers/${id}`, {
        body: { firstName },
        headers: { "idempotency-key": "k" },
      });
    assert.deepEqual([(await send("a")).body["firstName"], (await send("b")).body["firstName"]], ["a", "b"]);
  });
});

describe("GET /customers/{id}/standing", () => {
  const standing = (id: string, of = merchant) => of.get<Customer & Refusal>(`/customers/${id}/standing`);
  const GOOD = {
    object: "account_standing",
    status: "good",
    currency: "ZAR",
    balance: 0,
    overdueAmount: 0,
    oldestOverdueAt: null,
    credit: 0,
    openInvoices: 0,
    asOf: NOW,
  };

  test("200: a new customer is good (interface 2.14)", async () => {
    const { id } = await add();
    const { status, body } = await standing(id);
    assert.equal(status, 200);
    assert.deepEqual(body, { ...GOOD, customerId: id });
  });

  test("an inactive customer is suspended; both turns are told once each, with what was before", async () => {
    const { id } = await add();
    for (const active of [false, false, true, true]) await patch(id, { active });
    assert.equal((await standing(id)).body["status"], "good");
    await patch(id, { active: false });
    assert.equal((await standing(id)).body["status"], "suspended");
    const told = await api.query<{ data: Record<string, unknown>; sequence: number }>(
      "select data, sequence from events where type = 'customer.standing.changed' and subject = $1 order by id",
      id,
    );
    assert.deepEqual(
      told.map(({ data, sequence }) => [data["previousStatus"], data["status"], sequence]),
      [
        ["good", "suspended", 3],
        ["suspended", "good", 5],
        ["good", "suspended", 7],
      ],
    );
    assert.deepEqual(told[0]?.data, { ...GOOD, customerId: id, status: "suspended", previousStatus: "good" });
  });

  test("credit and debt are the books'", async () => {
    const { id } = await add();
    await api.services.db.transaction(merchant.organisation.id, async (tx) =>
      postEntry(tx, {
        kind: "payment",
        subject: id,
        occurredAt: instant(NOW),
        description: "Payment",
        currency: "ZAR",
        postings: [
          { account: "receivable", customerId: id as CustomerId, amount: cents(1050) },
          { account: "customer_credit", customerId: id as CustomerId, amount: cents(-325) },
          { account: "bank", customerId: null, amount: cents(-725) },
        ],
      }),
    );
    const { body } = await standing(id);
    assert.deepEqual([body["status"], body["balance"], body["credit"]], ["owing", 10.5, 3.25]);
  });

  test("404 not_found: unknown, and another organisation's", async () => {
    for (const id of [...UNKNOWN, (await add({}, other)).id]) assert.equal((await standing(id)).status, 404, id);
  });

  test("200 on a read-only account", async () => {
    const shut = await api.addMerchant();
    const { id } = await add({}, shut);
    await shut.change({ state: "cancelled" });
    assert.equal((await standing(id, shut)).status, 200);
  });
});

describe("POST /customers/{id}/portal-link", () => {
  interface PortalLink {
    readonly url: string;
    readonly expiresAt: string;
    readonly emailed: boolean;
  }
  const issue = (id: string, body?: unknown, of = merchant, headers = {}) =>
    of.call<PortalLink & Refusal>("POST", `/customers/${id}/portal-link`, { body, headers });
  const mailsTo = async (email: string) =>
    (await mailsOf(api.services, merchant.organisation, { recipient: email })).length;

  test("201: the link, valid 15 minutes, and one mail with it", async () => {
    const { id } = await add({ email: "portal@example.org", firstName: "Nandi" });
    const { status, body } = await issue(id);
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body).sort(), ["emailed", "expiresAt", "url"]);
    assert.match(body.url, new RegExp(`^${api.baseUrl}/portal/${merchant.organisation.slug}/`));
    assert.deepEqual([body.expiresAt, body.emailed], ["2027-03-01T10:15:00.000Z", true]);
    const [mail, ...more] = await mailsOf(api.services, merchant.organisation, {
      recipient: "portal@example.org",
    });
    // Who has the mail's link may pay by saved card, so a key that may not charge cards is answered another.
    const address = `${api.baseUrl}/portal/${merchant.organisation.slug}/sign-in/`;
    assert.ok(mail?.text.includes(address) && !mail.text.includes(body.url));
    assert.deepEqual(more, []);
  });

  test("201: each time another link", async () => {
    const { id } = await add();
    assert.notEqual((await issue(id)).body.url, (await issue(id)).body.url);
  });

  const EMAILED: [unknown, boolean][] = [
    [undefined, true],
    [{}, true],
    [{ email: true }, true],
    [{ email: false }, false],
    [{ email: false, colour: "red" }, false],
  ];
  for (const [body, emailed] of EMAILED)
    test(`201: ${JSON.stringify(body) ?? "no body"}: ${emailed ? "mailed" : "not mailed"}`, async () => {
      const email = `m${Math.random()}@example.org`;
      const { id } = await add({ email });
      const answer = await issue(id, body);
      assert.deepEqual([answer.status, answer.body.emailed], [201, emailed]);
      assert.equal(await mailsTo(email), emailed ? 1 : 0);
    });

  test("201: without an address it is not mailed", async () => {
    assert.equal((await issue((await add()).id)).body.emailed, false);
  });

  test("the token is nowhere in the database", async () => {
    const { id } = await add();
    const { body } = await issue(id, { email: false }, merchant, { "idempotency-key": "token" });
    const token = body.url.split("/").at(-1) ?? "";
    assert.ok(token.length >= 43);
    for (const table of ["portal_links", "audit_log", "idempotency_keys", "due_work", "events"])
      assert.deepEqual(
        await api.query(`select t from ${table} t where t::text like '%' || $1 || '%'`, token),
        [],
        table,
      );
  });

  test("with an Idempotency-Key: one link, one mail", async () => {
    const { id } = await add({ email: "once@example.org" });
    const [one, two] = [
      await issue(id, {}, merchant, { "idempotency-key": "pl" }),
      await issue(id, {}, merchant, { "idempotency-key": "pl" }),
    ];
    assert.equal(two.text, one.text);
    assert.equal(two.headers["idempotent-replayed"], "true");
    assert.equal(await mailsTo("once@example.org"), 1);
  });

  for (const body of [{ email: "no" }, { email: null }, { email: 0 }, [], "null"])
    test(`400 invalid_request: ${JSON.stringify(body)}`, async () => {
      const { status, body: refusal } = await issue((await add()).id, body);
      assert.deepEqual([status, refusal.error], [400, "invalid_request"]);
    });

  test("404 not_found: unknown, and another organisation's", async () => {
    for (const id of [...UNKNOWN, (await add({}, other)).id]) {
      const { status, body } = await issue(id);
      assert.deepEqual([status, body.error], [404, "not_found"], id);
    }
  });

  test("403 account_restricted on a read-only account", async () => {
    const shut = await api.addMerchant();
    const { id } = await add({}, shut);
    await shut.change({ state: "suspended" });
    assert.equal((await issue(id, {}, shut)).body.error, "account_restricted");
  });
});

test("a customer gets another reference while something that refers to them is being made", async () => {
  const customer = await add({ externalReference: "before" });
  // The lock that a row with a foreign key to the customer takes.
  await api.services.db.transaction(merchant.organisation.id, async (tx) => {
    await tx.sql`select from customers where organisation_id = ${tx.organisation} and id = ${customer.id} for key share`;
    const changed = await patch(customer.id, { externalReference: "after" });
    assert.deepEqual([changed.status, changed.body["externalReference"]], [200, "after"], changed.text);
  });
});

describe("DELETE /dashboard/api/customers/{id}", () => {
  test("deletes one without a record, and keeps one that has any", async () => {
    const shop = await api.addMerchant();
    await shop.addGateway();
    const staff = await shop.signIn("support");
    const one = (await shop.post<{ id: string }>("/customers", { email: "one@example.org" })).body;
    const remove = (id: string) => staff<Record<string, unknown>>("DELETE", `/customers/${id}`);
    const line = { description: "Chair", quantity: 1, unitPrice: 100 };
    const { body: invoice } = await shop.post("/invoices", { customerId: one.id, lines: [line] });
    const refused = await remove(one.id);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"], String(invoice["id"]));
    assert.equal((await shop.get(`/customers/${one.id}`)).status, 200);
    const other = (await shop.post<{ id: string }>("/customers", { company: "Karoo" })).body;
    const removed = await remove(other.id);
    assert.deepEqual([removed.status, removed.body["id"]], [200, other.id]);
    assert.equal((await shop.get(`/customers/${other.id}`)).status, 404);
    assert.equal((await remove(other.id)).status, 404);
    assert.equal((await (await shop.signIn("viewer"))("DELETE", `/customers/${one.id}`)).status, 403);
    assert.equal((await shop.call("DELETE", `/customers/${one.id}`)).status, 405);
  });
});
