import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addCard, MASTERCARD, VISA } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { addOrder, addTransfers, upload } from "../support/eft.ts";
import { openInvoicing } from "../support/invoices.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { openStandIn, type StandIn } from "../support/payments.ts";
import { imported, openReconciling, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: what came in and what is owed, each figure with the list that it adds up. */

let gateway: StandIn;
let api: TestApi;
let own: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
  own = await openApi();
});
after(async () => {
  await closeVerified(api)
    .finally(() => closeVerified(own))
    .finally(() => gateway.close());
});

interface Figure {
  readonly amount: number;
  readonly count: number;
  readonly list: string;
}
interface Money {
  readonly currency: string;
  readonly outstanding: Figure;
  readonly overdue: Figure;
  readonly retrying: Figure;
  readonly transfersToReview: Figure;
}
interface Received {
  readonly gross: number;
  readonly refunded: number;
  readonly reversed: number;
  readonly net: number;
  readonly payments: number;
}
interface Task {
  readonly kind: string;
  readonly count: number;
  readonly amounts: readonly { readonly currency: string; readonly amount: number }[];
  readonly since: string;
  readonly list: string;
}
interface Expected extends Readonly<Record<"invoices" | "debits" | "cards", Figure>> {
  readonly currency: string;
  readonly amount: number;
  readonly days: readonly { readonly day: string; readonly invoices: number; readonly debits: number }[];
}
interface Overview {
  readonly toDo: readonly Task[];
  readonly unpaidDebits: Figure;
  readonly expected: readonly Expected[];
  readonly received: Readonly<Record<"today" | "thisMonth" | "lastMonth", Received>> & {
    readonly currency: string;
    readonly days: readonly (Omit<Received, "payments"> & { readonly day: string })[];
  };
  readonly receivedOther: readonly Overview["received"][];
  readonly money: readonly Money[];
  readonly nextDebitBatch: { readonly id: string; readonly actionDate: string } | null;
  readonly nextDebits: (Figure & { readonly date: string }) | null;
  readonly webhookFailures: { readonly count: number; readonly endpoints: number; readonly list: string };
}

const read = async (staff: StaffCall) => {
  const answer = await staff<Overview>("GET", "/overview");
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const moneyOf = async (staff: StaffCall, currency = "ZAR") => {
  const found = (await read(staff)).money.find((one) => one.currency === currency);
  assert.ok(found, currency);
  return found;
};
/** What the list of a figure holds, over its pages of three. */
async function listed(staff: StaffCall, { list }: Pick<Figure, "list">): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let after = ""; ; ) {
    const path = `${list.replace("/dashboard/api", "")}&limit=3${after}`;
    const { status, body, text } = await staff<{ data: Record<string, unknown>[]; nextCursor: string | null }>(
      "GET",
      path,
    );
    assert.equal(status, 200, text);
    found.push(...body.data);
    if (body.nextCursor === null) return found;
    after = `&startingAfter=${body.nextCursor}`;
  }
}
/** Each figure counts and adds up what its list holds. */
async function assertListed(staff: StaffCall, figures: Money): Promise<void> {
  const all: [string, Figure, string][] = [
    ["outstanding", figures.outstanding, "amountDue"],
    ["overdue", figures.overdue, "amountDue"],
    ["retrying", figures.retrying, "amountDue"],
    ["transfersToReview", figures.transfersToReview, "amount"],
  ];
  for (const [name, figure, field] of all) {
    const records = await listed(staff, figure);
    const cents = records.reduce((sum, record) => sum + Math.round(Number(record[field]) * 100), 0);
    assert.deepEqual([records.length, cents / 100], [figure.count, figure.amount], name);
    assert.ok(
      records.every(({ currency }) => currency === figures.currency),
      name,
    );
  }
}
const short = ({ amount, count }: Figure) => [amount, count];

describe("what came in and what is owed", () => {
  test("is nothing in an organisation without records, which its figures' lists say too", async () => {
    const merchant = await api.addMerchant();
    const staff = await merchant.signIn("viewer");
    const { money, ...rest } = await read(staff);
    assert.deepEqual(
      money.map(({ currency }) => currency),
      ["ZAR"],
    );
    const none = { gross: 0, refunded: 0, reversed: 0, net: 0, payments: 0 };
    assert.partialDeepStrictEqual(rest.received, { currency: "ZAR", today: none, thisMonth: none, lastMonth: none });
    assert.equal(rest.received.days.length, 30);
    assert.deepEqual(rest.receivedOther, []);
    assert.deepEqual(rest.toDo, [], "what there is none of is left out");
    assert.partialDeepStrictEqual(rest.expected, [{ currency: "ZAR", amount: 0 }]);
    assert.equal(rest.expected[0]?.days.length, 30);
    await assertListed(staff, await moneyOf(staff));
    assert.deepEqual([rest.nextDebitBatch, rest.nextDebits], [null, null]);
    assert.partialDeepStrictEqual(rest.webhookFailures, { count: 0, endpoints: 0 });
  });

  test("is by South African day and month, and by currency", async () => {
    const shop = await openInvoicing(api, { clockAt: new Date("2027-01-31T21:59:59Z") as never });
    const staff = await shop.merchant.signIn();
    const pay = async (amount: number, fields = {}) => shop.payOnline((await shop.owe(amount, fields)).id, amount);
    const moveTo = (now: string) => staff("POST", "/test-clock", { now });
    await pay(10);
    await moveTo("2027-01-31T22:00:00Z");
    await pay(20);
    await moveTo("2027-02-15T10:00:00Z");
    await pay(40);
    await moveTo("2027-02-20T10:00:00Z");
    await pay(80);
    await moveTo("2027-03-15T10:00:00Z");
    await pay(160);
    for (let i = 0; i < 4; i++) await pay(1);
    const { received } = await read(staff);
    const all = (gross: number, payments: number) => ({ gross, refunded: 0, reversed: 0, net: gross, payments });
    assert.deepEqual(received.today, all(164, 5));
    assert.deepEqual(received.thisMonth, all(164, 5));
    assert.deepEqual(received.lastMonth, all(140, 3));
    assert.deepEqual(
      received.days.filter(({ gross }) => gross > 0).map(({ day, net }) => [day, net]),
      [
        ["2027-02-15", 40],
        ["2027-02-20", 80],
        ["2027-03-15", 164],
      ],
    );
    await assertListed(staff, await moneyOf(staff));
    assert.equal((await staff("GET", "/transactions?paidFrom=yesterday")).status, 400);
  });

  test("what is owed is overdue from the day after its due date, also when a part was paid", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    await shop.owe(100, { dueDate: "2027-03-05" });
    const part = await shop.owe(200, { dueDate: "2027-03-04" });
    await shop.payOffline(part.id, 50);
    await shop.owe(300, { dueDate: "2027-03-20" });
    await shop.create({ lines: [{ description: "Draft", quantity: 1, unitPrice: 999 }] });
    const paid = await shop.owe(77, { dueDate: "2027-03-02" });
    await shop.payOffline(paid.id, 77);
    const none = await moneyOf(staff);
    assert.deepEqual(
      [short(none.outstanding), short(none.overdue)],
      [
        [550, 3],
        [0, 0],
      ],
    );
    await assertListed(staff, none);
    await staff("POST", "/test-clock", { now: "2027-03-05T21:59:59Z" });
    assert.deepEqual(short((await moneyOf(staff)).overdue), [150, 1]);
    await staff("POST", "/test-clock", { now: "2027-03-05T22:00:00Z" });
    const late = await moneyOf(staff);
    assert.deepEqual(
      [short(late.outstanding), short(late.overdue)],
      [
        [550, 3],
        [250, 2],
      ],
    );
    await assertListed(staff, late);
    assert.equal((await staff("GET", "/invoices?owing=never")).status, 400);
  });

  test("counts the bank transfers whose proof waits for a review", async () => {
    const merchant = await api.addMerchant();
    const staff = await merchant.signIn();
    await addTransfers(merchant);
    for (const amount of [100, 250.5]) await upload(merchant, (await addOrder(merchant, { amount })).id);
    await addOrder(merchant, { amount: 999 });
    const money = await moneyOf(staff);
    assert.deepEqual(short(money.transfersToReview), [350.5, 2]);
    await assertListed(staff, money);
  });

  test("counts what failed and is tried again, until it is paid", async () => {
    const debited = await openDebitedShop(own, { bank: { accountNumber: UNPAID_ACCOUNT } });
    await debited.move("2027-03-09T10:00:00Z");
    const money = await moneyOf(debited.staff);
    assert.deepEqual(short(money.retrying), [100, 1]);
    await assertListed(debited.staff, money);
    const { unpaidDebits } = await read(debited.staff);
    assert.deepEqual(short(unpaidDebits), [100, 1]);
    assert.equal((await listed(debited.staff, unpaidDebits)).length, 1);
    const [invoice] = await listed(debited.staff, money.retrying);
    const paid = await debited.staff("POST", `/invoices/${invoice?.["id"]}/payments`, { amount: 100, method: "eft" });
    assert.equal(paid.status, 201, paid.text);
    const later = await moneyOf(debited.staff);
    assert.deepEqual(short(later.retrying), [0, 0]);
    await assertListed(debited.staff, later);
  });

  test("names the mandates that are debited next, and the batch that goes to the bank next", async () => {
    const shop = await openMandateShop(own);
    for (const debitDay of [20, 20, 25]) await addActiveMandate(shop, { debitDay, amount: 100 });
    const { nextDebits, nextDebitBatch } = await read(shop.staff);
    assert.partialDeepStrictEqual(nextDebits, { date: "2027-03-20", amount: 200, count: 2 });
    assert.equal((await listed(shop.staff, nextDebits ?? { list: "" })).length, 2);
    assert.equal(nextDebitBatch, null);
    const made = await shop.staff<{ id: string }>("POST", "/debit-batches", { actionDate: "2027-03-20" });
    assert.equal(made.status, 201, made.text);
    assert.equal((await read(shop.staff)).nextDebitBatch?.id, made.body.id);
  });

  test("names what needs a person, each with exactly its records", async () => {
    const shop = await openReconciling(api);
    const { staff, merchant } = shop;
    await upload(merchant, (await addOrder(merchant, { amount: 250.5 })).id);
    await shop.create({ lines: [{ description: "Draft", quantity: 1, unitPrice: 100, taxRate: 0 }] });
    await imported(staff, statementOf(["2027-02-24", "in", 75], ["2027-02-25", "out", -7]));
    await api.query(
      `insert into emails (organisation_id, id, dedupe_key, kind, recipients, status, created_at, subject, text_body, html_body, from_name)
       select $1, first_id_at('mail', $2) || '0000000000000000', id, 'receipt', '{a@example.com}', 'failed', $2::timestamptz, 'S', 'T', 'H', 'F'
         from gateway_accounts where organisation_id = $1 limit 1`,
      merchant.organisation.id,
      "2027-03-01T10:00:00Z",
    );
    await api.query(
      `insert into webhook_endpoints (organisation_id, id, url, events, enabled, secret_sealed, disabled_reason, created_at, updated_at)
       values ($1, 'we_01m83ea2yczjenzy17sf1ssn0w', 'https://shop.example/hook', '{}', false, '', 'gone', $2, $2)`,
      merchant.organisation.id,
      "2027-03-01T10:00:00Z",
    );
    const { toDo } = await read(staff);
    assert.deepEqual(
      toDo.map(({ kind, count, amounts, since }) => [kind, count, amounts.map(({ amount }) => amount), since]),
      [
        ["endpoints_disabled", 1, [], "2027-03-01"],
        ["emails_failed", 1, [], "2027-03-01"],
        ["lines_to_match", 2, [82], "2027-02-24"],
        ["proofs_to_check", 1, [250.5], "2027-03-01"],
        ["drafts_to_send", 1, [100], "2027-03-01"],
      ],
    );
    const owner = await merchant.signIn("owner");
    for (const { kind, count, list } of toDo)
      assert.equal((await listed(owner, { list: list.includes("?") ? list : `${list}?` })).length, count, kind);
    await api.query("delete from webhook_endpoints where organisation_id = $1", merchant.organisation.id);
    await api.query("delete from emails where organisation_id = $1", merchant.organisation.id);
  });

  test("says what is expected in the next thirty days, by day", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    await shop.owe(100, { dueDate: "2027-03-02" });
    await shop.owe(200, { dueDate: "2027-03-31" });
    await shop.owe(400, { dueDate: "2027-03-01" });
    await shop.owe(800, { dueDate: "2027-04-01" });
    const [expected] = (await read(staff)).expected;
    assert.partialDeepStrictEqual(expected, { from: "2027-03-02", to: "2027-03-31", amount: 300 });
    assert.deepEqual(short(expected?.invoices ?? { amount: 0, count: 0, list: "" }), [300, 2]);
    assert.deepEqual(
      expected?.days.filter(({ invoices }) => invoices > 0).map(({ day, invoices }) => [day, invoices]),
      [
        ["2027-03-02", 100],
        ["2027-03-31", 200],
      ],
    );
    const mandates = await openMandateShop(own);
    for (const debitDay of [20, 20]) await addActiveMandate(mandates, { debitDay, amount: 100 });
    const before = (await read(mandates.staff)).expected[0];
    assert.deepEqual(short(before?.debits ?? { amount: 0, count: 0, list: "" }), [200, 2]);
    await mandates.staff("POST", "/debit-batches", { actionDate: "2027-03-20" });
    const batched = (await read(mandates.staff)).expected[0];
    assert.equal(
      batched?.days.find(({ day }) => day === "2027-03-19" || day === "2027-03-20")?.day !== undefined,
      true,
    );
    assert.equal(batched?.debits.count, 2, "counted once, in the batch");
  });

  test("counts the deliveries that were given up, and their endpoints", async () => {
    const merchant = await api.addMerchant();
    const staff = await merchant.signIn();
    const statuses = ["parked", "failed", "failed", "delivered", "pending"];
    for (const [index, status] of statuses.entries())
      await api.query(
        `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, created_at)
         values ($1, $2, 'evt_1', 'payment.complete', 'txn_1', $3, '{}', $4, now() - make_interval(days => $5))`,
        merchant.organisation.id,
        `whd_01m83ea2yczjenzy17sf1ssn${index}w`,
        index === 1 ? "we_1" : "we_2",
        status,
        index === 2 ? 40 : 1,
      );
    const { webhookFailures } = await read(staff);
    assert.partialDeepStrictEqual(webhookFailures, { count: 2, endpoints: 2 });
    assert.equal((await listed(staff, webhookFailures)).length, 2);
    await api.query("delete from webhook_deliveries where organisation_id = $1", merchant.organisation.id);
  });
});

test("names subscriptions whose cards end before the next charge, until another card pays them", async () => {
  const stage = await openCollectingShop(own);
  const sub = await stage.subscribe();
  await stage.pay(sub, VISA, { expiry: "03/27" });
  const tasks = async () => (await read(stage.staff)).toDo.filter(({ kind }) => kind === "cards_expiring");
  assert.deepEqual(await tasks(), [], "it expires in more than 30 days");
  await stage.move("2027-03-02T10:00:00Z");
  const [task] = await tasks();
  assert.partialDeepStrictEqual(task, { count: 1, amounts: [], since: "2027-03-31" });
  const listedIds = async () => (await listed(stage.staff, task as Task)).map(({ id }) => id);
  assert.deepEqual(await listedIds(), [sub.id]);
  await addCard(stage, MASTERCARD, { body: { makeDefault: true } });
  assert.deepEqual([await tasks(), await listedIds()], [[], []], "the default is charged when its own card cannot be");
});

test("names the VAT return of the period that has ended, until its months are closed", async () => {
  const times = { createdAt: new Date("2027-01-10T10:00:00Z"), clockAt: new Date("2027-04-10T10:00:00Z") };
  const merchant = await own.addMerchant(times as never);
  const staff = await merchant.signIn();
  const task = async () => (await read(staff)).toDo.find(({ kind }) => kind === "vat_return_due");
  assert.equal(await task(), undefined, "the category is not known");
  assert.equal((await staff("PATCH", "/settings", { vatCategory: "A" })).status, 200);
  const list = "/dashboard/api/accounting/vat201/2027-03?months=2";
  assert.partialDeepStrictEqual(await task(), { count: 1, amounts: [], since: "2027-04-30", list });
  assert.equal((await staff("GET", list.replace("/dashboard/api", ""))).status, 200);
  assert.equal((await staff("PATCH", "/settings", { vatCategory: "C" })).status, 200);
  assert.match((await task())?.list ?? "", /2027-03\?months=1$/);
  assert.equal((await staff("POST", "/accounting/months/2027-03/close")).status, 200);
  assert.equal(await task(), undefined);
});
