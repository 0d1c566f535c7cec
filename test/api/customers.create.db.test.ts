import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, type ApiMerchant, issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { EMOJI, long } from "../support/text.ts";

/** Interface 2.4. */
interface Customer {
  readonly id: string;
  readonly accountCode: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

const NOW = "2027-03-01T10:00:00.000Z";
/** An address of exactly so many characters. */
const emailOf = (length: number) =>
  `${long(60)}@${long(60)}.${long(60)}.${long(length - 60 - 1 - 60 - 1 - 60 - 1 - 4)}.org`;

let api: TestApi;
let merchant: ApiMerchant;

before(async () => {
  api = await openApi();
  merchant = await api.addMerchant({ clockAt: new Date(NOW) as never });
});
after(() => api.close());

const post = (body: unknown, of: ApiMerchant = merchant) => of.post<Customer>("/customers", body);
const all = async (of: ApiMerchant) => (await of.get<{ data: Customer[] }>("/customers?limit=100")).body.data;

describe("201", () => {
  test("the object of interface 2.4, every field there", async () => {
    const { status, body } = await post({});
    assert.equal(status, 201);
    const { id, accountCode, ...rest } = body;
    assert.match(id, /^cus_[0-9a-z]{26}$/);
    assert.match(accountCode, /^C-[0-9A-Z]{8}$/);
    assert.deepEqual(rest, {
      externalReference: null,
      email: null,
      firstName: null,
      lastName: null,
      company: null,
      vatNumber: null,
      phone: null,
      address: null,
      active: true,
      metadata: {},
      createdAt: NOW,
      updatedAt: NOW,
    });
    assert.deepEqual((await merchant.get(`/customers/${id}`)).body, body);
  });

  test("rule 1: without a reference another one is made each time", async () => {
    const [one, two] = [await post({ email: "same@example.org" }), await post({ email: "same@example.org" })];
    assert.deepEqual([one.status, two.status], [201, 201]);
    assert.notEqual(one.body.id, two.body.id);
    assert.notEqual(one.body.accountCode, two.body.accountCode);
    const third = await post({ email: "same@example.org", externalReference: null });
    assert.equal(third.status, 201);
  });

  const KEPT: [string, object, object][] = [
    ["reference trimmed", { externalReference: " R-trim " }, { externalReference: "R-trim" }],
    ["reference of 100 emoji", { externalReference: long(100, EMOJI) }, { externalReference: long(100, EMOJI) }],
    ["email as it was written", { email: "Thandi@Example.ORG" }, { email: "Thandi@Example.ORG" }],
    ["email of 200", { email: emailOf(200) }, { email: emailOf(200) }],
    ["first name of 100", { firstName: long(100, EMOJI) }, { firstName: long(100, EMOJI) }],
    ["last name of 100", { lastName: long(100) }, { lastName: long(100) }],
    ["company of 200", { company: long(200) }, { company: long(200) }],
    ["VAT number of 30", { vatNumber: long(30, "1") }, { vatNumber: long(30, "1") }],
    ["phone of 30", { phone: long(30, "0") }, { phone: long(30, "0") }],
    ["address of 1000", { address: long(1000) }, { address: long(1000) }],
    ["address of lines", { address: "1 Long St\nCape Town" }, { address: "1 Long St\nCape Town" }],
    ["empty texts", { firstName: "", company: "", address: "" }, { firstName: null, company: null, address: null }],
    ["nulls", { externalReference: null, email: null, firstName: null, metadata: null }, { email: null, metadata: {} }],
    ["inactive", { active: false }, { active: false }],
    ["metadata", { metadata: { a: 1, b: true, c: null } }, { metadata: { a: "1", b: "true" } }],
    ["unknown fields", { colour: "red", id: "cus_x", accountCode: "C-1", createdAt: "2001-01-01" }, { createdAt: NOW }],
  ];
  for (const [name, given, shown] of KEPT)
    test(name, async () => {
      const { status, body } = await post(given);
      assert.equal(status, 201, JSON.stringify(body));
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(body[field], value, field);
    });

  test("rule 4: a reference that nobody has, beside an email that one with another reference has", async () => {
    const first = await post({ externalReference: "r4-a", email: "r4@example.org" });
    const second = await post({ externalReference: "r4-b", email: "r4@example.org" });
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.notEqual(first.body.id, second.body.id);
  });

  test("references differ by case, and are each organisation's own", async () => {
    const other = await api.addMerchant();
    const made = [await post({ externalReference: "case" }), await post({ externalReference: "CASE" })];
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201],
    );
    assert.equal((await post({ externalReference: "case" }, other)).status, 201);
  });
});

describe("200", () => {
  test("rule 2: the one with the reference is changed; what is left out stays", async () => {
    const made = await post({
      externalReference: "r2",
      email: "r2@example.org",
      firstName: "Nandi",
      phone: "021",
      metadata: { a: "1", b: "2" },
    });
    const { status, body } = await post({ externalReference: " r2 ", firstName: "Zola", phone: null });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...made.body, firstName: "Zola", phone: null });
    const replaced = await post({ externalReference: "r2", metadata: { c: 3 } });
    assert.deepEqual(replaced.body["metadata"], { c: "3" });
    assert.deepEqual((await post({ externalReference: "r2", metadata: null })).body["metadata"], {});
  });

  test("rule 2 goes before rule 3: the reference's, although another has the email", async () => {
    const byReference = await post({ externalReference: "r23" });
    const byEmail = await post({ email: "r23@example.org" });
    const { status, body } = await post({ externalReference: "r23", email: "r23@example.org" });
    assert.deepEqual([status, body.id], [200, byReference.body.id]);
    assert.equal((await merchant.get(`/customers/${byEmail.body.id}`)).body["externalReference"], null);
  });

  test("rule 3: the oldest with the email and no reference adopts it, whatever the case", async () => {
    await post({ externalReference: "r3-taken", email: "r3@example.org" });
    const oldest = await post({ email: "R3@Example.org", company: "Old" });
    const younger = await post({ email: "r3@example.org", company: "Young" });
    const { status, body } = await post({ externalReference: "r3", email: "r3@EXAMPLE.org", firstName: "Sipho" });
    assert.deepEqual([status, body.id], [200, oldest.body.id]);
    assert.deepEqual([body["externalReference"], body["firstName"], body["company"]], ["r3", "Sipho", "Old"]);
    const next = await post({ externalReference: "r3-next", email: "r3@example.org" });
    assert.deepEqual([next.status, next.body.id], [200, younger.body.id]);
    assert.equal((await post({ externalReference: "r3-last", email: "r3@example.org" })).status, 201);
  });

  test("another organisation's customer never adopts", async () => {
    const other = await api.addMerchant();
    await post({ email: "foreign@example.org" }, other);
    assert.equal((await post({ externalReference: "foreign", email: "foreign@example.org" })).status, 201);
  });

  test("updatedAt follows the clock, createdAt stays", async () => {
    const shop = await api.addMerchant({ clockAt: new Date(NOW) as never });
    await post({ externalReference: "t" }, shop);
    await shop.change({ clock_at: "2027-03-02T10:00:00Z" });
    const { body } = await post({ externalReference: "t" }, shop);
    assert.deepEqual([body.createdAt, body.updatedAt], [NOW, "2027-03-02T10:00:00.000Z"]);
  });
});

describe("400 invalid_request", () => {
  const REFUSED: [string, object, string][] = [
    ["reference empty", { externalReference: "" }, "externalReference"],
    ["reference of spaces", { externalReference: "  " }, "externalReference"],
    ["reference of 101", { externalReference: long(101) }, "externalReference"],
    ["reference a number", { externalReference: 7 }, "externalReference"],
    ["reference with NUL", { externalReference: "a\0" }, "externalReference"],
    ["email without domain", { email: "thandi@" }, "email"],
    ["email empty", { email: "" }, "email"],
    ["email of 201", { email: emailOf(201) }, "email"],
    ["two emails", { email: "a@example.org,b@example.org" }, "email"],
    ["email with a line", { email: "a@example.org\r\nBcc: b@example.org" }, "email"],
    ["email a list", { email: ["a@example.org"] }, "email"],
    ["first name of 101", { firstName: long(101) }, "firstName"],
    ["last name of 101", { lastName: long(101, EMOJI) }, "lastName"],
    ["company of 201", { company: long(201) }, "company"],
    ["VAT number of 31", { vatNumber: long(31) }, "vatNumber"],
    ["phone of 31", { phone: long(31) }, "phone"],
    ["address of 1001", { address: long(1001) }, "address"],
    ["address with half an emoji", { address: "\ud83c" }, "address"],
    ["phone a number", { phone: 215551234 }, "phone"],
    ["active a string", { active: "true" }, "active"],
    ["active null", { active: null }, "active"],
    ["metadata a list", { metadata: [] }, "metadata"],
    ["metadata nested", { metadata: { a: {} } }, "metadata"],
  ];
  for (const [name, given, path] of REFUSED)
    test(name, async () => {
      const answer = (await merchant.post<Refusal>("/customers", given)) satisfies Answer<Refusal>;
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], answer.text);
      assert.deepEqual(issuePaths(answer), [path]);
    });

  for (const body of ["[]", "null", '"a"', "5", "true", "[{}]"])
    test(`a body of ${body}`, async () => {
      const answer = await merchant.post<Refusal>("/customers", body);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
    });
});

describe("403", () => {
  test("plan_limit: one too many, while upserts of those there are go on", async () => {
    const full = await api.addMerchant({ limits: { customers: 2 } });
    const made = await post({ externalReference: "one", email: "one@example.org" }, full);
    await post({ email: "two@example.org" }, full);
    const refusal = await full.post<Refusal>("/customers", { externalReference: "three" });
    assert.deepEqual([refusal.status, refusal.body.error], [403, "plan_limit"]);
    assert.equal((await post({}, full)).status, 403);
    assert.deepEqual((await post({ externalReference: "one", phone: "1" }, full)).body.id, made.body.id);
    assert.equal((await post({ externalReference: "two", email: "two@example.org" }, full)).status, 200, "adoption");
    assert.equal((await all(full)).length, 2);
  });

  test("plan_limit: a quota of the plan itself, and none for enterprise", async () => {
    const none = await api.addMerchant({ limits: { customers: 0 } });
    assert.equal((await post({}, none)).status, 403);
    const big = await api.addMerchant({ plan: "enterprise" });
    assert.equal((await post({}, big)).status, 201);
  });

  test("account_restricted on a read-only account", async () => {
    const shut = await api.addMerchant({ state: "cancelled" });
    const refusal = await shut.post<Refusal>("/customers", {});
    assert.deepEqual([refusal.status, refusal.body.error], [403, "account_restricted"]);
  });

  test("every feature but API access is needless: growth may", async () => {
    assert.equal((await post({}, await api.addMerchant({ plan: "growth" }))).status, 201);
    assert.equal((await post({}, await api.addMerchant({ plan: "starter" }))).status, 403);
  });
});

describe("at once", () => {
  const times = (count: number, run: (n: number) => Promise<Answer<Customer>>) =>
    Promise.all(Array.from({ length: count }, (_, n) => run(n)));
  const statuses = (answers: readonly Answer<Customer>[]) =>
    Object.fromEntries(
      Map.groupBy(answers, ({ status }) => status)
        .entries()
        .map(([status, { length }]) => [status, length]),
    );

  test("twenty upserts of one reference: one customer, one 201", async () => {
    const shop = await api.addMerchant();
    const answers = await times(20, (n) => post({ externalReference: "race", firstName: `n${n}` }, shop));
    assert.deepEqual(statuses(answers), { 200: 19, 201: 1 });
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal((await all(shop)).length, 1);
  });

  test("twenty references over one email without a reference: one adopts", async () => {
    const shop = await api.addMerchant();
    const { body: first } = await post({ email: "race@example.org" }, shop);
    const answers = await times(20, (n) => post({ externalReference: `race ${n}`, email: "race@example.org" }, shop));
    assert.deepEqual(statuses(answers), { 200: 1, 201: 19 });
    assert.equal(answers.find(({ status }) => status === 200)?.body.id, first.id);
    assert.equal((await all(shop)).length, 20);
  });

  test("one reference over two emails without one: one adopts, the other stays free", async () => {
    const shop = await api.addMerchant();
    await post({ email: "one@example.org" }, shop);
    await post({ email: "two@example.org" }, shop);
    const answers = await times(20, (n) =>
      post({ externalReference: "only", email: n % 2 ? "one@example.org" : "two@example.org" }, shop),
    );
    assert.deepEqual(statuses(answers), { 200: 20 });
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const customers = await all(shop);
    assert.equal(customers.filter((customer) => customer["externalReference"] === "only").length, 1);
    assert.equal(customers.length, 2);
  });

  test("a new email, by its reference and by links that name it: one customer", async () => {
    const shop = await api.addMerchant();
    await shop.addGateway();
    const link = (customerEmail: string) => shop.post("/payment-links", { title: "Books", amount: 1, customerEmail });
    const emails = Array.from({ length: 20 }, (_, n) => `new.${n}@example.org`);
    await Promise.all(
      emails.flatMap((email) => [
        post({ externalReference: email, email }, shop),
        link(email),
        link(email.toUpperCase()),
      ]),
    );
    const customers = await all(shop);
    assert.deepEqual(customers.map((customer) => customer["externalReference"]).sort(), [...emails].sort());
  });

  test("a quota is never passed", async () => {
    const shop = await api.addMerchant({ limits: { customers: 5 } });
    const answers = await times(20, (n) => post({ externalReference: `q${n}` }, shop));
    assert.deepEqual(statuses(answers), { 201: 5, 403: 15 });
    assert.equal((await all(shop)).length, 5);
  });

  test("patches and upserts over the same two records never deadlock", async (t) => {
    const calm = await openApi();
    t.after(() => calm.close());
    // Set before the service connects: PostgreSQL then does not break a deadlock early, so that it shows as a 503 after ten seconds.
    await calm.query(`alter database ${new URL(calm.databaseUrl).pathname.slice(1)} set deadlock_timeout = '1min'`);
    const shop = await calm.addMerchant();
    const made = [await post({ email: "x@example.org" }, shop), await post({ email: "y@example.org" }, shop)];
    const answers = await times(60, (n) =>
      n % 2
        ? post({ externalReference: `ref ${n % 3}`, email: n % 4 === 1 ? "x@example.org" : "y@example.org" }, shop)
        : shop.call<Customer>("PATCH", `/customers/${made[n % 4 ? 0 : 1]?.body.id}`, {
            body: { externalReference: `ref ${(n + 1) % 3}` },
          }),
    );
    assert.deepEqual(
      answers.filter(({ status }) => ![200, 201, 409].includes(status)).map(({ text }) => text),
      [],
    );
    const references = (await all(shop)).map((customer) => customer["externalReference"]).filter(Boolean);
    assert.equal(new Set(references).size, references.length, "no reference twice");
  });
});
