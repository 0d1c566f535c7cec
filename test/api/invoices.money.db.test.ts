import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { openApi, type TestApi } from "../support/api.ts";
import { cloneDatabase } from "../support/database.ts";
import { exempt, type InvoiceAnswer, type Invoicing, LINE, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

const AT_ONCE = 20;
/** Longer than a statement waits for a lock: a deadlock is never broken for another try, it ends as 503. */
const DEADLOCK_SECONDS = 60;
/** So long a statement waits for a lock. */
const LOCK_SECONDS = 10;
const each = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

let api: TestApi;
before(async () => {
  const { url } = await cloneDatabase();
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(
    `alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = '${DEADLOCK_SECONDS}s'`,
  );
  await superuser.end();
  api = await openApi({ DATABASE_URL: url });
});
after(() => closeVerified(api));

const transaction = async (shop: Invoicing, reference: string) =>
  (await shop.merchant.get<{ status: string; flags: string[] }>(`/transactions/${reference}`)).body;
const types = async (shop: Invoicing, id: string) => (await shop.eventsOf(id)).map(({ type }) => type);
/** Cents received from payers: clearing, fees and bank. */
const received = ({
  gateway_clearing: cleared = 0,
  gateway_fees: fees = 0,
  bank = 0,
}: Readonly<Record<string, number>>) => cleared + fees + bank;

describe("a payment of the invoice's page", () => {
  test("pays it, with one event that shows the invoice afterwards", async () => {
    const shop = await openInvoicing(api);
    const { body } = await shop.create({ send: true });
    const reference = await shop.attempt(body.id, 115);
    await each(5, () => shop.complete(reference, 115));
    const paid = await shop.show(body.id);
    assert.deepEqual([paid.status, paid.amountPaid, paid["paidAt"]], ["paid", 115, paid["updatedAt"]]);
    assert.deepEqual(await shop.eventsOf(body.id), [
      { type: "invoice.sent", data: body },
      { type: "invoice.paid", data: paid },
    ]);
    const { receivable, revenue, vat_output: vat, customer_credit: credit, ...money } = await shop.books();
    assert.deepEqual(
      [receivable, revenue, vat, credit, received(money)],
      [undefined, -10_000, -1_500, undefined, 11_500],
    );
    assert.deepEqual((await transaction(shop, reference)).flags, []);
  });

  test("of a draft issues it", async () => {
    const shop = await openInvoicing(api);
    const { body } = await shop.create();
    await shop.payOnline(body.id, 115);
    assert.deepEqual([(await shop.show(body.id)).status, (await shop.standing())["balance"]], ["paid", 0]);
  });

  test("what exceeds the balance is the customer's credit, flagged for staff", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const before = await shop.attempt(id, 100);
    await shop.payOffline(id, 70);
    await shop.complete(before, 100);
    const paid = await shop.show(id);
    assert.deepEqual([paid.status, paid.amountPaid, paid.amountDue], ["paid", 100, 0]);
    assert.deepEqual((await transaction(shop, before)).flags, ["overpaid"]);
    assert.equal((await shop.standing())["credit"], 70);
    const late = await shop.attempt(id, 100);
    await shop.complete(late, 100);
    assert.deepEqual((await transaction(shop, late)).flags, ["overpaid"]);
    assert.equal((await shop.standing())["credit"], 170);
    assert.deepEqual(await types(shop, id), ["invoice.sent", "invoice.partially_paid", "invoice.paid"]);
  });

  test("that arrives after the invoice was cancelled is credit as a whole", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const reference = await shop.attempt(id, 100);
    await shop.act(id, "cancel");
    await shop.complete(reference, 100);
    const { status, flags } = await transaction(shop, reference);
    assert.deepEqual([status, flags, (await shop.show(id)).status], ["complete", ["overpaid"], "cancelled"]);
    const { customer_credit: credit, receivable, revenue } = await shop.books();
    assert.deepEqual([credit, receivable, revenue], [-10_000, undefined, undefined]);
    assert.deepEqual(await types(shop, id), ["invoice.sent", "invoice.cancelled"]);
  });

  test("of another customer's invoice is on the account of the one who was invoiced", async () => {
    const shop = await openInvoicing(api);
    const { body: payer } = await shop.merchant.post<{ id: string }>("/customers", { firstName: "Parent" });
    const { id } = await shop.owe(100);
    const link = { title: "For a friend", amount: 100, invoiceId: id, customerId: payer.id };
    assert.equal((await shop.merchant.post("/payment-links", link)).status, 201);
    const reference = await shop.attempt(id, 150);
    await api.query("update transactions set customer_id = $1 where reference = $2", payer.id, reference);
    await shop.complete(reference, 150);
    assert.deepEqual([(await shop.show(id)).status, (await shop.standing())["credit"]], ["paid", 50]);
    const staff = await shop.merchant.signIn("finance");
    const refunded = await staff("POST", `/transactions/${reference}/refunds`, { amount: 50, method: "manual" });
    assert.equal(refunded.status, 201);
    assert.equal((await shop.standing())["credit"], 0);
  });
});

describe(`${AT_ONCE} full payments at once`, () => {
  test("through the gateway, on several links: one is applied, the rest is credit", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    for (let n = 0; n < 3; n++)
      await shop.merchant.post("/payment-links", { title: `Link ${n}`, amount: 100, invoiceId: id });
    const links = await api.query<{ id: string }>("select id from payment_links where invoice_id = $1", id);
    assert.equal(links.length, 4);
    const references = await each(AT_ONCE, async (n) => {
      const reference = await shop.attempt(id, 100);
      await api.query("update transactions set payment_link_id = $1 where reference = $2", links[n % 4]?.id, reference);
      return reference;
    });
    await each(AT_ONCE, (n) => shop.complete(references[n] ?? "", 100));
    const paid = await shop.show(id);
    assert.deepEqual([paid.status, paid.amountPaid], ["paid", 100]);
    assert.deepEqual(await types(shop, id), ["invoice.sent", "invoice.paid"]);
    const flags = await Promise.all(references.map(async (reference) => (await transaction(shop, reference)).flags));
    assert.deepEqual(
      [flags.filter((of) => of.length === 0).length, flags.filter(([flag]) => flag === "overpaid").length],
      [1, AT_ONCE - 1],
    );
    assert.equal((await shop.standing())["credit"], 100 * (AT_ONCE - 1));
    assert.equal(received(await shop.books()), 10_000 * AT_ONCE);
  });

  test("made elsewhere: one is taken, the rest refused", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const answers = await each(AT_ONCE, () => shop.payOffline(id, 100));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      201,
      ...Array.from({ length: AT_ONCE - 1 }, () => 400),
    ]);
    assert.deepEqual(await types(shop, id), ["invoice.sent", "invoice.paid"]);
    assert.deepEqual(await shop.books(), { bank: 10_000, revenue: -10_000 });
  });

  test("in parts, through both: never more than it came to", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const references = await each(AT_ONCE / 2, () => shop.attempt(id, 15));
    const elsewhere = each(AT_ONCE / 2, () => shop.payOffline(id, 15));
    await Promise.all(references.map((reference) => shop.complete(reference, 15)));
    const taken = (await elsewhere).filter(({ status }) => status === 201).length;
    const { amountPaid, amountDue } = await shop.show(id);
    assert.equal(amountPaid + amountDue, 100);
    const credit = Number((await shop.standing())["credit"]);
    assert.equal(Math.round(100 * (15 * (taken + references.length) - credit)), Math.round(100 * amountPaid));
  });
});

test("cancelled and paid at once, 30 times: nothing is lost, whoever came first", async () => {
  const shop = await openInvoicing(api);
  const rounds = await each(30, async (n) => {
    const { id } = await shop.owe(100);
    const reference = await shop.attempt(id, n % 2 === 0 ? 100 : 40);
    return { id, reference, amount: n % 2 === 0 ? 100 : 40 };
  });
  let credit = 0;
  for (const { id, reference, amount } of rounds) {
    const [cancelled] = await Promise.all([shop.act(id, "cancel"), shop.complete(reference, amount)]);
    const { status, amountPaid } = await shop.show(id);
    assert.equal((await transaction(shop, reference)).status, "complete");
    if (status === "paid") assert.deepEqual([cancelled.status, amountPaid], [400, 100]);
    else {
      assert.deepEqual([cancelled.status, status], [200, "cancelled"]);
      assert.deepEqual((await transaction(shop, reference)).flags, ["overpaid"]);
      credit += amount;
    }
  }
  const { balance, credit: held } = await shop.standing();
  assert.deepEqual([balance, held], [0, credit]);
});

test("a link made while its invoice is paid ends with it, or is refused, 20 times", async () => {
  const shop = await openInvoicing(api);
  for (let round = 0; round < 20; round++) {
    const { id } = await shop.owe(100);
    const link = { title: "Late", amount: 100, invoiceId: id };
    const [made, paid] = await Promise.all([shop.merchant.post("/payment-links", link), shop.payOffline(id, 100)]);
    assert.equal(paid.status, 201);
    const active = await api.query("select from payment_links where invoice_id = $1 and active", id);
    assert.deepEqual([made.status === 201 || made.status === 400, active], [true, []]);
  }
});

test("paid while it becomes overdue and is reminded of: neither waits for a deadlock", async () => {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn();
  const owed = await each(40, () => shop.owe(10, { dueDate: "2027-03-02" }));
  const began = performance.now();
  const [moved, ...paid] = await Promise.all([
    staff("POST", "/test-clock", { now: "2027-03-05T10:00:00Z" }),
    ...owed.map(({ id }) => shop.payOffline(id, 10)),
  ]);
  assert.ok(performance.now() - began < LOCK_SECONDS * 1000, "due work that ended a deadlock would be tried again");
  assert.deepEqual([moved.status, new Set(paid.map(({ status }) => status))], [200, new Set([201])]);
  await staff("POST", "/test-clock", { now: "2027-03-05T10:00:01Z" });
  const left = await api.query(
    "select from due_work where organisation_id = $1 and kind like 'invoice.%'",
    shop.merchant.organisation.id,
  );
  assert.deepEqual(left, []);
});

test("cancelled, credited, paid and sent at once: no deadlock, no cent lost", async () => {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  for (let round = 0; round < 4; round++) {
    const owed = await each(4, () => shop.owe(100));
    const drafts = await each(3, async () => (await shop.create({ lines: [exempt(60)] })).body);
    await staff("POST", "/credit-notes", { customerId: shop.customerId, amount: 130, taxRate: 0, reason: "before" });
    const [first, second, third, fourth] = owed.map(({ id }) => id);
    const statuses = await Promise.all([
      ...drafts.map(({ id }) => shop.act(id, "send").then(({ status }) => status)),
      ...[10, 90].map((amount) =>
        staff("POST", "/credit-notes", { customerId: shop.customerId, amount, taxRate: 0, reason: "during" }).then(
          ({ status }) => status,
        ),
      ),
      shop.act(second ?? "", "cancel").then(({ status }) => status),
      shop.act(third ?? "", "cancel").then(({ status }) => status),
      shop.payOffline(fourth ?? "", 50).then(({ status }) => status),
      shop.payOnline(first ?? "", 100).then(() => 200),
    ]);
    assert.deepEqual(
      statuses.filter((status) => status >= 500),
      [],
    );
    const { data } = (await shop.merchant.get<{ data: InvoiceAnswer[] }>("/invoices?limit=100")).body;
    const open = data.filter(({ status }) => ["sent", "overdue", "partially_paid"].includes(status));
    const notes = await shop.merchant.get<{ data: { remaining: number }[] }>("/credit-notes?limit=100");
    const left = notes.body.data.reduce((sum, { remaining }) => sum + remaining, 0);
    assert.ok(open.length === 0 || left === 0, "what is open has used up all credit");
  }
});

describe("numbers", () => {
  const run = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `INV-${String(from + n).padStart(6, "0")}`);

  test("200 creates at once, with failures mixed in: from 1 on, without a gap or a double", async () => {
    const shop = await openInvoicing(api);
    const bad = [{ lines: [{ ...LINE, unitPrice: 0 }] }, { customerId: "nobody" }, { currency: "RND" }];
    const answers = await each(200, (n) =>
      shop.create(n % 5 === 3 ? bad[n % 3] : n % 7 === 0 ? { send: true, externalReference: `r${n % 21}` } : {}),
    );
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201, 400]));
    assert.deepEqual(made.toSorted(), run(1, made.length));
    assert.equal((await shop.create()).body.number, run(made.length + 1, 1)[0]);
  });

  test("the same references at once in two processes: each invoice once, without a deadlock", async (t) => {
    const other = await openApi(api.environment);
    t.after(() => other.close());
    const shop = await openInvoicing(api);
    const answers = await each(200, (n) => {
      const body = {
        customerId: shop.customerId,
        lines: [LINE],
        externalReference: `r${(n * 7) % 11}`,
        send: n % 3 === 0,
      };
      const { key } = shop.merchant;
      return (n % 2 === 0 ? api : other).call<InvoiceAnswer>("POST", "/api/v1/invoices", { body, key });
    });
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
    assert.deepEqual(
      [made.toSorted(), new Set(answers.map(({ status }) => status))],
      [run(1, 11), new Set([200, 201])],
    );
  });

  test("the same from two processes", async (t) => {
    const other = await openApi(api.environment);
    t.after(() => other.close());
    const shop = await openInvoicing(api);
    const answers = await each(200, (n) => {
      const body = { customerId: n % 6 === 0 ? "nobody" : shop.customerId, lines: [LINE], send: n % 4 === 0 };
      const { key } = shop.merchant;
      return (n % 2 === 0 ? api : other).call<InvoiceAnswer>("POST", "/api/v1/invoices", { body, key });
    });
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
    assert.equal(made.length, answers.filter(({ status }) => status !== 400).length);
    assert.deepEqual(made.toSorted(), run(1, made.length));
  });
});
