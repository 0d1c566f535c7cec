import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recordRefundAndNote } from "../../src/flows/credit-notes/refund-credit-note.ts";
import { applyRefundFact } from "../../src/flows/payments/apply-refund.ts";
import { refundFact } from "../../src/gateways/sandbox/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import type { Tx } from "../../src/platform/database.ts";
import { type Answer, openApi, type TestApi } from "../support/api.ts";
import { type CreditNoteAnswer, exempt, type InvoiceAnswer, LINE, NOW, openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Refunded {
  readonly status: string;
  readonly refundedAmount: number;
  readonly creditNote?: { readonly id: string; readonly number: string };
}

/** A shop with an invoice of 115.00 for work and 60.00 for rent without VAT, which is paid online. */
async function openPaid(lines: readonly object[] = [LINE, exempt(60)]) {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  const { body: invoice } = await shop.create({ lines, send: true });
  const reference = await shop.payOnline(invoice.id, invoice.total);
  const refund = (of: string, body: object): Promise<Answer<Refunded>> =>
    staff<Refunded>("POST", `/transactions/${of}/refunds`, { method: "manual", ...body });
  const note = async (id: string | undefined) =>
    (await shop.merchant.get<CreditNoteAnswer & { lines: object[] }>(`/credit-notes/${id}`)).body;
  const vat = async (basis: "invoice" | "payments") => {
    const { body } = await staff<{ figures: { field: string; amount: number }[] }>(
      "GET",
      `/accounting/vat201/2027-03?basis=${basis}`,
    );
    return Object.fromEntries(body.figures.map(({ field, amount }) => [field, amount]));
  };
  return { shop, staff, invoice, reference, refund, note, vat };
}

test("a refund with a credit note: the note is of the invoice's rates, settled by the refund, and no credit is left", async () => {
  const { shop, invoice, reference, refund, note } = await openPaid();
  const { status, body, text } = await refund(reference, { amount: 175, creditNote: true, reason: "Cancelled order" });
  assert.equal(status, 201, text);
  assert.deepEqual([body.status, body.refundedAmount, body.creditNote?.number], ["refunded", 175, "CN-000001"]);
  const issued = await note(body.creditNote?.id);
  assert.partialDeepStrictEqual(issued, { status: "applied", amount: 175, remaining: 0, applications: [] });
  assert.deepEqual(issued.lines, [
    { description: "Cancelled order", taxRate: 15, taxAmount: 15, amount: 115 },
    { description: "Cancelled order", taxRate: 0, taxAmount: 0, amount: 60 },
  ]);
  const { bank, gateway_clearing = 0, gateway_fees = 0, ...rest } = await shop.books();
  assert.deepEqual([rest, bank, gateway_clearing + gateway_fees], [{}, -175_00, 175_00], "nothing is owed or earned");
  assert.equal((await shop.standing())["credit"], 0);
  assert.equal((await shop.owe(50)).amountDue, 50, "the next invoice is not reduced");
  assert.equal((await shop.show(invoice.id)).status, "paid");
});

test("the VAT of a refund with its credit note is right on both bases, without an entry by hand", async () => {
  const { reference, refund, vat } = await openPaid([LINE]);
  for (const basis of ["invoice", "payments"] as const)
    assert.partialDeepStrictEqual(await vat(basis), { 13: 15, 20: 15 });
  await refund(reference, { amount: 57.5, creditNote: true });
  for (const basis of ["invoice", "payments"] as const)
    assert.partialDeepStrictEqual(await vat(basis), { 13: 15, 18: 7.5, 20: 7.5 }, basis);
  await refund(reference, { creditNote: true });
  for (const basis of ["invoice", "payments"] as const)
    assert.partialDeepStrictEqual(await vat(basis), { 13: 15, 18: 15, 20: 0 }, basis);
});

test("through the gateway the note is issued when the gateway has accepted the refund, once", async () => {
  const { shop, reference, note } = await openPaid([LINE]);
  const ctx = await shop.merchant.ctx();
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => api.services.db.transaction(ctx.organisation.id, work);
  const notes = async () => (await shop.merchant.get<{ data: CreditNoteAnswer[] }>("/credit-notes")).body.data;
  const order = { amount: cents(115_00), reason: null, method: "gateway", creditNote: true } as const;
  const asked = await inTx((tx) => recordRefundAndNote(tx, ctx, reference, order));
  assert.deepEqual([asked.note, await notes()], [null, []], "the gateway has not answered");
  const by = { accountId: shop.account.id, source: "query" } as const;
  const fact = (status: "pending" | "processed") =>
    refundFact({
      id: `sbr_${asked.refund.id}`,
      refundId: asked.refund.id,
      reference,
      amount: 115_00,
      status,
      reason: null,
      occurredAt: NOW,
    });
  for (const status of ["pending", "processed", "processed"] as const)
    await inTx((tx) => applyRefundFact(tx, ctx, by, fact(status)));
  const [issued, ...others] = await notes();
  assert.deepEqual([others, (await note(issued?.id)).remaining], [[], 0]);
});

test("of a part-paid invoice the refund is credited, and the rest stays due", async () => {
  const { shop, refund } = await openPaid();
  const owed = await shop.owe(100);
  const part = await shop.payOnline(owed.id, 60);
  assert.equal((await refund(part, { creditNote: true })).status, 201);
  assert.partialDeepStrictEqual(await shop.show(owed.id), { status: "partially_paid", amountDue: 40 });
});

test("what is refused, and that nothing is written then", async () => {
  const { shop, staff, invoice, reference, refund } = await openPaid([LINE]);
  const written = () => api.query("select id from refunds where organisation_id = $1", shop.merchant.organisation.id);
  await staff("POST", "/credit-notes", { invoiceId: invoice.id, amount: 100, reason: "A mistake" });
  const more = await refund(reference, { amount: 50, creditNote: true });
  assert.equal(more.status, 400);
  assert.match(more.text, /At most R\s15\.00 of the invoice is left to credit/);
  assert.deepEqual(await written(), []);
});

test("what returns an overpayment needs no note: the note is for the part that paid the invoice", async () => {
  const { shop, refund } = await openPaid([LINE]);
  const over = await shop.owe(10);
  const overpaid = await shop.payOnline(over.id, 30);
  const onlyCredit = await refund(overpaid, { amount: 20, creditNote: true });
  assert.equal(onlyCredit.status, 400);
  assert.match(onlyCredit.text, /overpayment/);
  const withRest = await refund(overpaid, { amount: 30, creditNote: true });
  assert.equal(withRest.status, 201, withRest.text);
  const [issued] = await api.query<{ amount_cents: string }>(
    "select amount_cents from credit_notes where organisation_id = $1 and invoice_id = $2",
    shop.merchant.organisation.id,
    over.id,
  );
  assert.equal(issued?.amount_cents, "1000", "the part that paid the invoice");
});

test("events: a refund by hand is created and processed at once, with the refund beside the payment", async () => {
  const { shop, reference, refund } = await openPaid([LINE]);
  await refund(reference, { amount: 15, creditNote: true });
  const events = await shop.eventsOf(reference);
  const told = events.filter(({ type }) => type.startsWith("refund."));
  assert.deepEqual(
    told.map(({ type, data }) => [type, data["reference"], (data["refund"] as Record<string, unknown>)["status"]]),
    [
      ["refund.created", reference, "processed"],
      ["refund.processed", reference, "processed"],
    ],
  );
});

test("property: after any refunds with notes, the customer has no credit, and revenue and VAT are what was kept", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 5 }), async (parts) => {
      const { shop, invoice, reference, refund } = await openPaid();
      let left = Math.round(invoice.total * 100);
      for (const part of parts) {
        const amount = Math.min(part, left);
        const { status } = await refund(reference, { amount: amount / 100, creditNote: true });
        assert.equal(status, amount > 0 ? 201 : 400);
        left -= amount;
      }
      const { receivable = 0, customer_credit = 0, refunds = 0, revenue = 0, vat_output = 0 } = await shop.books();
      assert.deepEqual([receivable, customer_credit, refunds], [0, 0, 0]);
      assert.equal(revenue + vat_output + left, 0);
    }),
    { numRuns: 6 },
  );
});

test("two at once: one note for each refund, and no more than the invoice", async () => {
  const { shop, reference, refund } = await openPaid([LINE]);
  const answers = await Promise.all([1, 2, 3].map(() => refund(reference, { amount: 50, creditNote: true })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 400]);
  const notes = await shop.merchant.get<{ data: InvoiceAnswer[] }>("/credit-notes");
  assert.equal(notes.body.data.length, 2);
});
