import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { EXCHANGE, openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const centsOf = (rand: unknown): number => Math.round(Number(rand) * 100);

/** A shop whose clock stands on 2027-03-01. */
async function open() {
  const shop = await openInvoicing(api);
  const [finance, admin] = [await shop.merchant.signIn("finance"), await shop.merchant.signIn("admin")];
  /** Sends an invoice with these lines, as a quote makes it. */
  const bill = async (lineItems: readonly object[], fields: object = {}) => {
    const lines = lineItems.map((one) => ({ description: "=Care", quantity: 1, ...one }));
    const body = { customerId: shop.customerId, lineItems: lines, send: true, ...fields };
    const quote = await shop.merchant.post("/quotes", body);
    const made = await shop.merchant.post(`/quotes/${quote.body["id"]}/convert`, {});
    const { id } = (made.body["invoice"] ?? made.body) as { id: string };
    assert.equal((await finance("POST", `/invoices/${id}/send`)).status, 200, made.text);
    return id;
  };
  const moveTo = async (day: string) =>
    assert.equal((await admin("POST", "/test-clock", { now: `${day}T10:00:00.000Z` })).status, 200);
  const read = async (month: string) => {
    const { body, text } = await finance<Deferred>("GET", path(month));
    assert.ok(body.closing !== undefined, text);
    return body;
  };
  /** The invoices of a month, and its totals, which add up to them and to their lines. */
  const summed = async (month: string) => {
    const totals = await read(month);
    const { data } = (await finance<{ data: DeferredInvoice[] }>("GET", `${path(month)}/invoices?limit=100`)).body;
    assert.equal(data.length, totals.invoices, month);
    for (const name of MOVEMENT) {
      const sum = (of: readonly Movement[]) => of.reduce((total, one) => total + centsOf(one[name]), 0);
      assert.equal(sum(data), centsOf(totals[name]), `${month} ${name}`);
      assert.equal(sum(data.flatMap(({ lines }) => lines)), centsOf(totals[name]), `${month} ${name}`);
    }
    return { data, totals };
  };
  return { ...shop, admin, finance, bill, moveTo, read, summed };
}
const path = (month: string) => `/accounting/deferred-revenue/${month}`;
/** The month `at` months after February 2027. */
const monthAt = (at: number) => `${2027 + Math.floor((at + 1) / 12)}-${String(((at + 1) % 12) + 1).padStart(2, "0")}`;

type Movement = Readonly<Record<"opening" | "deferred" | "recognised" | "reversed" | "closing", number>>;
type DeferredInvoice = Movement & { readonly id: string; readonly lines: readonly (Movement & { amount: number })[] };
type Deferred = Movement &
  Readonly<Record<"invoices" | "posted" | "earned", number>> & { readonly currencies: readonly string[] };
const MOVEMENT = ["opening", "deferred", "recognised", "reversed", "closing"] as const;

test("deferred revenue opens as the month before closed, adds up to its lines, and with it the books' revenue is earned once", async () => {
  const shop = await open();
  const year = { unitPrice: 365, taxRate: 15, periodStart: "2027-03-01", periodEnd: "2028-02-28" };
  const kept = await shop.bill([year, { unitPrice: 50 }]);
  const quarter = { unitPrice: 105.8, taxRate: 15, periodStart: "2027-03-01", periodEnd: "2027-05-31" };
  const credited = await shop.bill([quarter], { taxInclusive: true });
  const cancelled = await shop.bill([{ ...quarter, unitPrice: 92 }]);
  await shop.bill([{ unitPrice: 10, periodStart: "2027-02-01", periodEnd: "2027-03-31" }, { unitPrice: 5 }]);
  await shop.moveTo("2027-04-11");
  assert.equal((await shop.merchant.call("POST", `/invoices/${cancelled}/cancel`, {})).status, 200);
  const note = { customerId: shop.customerId, reason: "Half", invoiceId: credited };
  const noted = await shop.finance("POST", "/credit-notes", { ...note, amount: 28.75, taxRate: 15 });
  assert.equal(noted.status, 201, noted.text);
  await shop.moveTo("2027-05-02");
  const figures = async (month: string) => {
    const totals = await shop.read(month);
    return [totals.invoices, ...MOVEMENT.map((name) => totals[name])];
  };
  assert.deepEqual(await figures("2027-03"), [3, 0, 334 + 61 + 61, 0, 0, 456]);
  // Each quarter is 92.00 over 92 days; on 11 April 51.00 is deferred. The credit note leaves 26.00 for 51 days, 20 of them in April.
  assert.deepEqual(await figures("2027-04"), [3, 456, 0, 60.19, 51 + 25, 319.81]);
  let closing = 0;
  let earned = 0;
  let posted = 0;
  for (let at = 0; at < 14; at++) {
    const month = monthAt(at);
    const { data, totals } = await shop.summed(month);
    assert.equal(centsOf(totals.opening), closing, month);
    closing = centsOf(totals.closing);
    earned += centsOf(totals.earned);
    posted += centsOf(totals.posted);
    const list = `${path(month)}/invoices`;
    const first = (await shop.finance<{ data: DeferredInvoice[]; nextCursor: string }>("GET", `${list}?limit=1`)).body;
    const { data: rest } = (await shop.finance<typeof first>("GET", `${list}?startingAfter=${first.nextCursor}`)).body;
    assert.deepEqual([...first.data, ...(data.length > 1 ? rest : [])], data);
  }
  assert.deepEqual([closing, earned], [0, posted]);
  const csv = (await shop.finance("GET", `${path("2027-04")}/csv`)).text.trimEnd().split("\r\n");
  assert.equal(csv.length, 4);
  assert.match(
    csv.find((row) => row.includes(kept)) ?? "",
    /,1,'=Care,2027-03-01,2028-02-28,ZAR,365.00,334.00,0.00,30.00,0.00,304.00$/,
  );
  assert.equal((await shop.read("2027-04?currency=USD")).closing, 0);
  for (const [month, status] of [
    ["2027-13", 404],
    ["2027-03?currency=rand", 400],
    ["2027-03/invoices?startingAfter=cus_1", 400],
  ] as const)
    assert.equal((await shop.finance("GET", path(month))).status, status, month);
});

test("a month names the currencies of all invoices, also those in which it has only an opening balance", async () => {
  const shop = await open();
  assert.deepEqual((await shop.read("2027-03")).currencies, []);
  const year = { unitPrice: 365, periodStart: "2027-03-01", periodEnd: "2028-02-28" };
  const exchangeRates = ["USD", "EUR"].map((currency) => ({ currency, ...EXCHANGE }));
  assert.equal((await shop.admin("PATCH", "/settings", { exchangeRates })).status, 200);
  await shop.bill([year], { currency: "USD" });
  await shop.bill([year], { currency: "EUR" });
  await shop.bill([year], { currency: "USD" });
  await shop.moveTo("2027-04-02");
  assert.deepEqual((await shop.read("2027-04")).currencies, ["EUR", "USD"]);
  const { body } = await shop.finance<{ totals: object[] }>("GET", "/accounting/months/2027-04");
  assert.deepEqual(body.totals, []);
  assert.equal((await shop.read("2027-04?currency=USD")).opening, 2 * 334);
});

test("the totals of a month are those of its invoices one by one, whatever their periods, and whatever was taken back", async () => {
  const shop = await open();
  const rand = { min: 1, max: 999_999 };
  const line = fc.record({
    unitPrice: fc.integer(rand).map((amount) => amount / 100),
    start: fc.integer({ min: 0, max: 120 }),
    days: fc.integer({ min: 0, max: 400 }),
  });
  const invoices = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 12, maxLength: 12 });
  const dayAt = (at: number) => new Date(Date.UTC(2027, 0, 15 + at)).toISOString().slice(0, 10);
  await fc.assert(
    fc.asyncProperty(invoices, async (all) => {
      const made: string[] = [];
      for (const lines of all) {
        const periods = lines.map(({ start, days }) => ({ periodStart: dayAt(start), periodEnd: dayAt(start + days) }));
        made.push(await shop.bill(lines.map(({ unitPrice }, at) => ({ unitPrice, ...periods[at] }))));
        if (made.length === 4) await shop.moveTo("2027-03-20");
        if (made.length === 8) await shop.moveTo("2027-04-05");
      }
      for (const [at, day] of ["2027-04-10", "2027-05-08"].entries()) {
        await shop.moveTo(day);
        const cancel = `/invoices/${made[at * 5]}/cancel`;
        assert.equal((await shop.merchant.call("POST", cancel, {})).status, 200);
        const note = { customerId: shop.customerId, reason: "Part", invoiceId: made[at * 5 + 1], amount: 0.01 };
        assert.equal((await shop.finance("POST", "/credit-notes", note)).status, 201);
      }
      for (let at = 0; at < 18; at++) await shop.summed(monthAt(at));
    }),
    { numRuns: 1, endOnFailure: true },
  );
});
