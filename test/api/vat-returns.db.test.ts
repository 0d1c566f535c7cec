import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { vatQuestion } from "../../src/flows/accounting/vat-return.ts";
import { vatReturnCsv } from "../../src/flows/accounting/vat-return-csv.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { addTransfers } from "../support/eft.ts";
import { type InvoiceAnswer, openInvoicing } from "../support/invoices.ts";
import { addPayment, notify, reportedReversal } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { imported, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const MONTHS = ["2027-01", "2027-02", "2027-03"] as const;
type Month = (typeof MONTHS)[number];
const centsOf = (rand: unknown): number => Math.round(Number(rand) * 100);
interface VatReturn {
  readonly basis: string;
  readonly figures: readonly { field: string; description: string; amount: number; list: string | null }[];
}
interface VatRecord {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly amount: number;
}

/** A shop whose clock stands on 2027-03-01, with staff who look after its books. */
async function open() {
  const shop = await openInvoicing(api);
  await addTransfers(shop.merchant);
  const staff = await shop.merchant.signIn("finance");
  const read = async (month: string, query = "basis=payments") => {
    const { body, text: said } = await staff<VatReturn>("GET", `/accounting/vat201/${month}?${query}`);
    assert.ok(body.figures, said);
    return body;
  };
  const fields = async (month: string, query?: string) =>
    Object.fromEntries((await read(month, query)).figures.map(({ field, amount }) => [field, centsOf(amount)]));
  const takeBack = async (reference: string, cents: number) => {
    const { status } = await notify(api, shop.account, { reversal: reportedReversal(reference, { amount: cents }) });
    assert.equal(status, 200);
  };
  /** Cents that the books received in a month or made of credit; what banks took back of refunded money is nobody's. */
  const received = async (month: Month) => {
    const [row] = await api.query<{ sum: string }>(
      `select coalesce(sum(l.amount_cents), 0) as sum from journal_lines l
         join journal_entries e on e.organisation_id = l.organisation_id and e.id = l.entry_id
        where l.organisation_id = $1 and to_char(l.occurred_at at time zone 'Africa/Johannesburg', 'YYYY-MM') = $2
          and (l.account in ('bank', 'bank_reconciled', 'gateway_clearing', 'gateway_fees', 'customer_credit')
            or l.account = 'refunds' and e.kind = 'reversal')`,
      shop.merchant.organisation.id,
      month,
    );
    return Number(row?.sum);
  };
  return { ...shop, staff, read, fields, takeBack, received };
}
type Shop = Awaited<ReturnType<typeof open>>;

/** What the return should say, from what the API says of each invoice after each step. */
class Reckoner {
  readonly #shop: Shop;
  readonly #of = new Map<string, { invoice: InvoiceAnswer; moves: { month: Month; amount: number }[] }>();
  readonly #notes = { 1: 0, 2: 0, 3: 0, 18: 0 };
  constructor(shop: Shop) {
    this.#shop = shop;
  }
  add(invoice: InvoiceAnswer): void {
    this.#of.set(invoice.id, { invoice, moves: [] });
  }
  credited(gross: number, { untaxed, exempt, tax }: { untaxed: number; exempt: number; tax: number }): void {
    this.#notes[1] += gross;
    this.#notes[2] -= untaxed;
    this.#notes[3] -= exempt;
    this.#notes[18] += tax;
  }
  /** Reads every invoice again; `given`: what was refunded of one of them, by the ledger. */
  async step(month: Month, given: { id: string; amount: number } | null = null): Promise<void> {
    for (const one of this.#of.values()) {
      const now = await this.#shop.show(one.invoice.id);
      const cancelled = now.status === "cancelled" && one.invoice.status !== "cancelled";
      const amount = cancelled
        ? -balanceOf(one.moves)
        : now.status === "cancelled"
          ? 0
          : centsOf(now.amountPaid) - centsOf(one.invoice.amountPaid) - (given?.id === now.id ? given.amount : 0);
      if (amount !== 0) one.moves.push({ month, amount });
      one.invoice = now;
    }
  }
  /** The fields of each month, and all that was received in it. */
  figures() {
    const months = new Map(MONTHS.map((month) => [month, { 1: 0, 2: 0, 3: 0, 4: 0, 18: 0, gross: 0 }]));
    for (const { invoice, moves } of this.#of.values()) {
      const { untaxed, exempt } = withoutVat(invoice);
      const total = centsOf(invoice.total);
      const share = (of: number, held: number) =>
        Number((2n * BigInt(of) * BigInt(held) + BigInt(total)) / (2n * BigInt(total)));
      let held = 0;
      for (const { month, amount } of MONTHS.flatMap((one) => moves.filter((move) => move.month === one))) {
        const sums = months.get(month);
        const next = Math.max(0, held + amount);
        // Two payments of an earlier day that were taken back later: no more than the invoice counts.
        const [from, to] = [Math.min(held, total), Math.min(next, total)];
        assert.ok(sums);
        const standard = total - untaxed - exempt;
        const taxed = share(standard, to) - share(standard, from);
        const unmarked = to - from - (share(total - untaxed, to) - share(total - untaxed, from));
        const tax = share(centsOf(invoice.taxAmount), to) - share(centsOf(invoice.taxAmount), from);
        sums[1] += Math.max(0, taxed);
        sums[2] += unmarked;
        sums[3] += to - from - taxed - unmarked;
        sums[tax > 0 ? 4 : 18] += Math.abs(tax);
        sums.gross += next - held;
        held = next;
      }
    }
    const march = months.get("2027-03");
    assert.ok(march);
    march[2] += this.#notes[2];
    march[3] += this.#notes[3];
    march[18] += this.#notes[18];
    march.gross -= this.#notes[1];
    return months;
  }
  /** Fields 2 and 3 of March on the invoice basis: what was issued in it, less what was cancelled or credited. */
  issued(): { 2: number; 3: number } {
    const left = [...this.#of.values()].flatMap(({ invoice }) =>
      invoice.status === "cancelled" ? [] : withoutVat(invoice),
    );
    const [untaxed, exempt] = [left.map((one) => one.untaxed), left.map((one) => one.exempt)];
    const sum = (of: number[], first: number) => of.reduce((total, one) => total + one, first);
    return { 2: sum(untaxed, this.#notes[2]), 3: sum(exempt, this.#notes[3]) };
  }
}
/** Cents of an invoice's lines at 0%: those that are marked as exempt apart from the others. */
function withoutVat({ lines }: InvoiceAnswer): { untaxed: number; exempt: number } {
  const sums = { untaxed: 0, exempt: 0 };
  for (const line of lines)
    if (line["taxRate"] === 0) sums[line["taxExempt"] === true ? "exempt" : "untaxed"] += centsOf(line["amount"]);
  return sums;
}
const balanceOf = (moves: readonly { amount: number }[]) =>
  moves.reduce((held, { amount }) => Math.max(0, held + amount), 0);

const line = fc
  .record({
    unitPrice: fc.integer({ min: 1, max: 9_999 }).map((of) => of / 100),
    tax: fc.constantFrom({ taxRate: 0 }, { taxRate: 15 }, { taxExempt: true }, { taxRate: 0, taxExempt: true }),
  })
  .map(({ unitPrice, tax }) => ({ unitPrice, ...tax }));
const part = fc.integer({ min: 1, max: 100 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant("by hand" as const), part, month: fc.constantFrom(...MONTHS) }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("online" as const), part: fc.integer({ min: 1, max: 130 }) }) },
  fc.record({ what: fc.constant("refund" as const), part }),
  fc.record({ what: fc.constant("taken back" as const), part }),
  fc.record({ what: fc.constant("credit" as const), part }),
  fc.record({ what: fc.constant("matched and undone" as const), part }),
  fc.record({ what: fc.constant("cancel" as const), part }),
);

/** Does one thing to an invoice, as far as it is possible, and tells the reckoner. */
async function act(
  shop: Shop,
  reckoner: Reckoner,
  id: string,
  paid: Map<string, string>,
  one: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
) {
  const due = centsOf((await shop.show(id)).amountDue);
  const some = Math.max(1, Math.floor((due * one.part) / 100));
  const reference = paid.get(id);
  const { status } = await shop.show(id);
  const open = due > 0 && status !== "cancelled";
  if (one.what === "by hand" && open) {
    const paidAt = one.month === "2027-03" ? "2027-03-01T10:00:00Z" : `${one.month}-10T10:00:00Z`;
    const answer = await shop.payOffline(id, Math.min(some, due) / 100, { paidAt });
    assert.equal(answer.status, 201, answer.text);
    await reckoner.step(one.month);
  } else if (one.what === "online" && open) {
    paid.set(id, await shop.payOnline(id, some / 100));
    await reckoner.step("2027-03");
  } else if (one.what === "refund" && reference) {
    const given = (await shop.books())["refunds"] ?? 0;
    await shop.staff("POST", `/transactions/${reference}/refunds`, { amount: one.part / 10, method: "manual" });
    await reckoner.step("2027-03", { id, amount: ((await shop.books())["refunds"] ?? 0) - given });
  } else if (one.what === "taken back" && reference) {
    const { body } = await shop.merchant.get(`/transactions/${reference}`);
    await shop.takeBack(reference, Math.max(1, Math.floor((centsOf(body["amount"]) * one.part) / 100)));
    await reckoner.step("2027-03");
  } else if (one.what === "credit") {
    const lines = [
      { amount: 1.15, taxRate: 15 },
      { amount: one.part / 100, taxRate: 0 },
      { amount: 0.07, taxExempt: true },
    ];
    const body = { customerId: shop.customerId, reason: "Wrong", lines };
    assert.equal((await shop.staff("POST", "/credit-notes", body)).status, 201);
    reckoner.credited(122 + one.part, { untaxed: one.part, exempt: 7, tax: 15 });
    await reckoner.step("2027-03");
  } else if (one.what === "matched and undone" && open) {
    const run = await imported(shop.staff, statementOf(["2027-02-20", `SOME ${Math.random()}`, some / 100]));
    const item = `/reconciliation/items/${run.items[0]?.id}`;
    const allocations = [{ kind: "invoice", invoiceId: id, amount: Math.min(some, due) / 100 }];
    if (some > due) return;
    const matched = await shop.staff("POST", `${item}/match`, { allocations });
    assert.equal(matched.status, 200, matched.text);
    await reckoner.step("2027-02");
    assert.equal((await shop.staff("POST", `${item}/unmatch`)).status, 200);
    await reckoner.step("2027-03");
  } else if (one.what === "cancel" && open) {
    assert.equal((await shop.act(id, "cancel", {})).status, 200);
    await reckoner.step("2027-03");
  }
}

test("the return is what was received, or issued, by the cent, and each figure its records", async () => {
  const invoice = fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 3 }), taxInclusive: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(invoice, { minLength: 1, maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(), step), { minLength: 3, maxLength: 9 }),
      async (invoices, steps) => {
        const shop = await open();
        const reckoner = new Reckoner(shop);
        const paid = new Map<string, string>();
        const ids: string[] = [];
        for (const { lines, taxInclusive } of invoices) {
          const asked = lines.map((one) => ({ description: "Work", quantity: 1, ...one }));
          const { body } = await shop.create({ lines: asked, taxInclusive, send: true });
          reckoner.add({ ...body, amountPaid: 0 });
          ids.push(body.id);
        }
        for (const [at, one] of steps) await act(shop, reckoner, String(ids[at % ids.length]), paid, one);
        for (const [month, expected] of reckoner.figures()) {
          assert.equal(expected.gross, await shop.received(month), `${month}: as the ledger`);
          const found = await shop.fields(month);
          const { 1: standard, 2: untaxed, 3: exempt, 4: output, 18: credited } = expected;
          assert.partialDeepStrictEqual(
            found,
            {
              ...{ 1: standard, 2: untaxed, 3: exempt, 4: output, 13: output },
              ...{ 18: credited, 19: credited, 20: output - credited },
            },
            month,
          );
          const figures = [month, "2027-03"].map((of, at) => shop.read(of, at === 0 ? undefined : "basis=invoice"));
          for (const { amount, list } of (await Promise.all(figures)).flatMap((one) => one.figures)) {
            if (!list) continue;
            const { body } = await shop.staff<{ data: VatRecord[] }>("GET", `${list}&limit=100`);
            const sum = body.data.reduce((total, record) => total + centsOf(record.amount), 0);
            assert.equal(sum, centsOf(amount), list);
          }
        }
        assert.partialDeepStrictEqual(await shop.fields("2027-03", "basis=invoice"), reckoner.issued());
        const ctx = await shop.merchant.ctx();
        const asked = vatQuestion("2027-03-01" as CalendarDay, { basis: "payments", months: "2" });
        /** The file's rows, whatever their order, of pieces of so many lines of the books. */
        const file = async (lines: number) =>
          (await text(await vatReturnCsv(api.services, ctx, asked, lines))).split("\r\n").toSorted();
        assert.deepEqual(await file(0), await file(1000), "a piece is as the whole");
        const [february, march, both] = [
          await shop.fields("2027-02"),
          await shop.fields("2027-03"),
          await shop.fields("2027-03", "basis=payments&months=2"),
        ];
        for (const field of ["1", "2", "3", "20"])
          assert.equal(both[field], (february[field] ?? 0) + (march[field] ?? 0), field);
      },
    ),
    { numRuns: 6 },
  );
});

test("a payment without an invoice counts with its own VAT, a refund and a reversal with their parts of it", async () => {
  const shop = await open();
  const admin = await shop.merchant.signIn("admin");
  const book = { name: "Book", amount: 115, taxRate: 15 };
  const { body: product, text: made } = await admin<{ id: string }>("POST", "/products", book);
  assert.ok(product.id, made);
  const { body: link, text: answered } = await shop.merchant.post("/payment-links", {
    title: "Book",
    amount: 115,
    productId: product.id,
  });
  assert.ok(link["id"], answered);
  const reference = await addPayment(api, shop.merchant, shop.account, { linkId: String(link["id"]), cents: 11_500 });
  await shop.complete(reference, 115);
  const free = await addPayment(api, shop.merchant, shop.account, { cents: 5_000 });
  await shop.complete(free, 50);
  assert.partialDeepStrictEqual(await shop.fields("2027-03"), { 1: 11_500, 2: 5_000, 4: 1_500, 18: 0, 20: 1_500 });
  const refund = await shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 23, method: "manual" });
  assert.equal(refund.status, 201, refund.text);
  assert.partialDeepStrictEqual(await shop.fields("2027-03"), { 1: 11_500, 18: 300, 20: 1_200 });
  assert.partialDeepStrictEqual(await shop.fields("2027-03", "basis=invoice"), { 1: 11_500, 18: 300, 20: 1_200 });
  await shop.takeBack(reference, 11_500);
  assert.partialDeepStrictEqual(await shop.fields("2027-03"), { 1: 11_500, 18: 1_500, 20: 0 }, "given back once");
});

test("what supplies without VAT and without a mark are is asked for: exempt ones are field 3", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  await shop.payOffline(invoice.id, 40, { paidAt: "2027-02-10T10:00:00Z" });
  for (const [query, expected] of [
    ["basis=payments&untaxed=exempt&months=2", { 2: 0, 3: 4_000 }],
    ["basis=payments&untaxed=zero_rated&months=2", { 2: 4_000, 3: 0 }],
    ["untaxed=exempt", { 2: 0, 3: 10_000 }],
    ["", { 2: 10_000, 3: 0 }],
  ] as const)
    assert.partialDeepStrictEqual(await shop.fields("2027-03", query), expected, query);
  const records = `/accounting/vat201/2027-02/records?basis=payments&untaxed=exempt&field=`;
  const of = async (field: string) => (await shop.staff<{ data: VatRecord[] }>("GET", `${records}${field}`)).body.data;
  assert.deepEqual(
    (await of("3")).map(({ kind, amount }) => [kind, amount]),
    [["offline_payment", 40]],
  );
  assert.deepEqual(await of("2"), []);
  const file = async (kind: string) => shop.staff("GET", `/accounting/vat201/2027-03/${kind}?untaxed=exempt`);
  const csv = (await file("csv")).text.split("\r\n");
  assert.deepEqual(
    csv.filter((row) => row.startsWith("3,")).map((row) => row.split(",")[2]),
    ["100.00", "100.00"],
    "the figure, and its entry",
  );
  const pdf = await file("pdf");
  assert.deepEqual([pdf.status, pdf.text.slice(0, 5)], [200, "%PDF-"]);
  for (const query of ["basis=cash", "untaxed=free", "months=3"])
    assert.equal((await shop.staff("GET", `/accounting/vat201/2027-03?${query}`)).status, 400, query);
});

test("the first and the last month that dates can name are read, and a period that begins before them is no period", async () => {
  const shop = await open();
  const last = await shop.staff<{ from: string; to: string }>("GET", "/accounting/vat201/9999-12?months=2");
  assert.deepEqual([last.status, last.body.from, last.body.to], [200, "9999-11-01", "9999-12-31"], last.text);
  assert.equal((await shop.staff("GET", "/accounting/vat201/9999-12/pdf")).status, 200);
  assert.equal((await shop.staff("GET", "/accounting/vat201/0001-02")).status, 200);
  const before = await shop.staff<{ error: string }>("GET", "/accounting/vat201/0001-02?months=2");
  assert.deepEqual([before.status, before.body.error], [404, "not_found"], before.text);
});
