import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, begin, cardsNow, choiceOf, choose, MASTERCARD, openCardShop, VISA } from "../support/cards.ts";
import { newestSession, startSale } from "../support/checkout.ts";
import { formOf } from "../support/uploads.ts";
import { closeVerified } from "../support/verified.ts";

/*
 * Two years of a merchant on the test clock, as their customers and their own system see them: checkout, trial, coupon,
 * usage, add-on, changes in each proration mode, missed card, pause, resume, cancellation undone; others collected by
 * debit order, by mailed invoice and by another platform. What each bill must be is reckoned here, from nothing but the
 * prices.
 */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Line {
  readonly description: string;
  readonly details: string | null;
  readonly amount: number;
  readonly reason: Reason;
}
interface Reason {
  readonly kind: string;
  readonly full: number;
  readonly less: readonly { readonly by: string; readonly amount: number }[];
}
interface Bill {
  readonly id: string;
  readonly charge: string;
  readonly cycle: number;
  readonly status: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly lines: readonly Line[];
  readonly subtotal: number;
  readonly taxAmount: number;
  readonly total: number;
  readonly amountDue: number;
}
interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly credit: number;
  readonly cyclesBilled: number;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly cancelAtPeriodEnd: boolean;
  readonly payment: { readonly due: boolean; readonly url: string | null };
  readonly card: { readonly last4: string } | null;
  readonly pendingChange: { readonly quantity: number } | null;
}
interface Changed extends Subscription {
  readonly change: {
    readonly prorationInvoice: { readonly dueNow: number; readonly creditToNextRenewal: number } | null;
    readonly nextInvoice: { readonly subtotal: number; readonly periodStart: string } | null;
  };
  readonly charge: { readonly invoiceId: string; readonly amount: number } | null;
}

/** A bill as it must be: charge, first and last day, and the amount of each line without VAT, in cents. */
type Expected = readonly [charge: string, from: string, to: string, lines: readonly number[]];

const MONTH = 29_900;
const YEAR = 299_000;
const VAT = 15;

/** Halves away from zero, in whole cents. */
const share = (cents: number, part: number, of: number): number => Math.floor((2 * cents * part + of) / (2 * of));
const days = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;
const cents = (amount: number): number => Math.round(amount * 100);

/** What a change in the middle of a period costs: the days that are left at the new price, less the same days at the old one. */
const difference = (now: number, before: number, [from, on, next]: readonly [string, string, string]): number =>
  share(now, days(on, next), days(from, next)) - share(before, days(on, next), days(from, next));

async function openTwoYears() {
  const stage = await openCardShop(api, { clockAt: new Date("2027-01-17T08:00:00.000Z") as never, rateLimit: 100_000 });
  const { shop, staff } = stage;
  const post = async <Body>(path: string, body: object = {}, status = 200): Promise<Body> => {
    const answer = await shop.post<Body>(path, body);
    assert.equal(answer.status, status, `${path}: ${answer.text}`);
    return answer.body;
  };
  const { id: packageId } = await post<{ id: string }>("/packages", { name: "Reading circle" }, 201);
  const plan = (fields: object) =>
    post<{ id: string }>(`/packages/${packageId}/plans`, { taxRate: VAT, ...fields }, 201);
  const { id: monthly } = await plan({ name: "Club", amount: 299, frequency: "monthly", trialDays: 14, code: "club" });
  const { id: yearly } = await plan({
    name: "Club, a year",
    amount: 2990,
    frequency: "annually",
    setupFee: 250,
    code: "year",
  });
  const coupon = await staff("POST", "/coupons", { code: "WELCOME", percent: 20, duration: "cycles", cycles: 3 });
  assert.equal(coupon.status, 201, coupon.text);
  const path = (id: string, action = "") => `/customer-subscriptions/${id}${action}`;
  return {
    stage,
    post,
    packageId,
    monthly,
    yearly,
    /** Moves the clock to noon, South African time. */
    on: (day: string) => stage.move(`${day}T10:00:00.000Z`),
    now: async (id: string) => (await shop.get<Subscription>(path(id))).body,
    act: (id: string, action: string, body: object = {}) => post<Subscription>(path(id, `/${action}`), body),
    bills: async (id: string) =>
      (await shop.get<{ data: Bill[] }>(path(id, "/invoices?limit=100"))).body.data.toReversed(),
    /** Asks what a change would cost, makes it, and asserts that both say the same. */
    async change(id: string, body: object): Promise<Changed> {
      const previewed = await post(path(id, "/preview-change"), body);
      const changed = await post<Changed>(path(id, "/change-plan"), body);
      assert.deepEqual(changed.change, previewed, "the preview is what happened");
      return changed;
    },
  };
}
type TwoYears = Awaited<ReturnType<typeof openTwoYears>>;

/** Every line adds up and says why, and each bill is what was reckoned. */
function assertBills(bills: readonly Bill[], expected: readonly Expected[]): void {
  assert.deepEqual(
    bills.map(({ charge, periodStart, periodEnd, lines }) => [
      charge,
      periodStart,
      periodEnd,
      lines.map(({ amount }) => cents(amount)),
    ]),
    expected,
  );
  for (const bill of bills) {
    const vat = bill.lines.reduce((sum, { amount }) => sum + share(cents(amount), VAT, 100), 0);
    const net = bill.lines.reduce((sum, { amount }) => sum + cents(amount), 0);
    assert.deepEqual([cents(bill.subtotal), cents(bill.taxAmount), cents(bill.total)], [net, vat, net + vat]);
    for (const line of bill.lines) {
      const { full, less } = line.reason;
      const taken = less.reduce((sum, { amount }) => sum + cents(amount), 0);
      assert.equal(cents(full) - taken, cents(line.amount), "the reason adds up to the line");
      if (taken > 0) assert.match(String(line.details), /less/, "what was taken off is said in words");
    }
  }
}

/** A payer subscribes on the hosted checkout: a trial first, then the first charge by card. */
async function subscribeOnCheckout({ stage, post, monthly, on, now, act }: TwoYears): Promise<string> {
  const session = await post<{ checkoutUrl: string }>(
    "/checkout-sessions",
    { planId: monthly, couponCode: "WELCOME" },
    201,
  );
  await startSale(stage, session.checkoutUrl);
  const { status, subscriptionId } = await newestSession(stage);
  assert.equal(status, "completed");
  const id = String(subscriptionId);
  assert.equal((await now(id)).status, "trialing");
  await act(id, "items", { code: "sms", kind: "metered", description: "Messages", unitAmount: 0.35 });
  await act(id, "items/sms/usage", { quantity: 500, action: "increment" });
  await on("2027-01-31");
  const due = await now(id);
  assert.deepEqual([due.status, due.payment.due], ["pending", true]);
  const { gatewayUrl } = await begin(stage, String(due.payment.url));
  await choose(stage, gatewayUrl, choiceOf(VISA));
  const active = await now(id);
  assert.deepEqual([active.status, active.card?.last4], ["active", "4242"]);
  return id;
}

/** Month ends, usage, an add-on; changes up and down in each mode. */
async function firstYear({ on, act, now, change, stage: { shop } }: TwoYears, id: string): Promise<void> {
  await on("2027-02-10");
  await act(id, "items/sms/usage", { quantity: 100, action: "set" });
  await act(id, "items/sms/usage", { quantity: 50, action: "increment" });
  await on("2027-02-28");
  await act(id, "items/sms/usage", { quantity: 10, action: "increment" });
  await on("2027-04-10");
  await act(id, "items", { code: "seat", kind: "addon", description: "Seat", unitAmount: 50, quantity: 2 });
  await on("2027-05-15");
  assert.equal((await shop.call("DELETE", `/customer-subscriptions/${id}/items/seat`)).status, 200);
  await on("2027-06-10");
  const up = await change(id, { quantity: 3, proration: "now" });
  assert.equal(cents(up.charge?.amount ?? 0), 39_867 + share(39_867, VAT, 100));
  await on("2027-06-20");
  const down = await change(id, { quantity: 1, proration: "now" });
  assert.deepEqual([down.charge, cents(down.credit)], [null, 19_933]);
  await on("2027-07-10");
  assert.equal((await change(id, { quantity: 2, proration: "none" })).charge, null);
  await on("2027-08-10");
  assert.equal((await change(id, { quantity: 1, proration: "none" })).change.nextInvoice?.subtotal, 299);
  await on("2027-09-10");
  assert.equal((await change(id, { quantity: 2, proration: "next_renewal" })).amount, 299);
  assert.equal((await now(id)).pendingChange?.quantity, 2);
  await on("2027-10-15");
  assert.equal((await change(id, { quantity: 1, proration: "next_renewal" })).amount, 598);
}

/** A card that is declined with its retries, until the payer adds another. */
async function missedCard({ stage, on, now }: TwoYears, id: string): Promise<void> {
  await on("2027-11-05");
  const customer = String((await newestSession(stage))["customerId"]);
  const of = { of: customer };
  const [good] = await cardsNow(stage, "", customer);
  await addCard(stage, "4000000000000341", of);
  assert.equal((await stage.shop.call("DELETE", `/customers/${customer}/cards/${good?.["id"]}`)).status, 200);
  await on("2027-12-02");
  assert.equal((await now(id)).status, "past_due");
  await on("2027-12-08");
  await addCard(stage, MASTERCARD, of);
  // A retry was under way when the card was added; each charge takes two business days.
  await on("2027-12-15");
  const recovered = await now(id);
  assert.deepEqual([recovered.status, recovered.card?.last4], ["active", "4444"]);
}

/** A pause that ends within its period changes nothing. */
async function shortPause({ on, act }: TwoYears, id: string): Promise<void> {
  await on("2028-01-05");
  assert.equal((await act(id, "pause")).status, "paused");
  await on("2028-01-20");
  assert.equal((await act(id, "resume")).currentPeriodEnd, "2028-01-30");
}

/** A pause of more than a period, a cancellation that is undone; a year, and back to months. */
async function secondYear({ on, act, now, change }: TwoYears, id: string): Promise<void> {
  await on("2028-04-10");
  await act(id, "pause");
  await on("2028-06-05");
  assert.equal((await act(id, "resume")).currentPeriodStart, "2028-06-05");
  await on("2028-08-10");
  assert.equal((await act(id, "cancel", { when: "period_end", reason: "Moving" })).cancelAtPeriodEnd, true);
  await on("2028-08-20");
  assert.equal((await act(id, "reactivate")).cancelAtPeriodEnd, false);
  await on("2028-12-20");
  await change(id, { plan: "year", proration: "now" });
  assert.equal((await now(id)).currentPeriodEnd, "2029-12-19");
  await on("2029-01-10");
  const back = await change(id, { plan: "club", proration: "now" });
  assert.deepEqual([back.charge, back.currentPeriodEnd], [null, "2029-02-09"]);
  await on("2029-03-01");
}

/** The first day of the month after, on the same day of it. */
const nextMonth = (from: string): string => {
  const day = new Date(from);
  day.setUTCMonth(day.getUTCMonth() + 1);
  return day.toISOString().slice(0, 10);
};
const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
/** Cycle bills of the monthly price, from each of `count` days a month apart. */
const months = (first: string, count: number): Expected[] => {
  const made: Expected[] = [];
  for (let from = first; made.length < count; from = nextMonth(from))
    made.push(["cycle", from, dayBefore(nextMonth(from)), [MONTH]]);
  return made;
};

/** A subscription collected by mailed invoice, that nobody has paid for two years; then all is paid. */
async function assertMailed({ bills, now, post }: TwoYears, id: string): Promise<void> {
  const made = await bills(id);
  assertBills(made, [["first", "2027-01-31", "2027-02-14", [share(MONTH, 15, 31)]], ...months("2027-02-15", 25)]);
  assert.equal((await now(id)).status, "past_due");
  for (const bill of made) await post(`/invoices/${bill.id}/payments`, { amount: bill.amountDue, method: "eft" }, 201);
  assert.equal((await now(id)).status, "active");
}

/** A subscription whose mandate is debited on the first of each month; answers its id. */
async function subscribeByDebit({ stage, post }: TwoYears): Promise<string> {
  const customer = { id: stage.customer };
  const body = { customer, plan: "club", trialDays: 0, collectionMethod: "debit_order" };
  const { id } = await post<Subscription>("/customer-subscriptions", body, 201);
  const bank = { branchCode: "250655", accountNumber: "62000000001", accountHolder: "T Mokoena" };
  const authority = { authority: "offline", confirmOfflineMandate: true };
  await post("/mandates", { customer, bank, amount: 343.85, debitDay: 1, subscriptionId: id, ...authority }, 201);
  return id;
}

/** Every month end has its bill, and each but the last, whose day has just come, is paid by one debit. */
async function assertDebited({ bills, stage }: TwoYears, id: string): Promise<void> {
  const ends = Array.from({ length: 27 }, (_, at) => new Date(Date.UTC(2027, 1 + at, 0)).toISOString().slice(0, 10));
  const made = await bills(id);
  assertBills(
    made,
    ends.slice(0, -1).map((from, at): Expected => {
      return [at === 0 ? "first" : "cycle", from, dayBefore(ends[at + 1] ?? ""), [MONTH]];
    }),
  );
  assert.deepEqual(new Set(made.slice(0, -1).map(({ status }) => status)), new Set(["paid"]));
  type Payment = { readonly status: string; readonly type: string; readonly amount: number };
  const { body } = await stage.shop.get<{ data: Payment[] }>(`/customer-subscriptions/${id}/payments?limit=100`);
  const complete = body.data.filter(({ status }) => status === "complete");
  assert.deepEqual(
    complete.map(({ type, amount }) => [type, amount]),
    made.slice(1).map(() => ["debit_order", 343.85]),
  );
}

/** What the card has paid is what was billed, less the 1.00 of each card set-up; the declined attempts are listed beside. */
async function assertPaid({ bills, stage }: TwoYears, id: string): Promise<void> {
  const made = await bills(id);
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set(["paid"]));
  type Payment = { readonly status: string; readonly amount: number };
  const { body } = await stage.shop.get<{ data: Payment[] }>(`/customer-subscriptions/${id}/payments?limit=100`);
  const of = (status: string) => body.data.filter((payment) => payment.status === status);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + cents(amount), 0);
  const setUps = 2 * 100;
  assert.equal(sum(of("complete").map(({ amount }) => amount)) + setUps, sum(made.map(({ total }) => total)));
  assert.ok(of("failed").length > 1, "the charge and a retry of it were declined");
}

/** Three hundred subscriptions that another platform bills, from a file; one of them is renewed there. */
async function importOthers({ stage: { shop, staff }, post }: TwoYears): Promise<void> {
  await post("/customers", { externalReference: "P", email: "p@example.co.za" }, 201);
  const rows = Array.from({ length: 300 }, (_, at) => `P,club,legacy-${at},2027-02-15`);
  const file = ["customer.externalReference,plan,externalReference,paidThrough", ...rows].join("\n");
  const form = await formOf({ field: "file", name: "subscriptions.csv", bytes: Buffer.from(file) });
  const imported = await staff<{ totals: Record<string, number> }>(
    "POST",
    "/customer-subscriptions/imports",
    form.body,
    form.headers,
  );
  assert.equal(imported.body.totals["create"], 300);
  const { body } = await shop.get<{ data: Subscription[] }>("/customer-subscriptions?externalReference=legacy-7");
  const period = { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" };
  const renewed = await post<Subscription>(`/customer-subscriptions/${body.data[0]?.id}/sync-period`, period);
  assert.equal(renewed.cyclesBilled, 1);
}

// Some fifty moves of the clock, each with all that falls due: ten seconds on a machine that does nothing else.
test("two years of a merchant: every bill is what was reckoned, and says why", { timeout: 300_000 }, async () => {
  const years = await openTwoYears();
  const { stage, post, on, now, bills } = years;
  const id = await subscribeOnCheckout(years);
  await importOthers(years);
  const terms = { customer: { id: stage.customer }, collectionMethod: "invoice" };
  const debited = await subscribeByDebit(years);
  const mailed = await post<Subscription>(
    "/customer-subscriptions",
    { ...terms, plan: "club", trialDays: 0, billingAnchorDay: 15 },
    201,
  );
  await firstYear(years, id);
  await missedCard(years, id);
  await shortPause(years, id);
  await on("2028-02-29");
  const leap = await post<Subscription>("/customer-subscriptions", { ...terms, plan: "year" }, 201);
  await secondYear(years, id);
  assertBills(await bills(id), BILLS);
  assertBills(await bills(leap.id), [
    ["first", "2028-02-29", "2029-02-27", [YEAR, 25_000]],
    ["cycle", "2029-02-28", "2030-02-27", [YEAR]],
  ]);
  await assertMailed(years, mailed.id);
  await assertDebited(years, debited);
  const end = await now(id);
  assert.deepEqual([end.status, cents(end.credit), end.cyclesBilled], ["active", LEFT - MONTH, 25]);
  await assertPaid(years, id);
  assert.equal(
    (await stage.shop.get<{ data: unknown[] }>("/customer-subscriptions?collectionMethod=external&limit=100")).body.data
      .length,
    100,
  );
});

const TAKEN = share(MONTH, 20, 100);
const UP = difference(3 * MONTH, MONTH, ["2027-05-31", "2027-06-10", "2027-06-30"]);
const DOWN = difference(3 * MONTH, MONTH, ["2027-05-31", "2027-06-20", "2027-06-30"]);
const UNUSED = share(MONTH, days("2028-12-20", "2029-01-05"), 31);
/** The credit of the year's unused days, less the month that the change has begun. */
const LEFT = share(YEAR, days("2029-01-10", "2029-12-20"), 365) - MONTH;

const BILLS: readonly Expected[] = [
  ["first", "2027-01-31", "2027-02-27", [MONTH - TAKEN]],
  ["cycle", "2027-02-28", "2027-03-30", [MONTH - TAKEN, 4_200]],
  ["cycle", "2027-03-31", "2027-04-29", [MONTH - TAKEN, 280]],
  ["cycle", "2027-04-30", "2027-05-30", [MONTH, 10_000]],
  ["cycle", "2027-05-31", "2027-06-29", [MONTH]],
  ["proration", "2027-06-10", "2027-06-29", [UP]],
  ["cycle", "2027-06-30", "2027-07-30", [MONTH - DOWN]],
  ["cycle", "2027-07-31", "2027-08-30", [2 * MONTH]],
  ["cycle", "2027-08-31", "2027-09-29", [MONTH]],
  ["cycle", "2027-09-30", "2027-10-30", [2 * MONTH]],
  ["cycle", "2027-10-31", "2027-11-29", [MONTH]],
  ["cycle", "2027-11-30", "2027-12-30", [MONTH]],
  ["cycle", "2027-12-31", "2028-01-30", [MONTH]],
  ["cycle", "2028-01-31", "2028-02-28", [MONTH]],
  ["cycle", "2028-02-29", "2028-03-30", [MONTH]],
  ["cycle", "2028-03-31", "2028-04-29", [MONTH]],
  ...months("2028-06-05", 7),
  ["proration", "2028-12-20", "2029-12-19", [YEAR - UNUSED]],
];
