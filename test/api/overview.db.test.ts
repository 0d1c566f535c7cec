import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { addOrder, addTransfers, upload } from "../support/eft.ts";
import { openInvoicing } from "../support/invoices.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { openStandIn, type StandIn } from "../support/payments.ts";
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
  readonly collected: Readonly<Record<"today" | "month" | "lastMonthToDate" | "lastMonth", Figure>> & {
    readonly days: readonly { readonly day: string; readonly amount: number; readonly count: number }[];
  };
  readonly outstanding: Figure;
  readonly overdue: Figure;
  readonly retrying: Figure;
  readonly transfersToReview: Figure;
}
interface Overview {
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
async function assertListed(staff: StaffCall, { collected, ...figures }: Money): Promise<void> {
  const { days: _days, ...spans } = collected;
  const all: [string, Figure, string][] = [
    ...Object.entries(spans).map(([name, figure]): [string, Figure, string] => [name, figure, "amount"]),
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
    assert.equal(money[0]?.collected.days.length, 30);
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
    const { collected } = await moneyOf(staff);
    assert.deepEqual(short(collected.today), [164, 5]);
    assert.deepEqual(short(collected.month), [164, 5]);
    assert.deepEqual(short(collected.lastMonthToDate), [60, 2], "from 1 to 15 February");
    assert.deepEqual(short(collected.lastMonth), [140, 3]);
    assert.deepEqual(
      collected.days.filter(({ count }) => count > 0),
      [
        { day: "2027-02-15", amount: 40, count: 1 },
        { day: "2027-02-20", amount: 80, count: 1 },
        { day: "2027-03-15", amount: 164, count: 5 },
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
