import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { HELD } from "../../src/catalogue.ts";
import { hostedUrl } from "../../src/flows/hosted-links.ts";
import { personalDataArchive } from "../../src/flows/personal-data/personal-data-archive.ts";
import type { QuoteId } from "../../src/kernel/ids.ts";
import { QUOTE_PAGE } from "../../src/modules/quotes/declarations.ts";
import { newId } from "../../src/platform/new-id.ts";
import { type Answer, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { addCard, postForm } from "../support/cards.ts";
import { addOrder, addTransfers, upload } from "../support/eft.ts";
import { ACCOUNT_NUMBER, addActiveMandate, ID_NUMBER, type MandateShop, openMandateShop } from "../support/mandates.ts";
import { imported, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Words that name one person and nobody else. */
const WORDS = {
  email: "zanele.qwabe@sentinel.example",
  firstName: "Zanelesentinel",
  lastName: "Qwabesentinel",
  company: "Sentinelco",
  phone: "0825550199",
  address: "7 Sentinel Street",
  vatNumber: "4555666777",
};
const METADATA = { nickname: "Sentinelnick" };
const REFERENCE = "sentinel-person-1";

interface Erasure {
  readonly object: string;
  readonly customerId: string;
  readonly erased: Readonly<Record<string, number>>;
  readonly kept: readonly {
    readonly what: string;
    readonly count: number;
    readonly until: string;
    readonly why: string;
  }[];
}
interface Person {
  readonly stage: MandateShop;
  readonly owner: StaffCall;
  readonly id: string;
  readonly invoice: { id: string; number: string };
}

/** A customer of whom there is something in every kind of record that a test can make by the API. */
async function openPerson(): Promise<Person> {
  const opened = await openMandateShop(api);
  const { shop } = opened;
  const owner = await shop.signIn("owner");
  await addTransfers(shop);
  const made = await shop.post<{ id: string }>("/customers", {
    ...WORDS,
    metadata: METADATA,
    externalReference: REFERENCE,
  });
  const id = made.body.id;
  const stage = { ...opened, customer: id };
  await addCard(stage);
  const mandate = await addActiveMandate(stage, {}, { accountHolder: "Z Qwabesentinel" });
  await shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { status: "cancelled" } });
  const lines = [
    { description: "Painting for Qwabesentinel", details: "At 7 Sentinel Street", quantity: 1, unitPrice: 100 },
  ];
  const body = { customerId: id, lines, metadata: METADATA, send: true };
  const invoice = (await shop.post<{ id: string; number: string }>("/invoices", body)).body;
  // The credit of the card's 1.00 has paid a part of it.
  await shop.post(`/invoices/${invoice.id}/payments`, { amount: 114, method: "eft" });
  await owner("POST", "/credit-notes", { customerId: id, amount: 5, reason: "Goodwill to Qwabesentinel" });
  const quote = { customerId: id, lineItems: lines, notes: "For Qwabesentinel", send: true };
  const { id: quoteId } = (await shop.post<{ id: QuoteId }>("/quotes", quote)).body;
  const page = hostedUrl(await shop.ctx(), QUOTE_PAGE, quoteId);
  assert.equal((await postForm(api, page, { action: "accept", acceptedBy: "Zanele Qwabesentinel" })).status, 303);
  await shop.post("/payment-links", { customerId: id, title: "Deposit of Qwabesentinel", amount: 10 });
  const order = await addOrder(shop, {
    customer: { id },
    description: "Repairs for Qwabesentinel",
    metadata: METADATA,
  });
  await upload(shop, order.id);
  await owner("POST", `/eft-orders/${order.id}/approve`);
  const due = (await shop.post<{ id: string }>("/invoices", { customerId: id, lines, send: true })).body;
  const file = statementOf(
    ["2027-03-01", `${order.reference} Z QWABESENTINEL`, order.amount],
    ["2027-03-01", "Qwabesentinel rest", 110],
  );
  const run = await imported(owner, file);
  await imported(owner, file);
  const allocations = [{ kind: "invoice", invoiceId: due.id }];
  const matched = await owner("POST", `/reconciliation/items/${run.items[1]?.id}/match`, { allocations });
  const note = { subject: run.items[1]?.id, text: "Qwabesentinel rang" };
  assert.equal((await owner("POST", "/notes", note)).status, 201);
  assert.deepEqual([run.items[0]?.status, matched.status], ["matched", 200], matched.text);
  await shop.post(`/customers/${id}/portal-link`, { email: true });
  await stage.move(new Date(Date.parse("2027-03-01T10:00:00Z") + 3_600_000).toISOString());
  return { stage, owner, id, invoice };
}

/** `table.column` of everything that holds a word of the person, in any row. */
async function found(words: readonly string[], organisation: string): Promise<string[]> {
  const columns = await api.query<{ of: string; name: string }>(
    `select c.relname as of, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organisation_id')
        and format_type(a.atttypid, null) = any ('{text,text[],json,jsonb}')`,
  );
  const held: string[] = [];
  for (const { of, name } of columns) {
    const [row] = await api.query<{ held: boolean }>(
      `select exists (select from ${of} where organisation_id = $1 and ${name}::text ilike any ($2)) as held`,
      organisation,
      words.map((word) => `%${word}%`),
    );
    if (row?.held) held.push(`${of}.${name}`);
  }
  return held.toSorted();
}

/** The files of an archive, by name. */
function filesOf(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, length] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
    const name = archive.toString("utf8", at + 30, at + 30 + length);
    const from = at + 30 + length;
    files.set(name, inflateRawSync(archive.subarray(from, from + packed)));
    at = from + packed;
  }
  return files;
}

const erase = (owner: StaffCall, id: string): Promise<Answer<Erasure>> =>
  owner<Erasure>("POST", `/customers/${id}/erase`);

describe("a customer's personal data", () => {
  test("is handed over as one archive: records, documents, proofs, bank account; who read it is in the audit log", async () => {
    const { stage, owner, id, invoice } = await openPerson();
    const { shop } = stage;
    const answer = await owner("GET", `/customers/${id}/personal-data`);
    assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "application/zip"]);
    assert.match(String(answer.headers["content-disposition"]), /personal-data-C-\w+-2027-03-01\.zip/);
    const { content } = await personalDataArchive(api.services, await shop.ctx(), HELD, id);
    const files = filesOf(Buffer.concat(await content.toArray()));
    const json = (name: string) =>
      JSON.parse(files.get(`${name}.json`)?.toString() ?? "null") as Record<string, unknown>[];
    assert.equal(json("customer")[0]?.["email"], WORDS.email);
    const [mandate] = json("mandates");
    assert.deepEqual([mandate?.["account_number"], mandate?.["id_number"]], [ACCOUNT_NUMBER, ID_NUMBER]);
    assert.equal(json("cards")[0]?.["token_sealed"], undefined);
    for (const kind of [
      "invoices",
      "invoice-payments",
      "credit-notes",
      "quotes",
      "payments",
      "eft-orders",
      "eft-proofs",
      "mails",
      "events",
      "bank-lines",
      "notes",
    ])
      assert.ok(json(kind)?.length > 0, kind);
    assert.match(files.get(`documents/${invoice.number}.pdf`)?.toString("latin1") ?? "", /^%PDF/);
    assert.ok(files.has("documents/CN-000001.pdf"));
    assert.ok([...files.keys()].some((name) => /^documents\/prf_\w+\.pdf$/.test(name)));
    const log = await owner<{ data: { action: string; subject: string; actor: { kind: string }; after: object }[] }>(
      "GET",
      `/audit-log?subject=${id}`,
    );
    const read = log.body.data.find(({ action }) => action === "GET /customers/{id}/personal-data");
    assert.match(JSON.stringify(read?.after), /mandate man_\w+ ···7701/);
  });

  test("is erased everywhere but where the law says to keep it, which is said; then that too, after its time", async () => {
    const { stage, owner, id, invoice } = await openPerson();
    const { shop } = stage;
    const words = [...Object.values(WORDS), METADATA.nickname, REFERENCE];
    const before = await found(words, shop.organisation.id);
    for (const column of [
      "customers.email",
      "emails.recipients",
      "events.data",
      "audit_log.after",
      "invoices.metadata",
    ])
      assert.ok(before.includes(column), `${column} among ${before.join(" ")}`);
    const erasures = () => owner<{ data: Erasure[] }>("GET", `/customers/${id}/erasures`);
    assert.deepEqual((await erasures()).body.data, []);
    const { status, body, text } = await erase(owner, id);
    assert.equal(status, 200, text);
    assert.deepEqual([body.object, body.customerId], ["erasure", id]);
    assert.deepEqual(
      body.kept.map(({ what, count, until }) => [what, count, until]),
      [
        ["taxDocuments", 4, "2033-12-31"],
        ["payments", 2, "2033-12-31"],
        ["mandates", 1, "2033-12-31"],
        ["bankLines", 4, "2033-12-31"],
      ],
    );
    for (const { why } of body.kept) assert.match(why, /Act|authority/);
    assert.deepEqual(await found(words, shop.organisation.id), [
      ...["audit_log.after", "audit_log.before", "credit_notes.reason", "document_parties.address"],
      ...["document_parties.company", "document_parties.email", "document_parties.first_name"],
      ...["document_parties.last_name", "document_parties.vat_number", "invoice_lines.description"],
      ...["invoice_lines.details"],
      ...["invoice_payments.reference", "journal_entries.description"],
      ...["mandates.account_holder", "reconciliation_items.description", "revisions.facts", "transactions.description"],
    ]);
    const shown = await shop.get(`/customers/${id}`);
    assert.deepEqual(
      [shown.body["email"], shown.body["firstName"], shown.body["metadata"], shown.body["active"]],
      [null, null, {}, false],
    );
    assert.equal((await shop.get(`/invoices/${invoice.id}`)).status, 200);
    assert.equal((await owner("GET", `/invoices/${invoice.id}/pdf`)).status, 200);
    assert.deepEqual((await erase(owner, id)).body, body, "again: as it was");
    assert.deepEqual((await erasures()).body.data, [body]);
    const patched = await shop.call<Refusal>("PATCH", `/customers/${id}`, { body: { firstName: "Z" } });
    assert.deepEqual([patched.status, patched.body.error], [409, "invalid_state"]);
    const [told] = await api.query<{ data: Erasure }>(
      "select data from events where type = 'customer.erased' and subject = $1",
      id,
    );
    assert.deepEqual(told?.data, body);
    await stage.move("2034-01-02T00:00:00.000Z");
    assert.deepEqual(await found([...words, ACCOUNT_NUMBER, ID_NUMBER], shop.organisation.id), []);
    assert.deepEqual((await erase(owner, id)).body.kept, []);
  });

  test("is not erased while something is open, and the refusal names it", async () => {
    const stage = await openMandateShop(api);
    const owner = await stage.shop.signIn("admin");
    const { customer: id, shop } = stage;
    const lines = [
      { description: "Painting for Qwabesentinel", details: "At 7 Sentinel Street", quantity: 1, unitPrice: 100 },
    ];
    const { body: invoice } = await shop.post<{ id: string; number: string }>("/invoices", {
      customerId: id,
      lines,
      send: true,
    });
    const mandate = await addActiveMandate(stage);
    const refused = await owner<Refusal>("POST", `/customers/${id}/erase`);
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
    assert.match(
      refused.body.message,
      new RegExp(`1 open invoice \\(${invoice.number}\\); 1 mandate \\(${mandate["accountReference"]}\\)`),
    );
    await shop.post(`/invoices/${invoice.id}/cancel`, {});
    await shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { status: "cancelled" } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => erase(owner, id)));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
  });

  test("is for owners and admins; an unknown customer and another organisation's are 404", async () => {
    const stage = await openMandateShop(api);
    for (const role of ["finance", "support", "viewer"] as const) {
      const staff = await stage.shop.signIn(role);
      assert.equal((await staff("GET", `/customers/${stage.customer}/personal-data`)).status, 403, role);
      assert.equal((await staff("POST", `/customers/${stage.customer}/erase`)).status, 403, role);
    }
    const other = await (await openMandateShop(api)).shop.signIn("owner");
    for (const id of [stage.customer, "cus_none"]) {
      assert.equal((await other("GET", `/customers/${id}/personal-data`)).status, 404);
      assert.equal((await other("POST", `/customers/${id}/erase`)).status, 404);
    }
    assert.equal((await stage.shop.post(`/customers/${stage.customer}/erase`, {})).status, 404);
  });
});

describe("retention by settings", () => {
  const MONTHS = {
    mailTexts: 1,
    webhookDeliveries: 1,
    proofsOfPayment: 3,
    auditReads: 12,
    abandonedCheckouts: 1,
    closedCustomers: 4,
  };
  const PLANTED = `
    insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, attempts, created_at)
    select $1, 'whd_' || $2 || n, 'evt_' || $2 || n, 'endpoint.test', 'x', 'x', '{}', 'parked', '[{"statusCode": 500}]', $3::timestamptz from generate_series(1000, 3100) n`;

  test("removes what is older, a night later, and says what; newer things and what the law keeps stay", async () => {
    const { stage, owner, id, invoice } = await openPerson();
    const { shop } = stage;
    const org = shop.organisation.id;
    await owner("GET", `/customers/${id}/personal-data`);
    const product = (await owner<{ id: string }>("POST", "/products", { name: "Paint", amount: 10 })).body.id;
    await api.query(
      `insert into checkout_sessions (organisation_id, id, status, source, product_id, prefill, entered, metadata, expires_at, created_at, updated_at)
       values ($1, 'chk_01', 'expired', 'hosted', $2, '{"email": "left@example.com"}', '{"email": "left@example.com"}', '{}', $3::timestamptz + interval '1 day', $3, $3)`,
      org,
      product,
      "2027-03-01T10:00:00Z",
    );
    await api.query(PLANTED, org, newId("whd").slice(4, 26), "2027-03-01T10:00:00Z");
    const count = async (of: string) =>
      Number((await api.query<{ n: string }>(`select count(*) as n from ${of}`, org))[0]?.n);
    const left = async () => ({
      mails: await count("emails where organisation_id = $1 and text_body <> ''"),
      deliveries: await count("webhook_deliveries where organisation_id = $1"),
      proofs: await count("eft_proofs where organisation_id = $1"),
      reads: await count("audit_log where organisation_id = $1 and action like 'GET %'"),
      changes: await count("audit_log where organisation_id = $1 and action like 'POST /invoices%'"),
      checkouts: await count("checkout_sessions where organisation_id = $1 and (prefill <> '{}' or entered <> '{}')"),
      named: await count("customers where organisation_id = $1 and email is not null"),
      lines: await count("invoice_lines where organisation_id = $1"),
    });
    const begin = await left();
    for (const [what, n] of Object.entries(begin)) assert.ok(n > 0, what);
    const refused = await owner<Refusal>("PATCH", "/settings", { retention: { auditReads: 3 } });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [400, "Invalid body: retention.auditReads must be at least 12."],
    );
    assert.equal((await owner("PATCH", "/settings", { retention: MONTHS })).status, 200);
    await stage.move("2027-03-15T10:00:00.000Z");
    assert.deepEqual(await left(), begin, "nothing is old enough");
    await shop.call("PATCH", `/customers/${id}`, { body: { active: false, onActive: "keep" } });
    await stage.move("2027-05-10T10:00:00.000Z");
    assert.deepEqual(await left(), { ...begin, mails: 0, deliveries: 0, checkouts: 0 });
    await stage.move("2027-06-10T10:00:00.000Z");
    const kept = { ...begin, mails: 0, deliveries: 0, checkouts: 0, proofs: 0 };
    assert.deepEqual(await left(), kept);
    await stage.move("2027-07-20T10:00:00.000Z");
    kept.named--;
    assert.deepEqual(await left(), kept);
    await stage.move("2028-04-10T10:00:00.000Z");
    assert.deepEqual(await left(), { ...kept, reads: 0 });
    assert.equal((await owner("GET", `/invoices/${invoice.id}/pdf`)).status, 200);
    const { body } = await owner<{ settings: { what: string; months: number; removed: number; appliedAt: string }[] }>(
      "GET",
      "/retention",
    );
    assert.deepEqual(
      body.settings.map(({ what, months }) => [what, months]),
      Object.entries(MONTHS),
    );
    for (const { what, removed, appliedAt } of body.settings) assert.ok(removed > 0 && appliedAt, what);
    const log = await owner<{ data: { subject: string; after: Record<string, number> }[] }>(
      "GET",
      "/audit-log?q=retention",
    );
    const told = log.body.data.filter(({ subject }) => subject === "settings").map(({ after }) => after);
    assert.equal(
      told.reduce((sum, { webhookDeliveries = 0 }) => sum + webhookDeliveries, 0),
      begin.deliveries,
    );
    assert.ok(log.body.data.some(({ subject }) => subject === id));
    assert.equal((await owner("PATCH", "/settings", { retention: null })).status, 200);
    assert.equal(await count("due_work where organisation_id = $1 and kind = 'retention.apply'"), 0);
  });
});
