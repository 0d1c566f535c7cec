import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addTransfers } from "../support/eft.ts";
import { type InvoiceAnswer, LINE, openInvoicing } from "../support/invoices.ts";
import { notify, reportedReversal } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { imported, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const DAYS = ["2027-03-01", "2027-04-10", "2027-07-20"] as const;
const AGES = ["current", "days30", "days60", "days90", "days120", "older"] as const;
type Amounts = Readonly<Record<(typeof AGES)[number] | "total" | "credit", number>>;
interface Statement {
  readonly from: string;
  readonly to: string;
  readonly opening: number;
  readonly closing: number;
  readonly movements: readonly { amount: number; balance: number }[];
}
const centsOf = (rand: unknown): number => Math.round(Number(rand) * 100);

/** A shop with two customers and staff who look after its books. */
async function open() {
  const shop = await openInvoicing(api);
  await addTransfers(shop.merchant);
  const staff = await shop.merchant.signIn("finance");
  const admin = await shop.merchant.signIn("admin");
  const other = await shop.merchant.post<{ id: string }>("/customers", { company: "=Karoo", email: "k@example.co.za" });
  const moveTo = async (day: string) =>
    assert.equal((await admin("POST", "/test-clock", { now: `${day}T10:00:00.000Z` })).status, 200);
  /** What the ledger says that a customer owed at the end of a day, and the customer's credit, in cents. */
  const ledger = async (customer: string, day: string) => {
    const rows = await api.query<{ account: string; sum: string }>(
      `select account, sum(amount_cents) from journal_lines where organisation_id = $1 and customer_id = $2
          and (occurred_at at time zone 'Africa/Johannesburg')::date <= $3::date group by account`,
      shop.merchant.organisation.id,
      customer,
      day,
    );
    const of = (account: string) => Number(rows.find((row) => row.account === account)?.sum ?? 0);
    return { total: of("receivable"), credit: 0 - of("customer_credit") };
  };
  const aged = async (day: string) => {
    const totals = await staff<Amounts & { debtors: number }>("GET", `/accounting/aged-debtors?asAt=${day}`);
    const path = `/accounting/aged-debtors/customers?asAt=${day}`;
    const list = await staff<{ data: (Amounts & { id: string; name: string })[] }>("GET", path);
    assert.equal(totals.status, 200, totals.text);
    assert.equal(list.status, 200, list.text);
    return { totals: totals.body, customers: list.body.data };
  };
  return { ...shop, staff, moveTo, ledger, aged, customers: [shop.customerId, other.body.id] };
}
type Shop = Awaited<ReturnType<typeof open>>;

const step = fc.record({
  what: fc.constantFrom("owe", "by hand", "online", "taken back", "credit", "matched and undone", "cancel"),
  who: fc.constantFrom(0, 1),
  which: fc.nat(),
  part: fc.integer({ min: 1, max: 140 }),
  days: fc.integer({ min: 0, max: 100 }),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Does one thing on a day, as far as it is possible. */
async function act(shop: Shop, day: string, invoices: { id: string; reference?: string }[], one: Step) {
  const customerId = shop.customers[one.who];
  const invoice = invoices[one.which % invoices.length];
  if (one.what === "owe" || !invoice) {
    const dueDate = new Date(Date.parse(day) + one.days * 86_400_000).toISOString().slice(0, 10);
    const { body } = await shop.create({ customerId, lines: [LINE], dueDate, issueDate: day, send: true });
    invoices.push({ id: body.id });
  } else if (one.what === "credit") {
    const body = { customerId, reason: "Wrong", amount: one.part / 10, taxRate: 15 };
    assert.equal((await shop.staff("POST", "/credit-notes", body)).status, 201);
  } else if (one.what === "taken back") {
    if (!invoice.reference) return;
    const reversal = reportedReversal(invoice.reference, { amount: one.part * 10 });
    assert.equal((await notify(api, shop.account, { reversal })).status, 200);
  } else {
    const due = centsOf((await shop.show(invoice.id)).amountDue);
    const some = Math.max(1, Math.min(due, Math.floor((due * one.part) / 100))) / 100;
    if (due === 0 || (await shop.show(invoice.id)).status === "cancelled") return;
    if (one.what === "by hand") await shop.payOffline(invoice.id, some);
    if (one.what === "online")
      invoice.reference = await shop.payOnline(invoice.id, Math.round(due * one.part) / 10_000);
    if (one.what === "cancel") await shop.act(invoice.id, "cancel", {});
    if (one.what !== "matched and undone") return;
    const run = await imported(shop.staff, statementOf([day, `SOME ${invoice.id} ${one.part}`, some]));
    const item = `/reconciliation/items/${run.items[0]?.id}`;
    const allocations = [{ kind: "invoice", invoiceId: invoice.id, amount: some }];
    assert.equal((await shop.staff("POST", `${item}/match`, { allocations })).status, 200);
    assert.equal((await shop.staff("POST", `${item}/unmatch`)).status, 200);
  }
}

/** Open amounts in cents by age on a day, of the invoices as they were then. */
function agesOf(invoices: readonly InvoiceAnswer[], day: string) {
  const sums = { current: 0, days30: 0, days60: 0, days90: 0, days120: 0, older: 0 };
  for (const { status, amountDue, dueDate } of invoices) {
    if (status === "cancelled") continue;
    const due = new Date(new Date(String(dueDate)).getTime() + 2 * 3_600_000).toISOString().slice(0, 10);
    const late = Math.max(0, Math.round((Date.parse(day) - Date.parse(due)) / 86_400_000));
    sums[AGES[late > 120 ? 5 : Math.ceil(late / 30)] ?? "older"] += centsOf(amountDue);
  }
  return sums;
}

test("aged debtors of a day are the invoices of that day, and the ledger's receivables and credit; statements too", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: DAYS.length, maxLength: DAYS.length }),
      async (stages) => {
        const shop = await open();
        const invoices: { id: string; reference?: string }[] = [];
        const then = new Map<string, InvoiceAnswer[]>();
        for (const [at, day] of DAYS.entries()) {
          if (at > 0) await shop.moveTo(day);
          for (const one of stages[at] ?? []) await act(shop, day, invoices, one);
          then.set(day, await Promise.all(invoices.map(({ id }) => shop.show(id))));
        }
        const closings = new Map<string, number>();
        for (const day of DAYS) {
          const { totals, customers } = await shop.aged(day);
          const all = agesOf(then.get(day) ?? [], day);
          for (const age of AGES) assert.equal(centsOf(totals[age]), all[age], `${day} ${age}`);
          assert.equal(customers.length, totals.debtors);
          for (const id of shop.customers) {
            const found = customers.find((one) => one.id === id);
            const expected = await shop.ledger(id, day);
            const { total, credit } = { total: centsOf(found?.total ?? 0), credit: centsOf(found?.credit ?? 0) };
            assert.deepEqual({ total, credit }, expected, `${day} ${id}`);
            const mine = (then.get(day) ?? []).filter((one) => one["customerId"] === id || customerOf(one) === id);
            const ages = agesOf(mine, day);
            if (found) for (const age of AGES) assert.equal(centsOf(found[age]), ages[age], `${day} ${id} ${age}`);
            const from = DAYS[DAYS.indexOf(day) - 1];
            const path = `/customers/${id}/statement?from=${from ? nextDay(from) : "2027-02-01"}&to=${day}`;
            const { body, text } = await shop.staff<Statement>("GET", path);
            assert.equal(centsOf(body.closing), expected.total - expected.credit, text);
            assert.equal(centsOf(body.opening), (from && closings.get(`${id} ${from}`)) ?? 0, text);
            const moved = body.movements.reduce((sum, { amount }) => sum + centsOf(amount), centsOf(body.opening));
            assert.equal(moved, centsOf(body.closing));
            closings.set(`${id} ${day}`, centsOf(body.closing));
          }
        }
      },
    ),
    { numRuns: 5 },
  );
});

const customerOf = (invoice: InvoiceAnswer) => (invoice["customer"] as { id?: string } | undefined)?.id;
const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

test("both are files; what is asked for wrongly is told", async () => {
  const shop = await open();
  const [, karoo] = shop.customers;
  await shop.create({ customerId: karoo, lines: [LINE], send: true });
  const csv = await shop.staff("GET", "/accounting/aged-debtors/csv");
  assert.match(csv.text, /^customerId,name,asAt,currency,current,days30,days60,days90,days120,older,total,credit\r\n/);
  assert.match(csv.text, /,'=Karoo,2027-03-01,ZAR,115\.00,0\.00,0\.00,0\.00,0\.00,0\.00,115\.00,0\.00\r\n$/);
  const of = (kind: string, query = "") => shop.staff("GET", `/customers/${karoo}/statement${kind}${query}`);
  assert.deepEqual((await of("/csv")).text.split("\r\n").slice(0, 2), [
    "date,description,amount,balance",
    "2027-02-01,Opening balance,,0.00",
  ]);
  assert.equal((await of("/pdf")).text.slice(0, 5), "%PDF-");
  for (const [kind, query, status] of [
    ["", "?from=2027-03-02&to=2027-03-01", 400],
    ["/csv", "?from=2025-03-02&to=2027-03-01", 400],
    ["/pdf", "?from=yesterday", 400],
    ["", "?currency=rand", 400],
  ] as const)
    assert.equal((await of(kind, query)).status, status, query);
  assert.equal((await shop.staff("GET", "/customers/cus_none/statement")).status, 404);
  assert.equal((await shop.staff("GET", "/accounting/aged-debtors?asAt=2027-02-30")).status, 400);
});
