import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Merchant, openMerchant } from "../../../test/support/merchant.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { newId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, type BusinessDay, instant } from "../../kernel/time.ts";
import { listEmails } from "../../modules/emails/store.ts";
import type { Email } from "../../modules/emails/types.ts";
import { InvoiceCreate } from "../../modules/invoices/schema.ts";
import { saveInvoice } from "../../modules/invoices/store.ts";
import { newTransaction } from "../../modules/payments/rules.ts";
import { advance, insertTransaction, listTransactions } from "../../modules/payments/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, contextFor, SYSTEM } from "../context.ts";
import { upsertCustomer } from "../customers/save-customer.ts";
import { createGatewayAccount } from "../gateways/save-account.ts";
import { createInvoice } from "../invoices/create-invoice.ts";
import { mailInvoice, mailInvoiceReminder, mailQuote } from "./document-mails.ts";
import { alertProof, mailEftDetails, mailEftRejected, mailEftReminder } from "./eft-mails.ts";
import { mailReceipts } from "./payer-mails.ts";

let merchant: Merchant;
let ctx: Ctx;
before(async () => {
  merchant = await openMerchant([]);
  ctx = {
    ...contextFor(merchant.dashboard.services, merchant.organisation, SYSTEM),
    now: instant("2026-11-20T12:00:00Z"),
  };
});
after(() => merchant.close());

const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  merchant.dashboard.services.db.transaction(merchant.organisation.id, work);
const mailsTo = (recipient: string): Promise<Email[]> => inTx((tx) => listEmails(tx, { recipient, limit: 100 }));

const invoiceOf = (email: string | null) => ({
  id: newId("inv"),
  number: "INV-000017",
  customer: { email },
  currency: "ZAR",
  issueDate: "2026-11-06" as BusinessDay,
  dueDate: "2026-11-20" as BusinessDay,
  subtotal: cents(10000),
  tax: cents(1500),
  total: cents(11500),
  paid: cents(1500),
  notes: null,
  lines: [{ description: "Atlas", quantity: "1" as Decimal, amount: cents(10000) }],
});
const orderOf = (facts: { customerId?: string; payerEmail?: string }) => ({
  id: newId("eft"),
  reference: "TEFO-20261120-9F3A1C0B",
  amount: cents(11500),
  currency: "ZAR",
  description: null,
  customerId: null,
  payerEmail: null,
  expiresAt: instant("2026-11-27T12:00:00Z"),
  rejectionReason: "Not our account.",
  ...facts,
});
const bank = { bankName: "B", accountName: "N", accountNumber: "1", branchCode: "2", accountType: "current" };
const url = "https://tefo.example/page";

test("an invoice is mailed each time it is sent, with what is open and where to pay it", async () => {
  const invoice = invoiceOf("sent@example.co.za");
  for (const _ of [1, 2]) assert.equal(await inTx((tx) => mailInvoice(tx, ctx, invoice, url)), true);
  const mails = await mailsTo("sent@example.co.za");
  assert.equal(mails.length, 2);
  const [mail] = mails;
  assert.deepEqual(
    [mail?.kind, mail?.fromName, mail?.subject],
    ["invoice", "Thandi's Shop", "Invoice INV-000017 from Thandi's Shop: R 100.00"],
  );
  assert.ok(mail?.text.includes(url));
});

test("a reminder goes once a day, whoever asks for it twice", async () => {
  const invoice = invoiceOf("late@example.co.za");
  const remind = (at: Ctx) => inTx((tx) => mailInvoiceReminder(tx, at, invoice, null, "after"));
  for (const at of [ctx, ctx, { ...ctx, now: addSeconds(ctx.now, 7 * 86_400) }]) assert.equal(await remind(at), true);
  assert.deepEqual(
    (await mailsTo("late@example.co.za")).map(({ kind }) => kind),
    ["invoice_reminder", "invoice_reminder"],
  );
});

test("a quote is mailed with its page", async () => {
  const quote = { ...invoiceOf("quoted@example.co.za"), id: newId("quo"), taxInclusive: true, expiryDate: null };
  assert.equal(await inTx((tx) => mailQuote(tx, ctx, quote, url)), true);
  const [mail] = await mailsTo("quoted@example.co.za");
  assert.ok(mail?.text.includes(url));
});

test("bank details go to the payer, else to the customer; details and reminder once, a rejection each time", async () => {
  const customerId = await inTx(async (tx) => {
    const { customer } = await upsertCustomer(tx, ctx, { email: "customer@example.co.za" });
    return customer.id;
  });
  for (const order of [orderOf({ customerId }), orderOf({ customerId, payerEmail: "payer@example.co.za" })])
    for (const _ of [1, 2])
      await inTx(async (tx) => {
        assert.equal(await mailEftDetails(tx, ctx, order, bank, url), true);
        assert.equal(await mailEftReminder(tx, ctx, order, bank, url), true);
        assert.equal(await mailEftRejected(tx, ctx, order, url), true);
      });
  for (const to of ["customer@example.co.za", "payer@example.co.za"])
    assert.deepEqual((await mailsTo(to)).map(({ kind }) => kind).sort(), [
      "eft_details",
      "eft_rejected",
      "eft_rejected",
      "eft_reminder",
    ]);
});

test("without an address nothing is recorded, and that is said", async () => {
  const before = (await inTx((tx) => listEmails(tx, { limit: 100 }))).length;
  const [invoice, order] = [invoiceOf(null), orderOf({})];
  const quote = { ...invoice, id: newId("quo"), taxInclusive: true, expiryDate: null };
  const done = await inTx((tx) =>
    Promise.all([
      mailInvoice(tx, ctx, invoice, url),
      mailInvoiceReminder(tx, ctx, invoice, url, "before"),
      mailQuote(tx, ctx, quote, url),
      mailEftDetails(tx, ctx, order, bank, url),
      mailEftReminder(tx, ctx, order, bank, url),
      mailEftRejected(tx, ctx, order, url),
    ]),
  );
  assert.deepEqual(done, [false, false, false, false, false, false]);
  assert.equal((await inTx((tx) => listEmails(tx, { limit: 100 }))).length, before);
});

test("the receipt of a bank transfer for an invoice names both, and what is still open", async () => {
  const account = await inTx((tx) =>
    createGatewayAccount(tx, ctx, {
      type: "manual_eft",
      credentials: { ...bank, accountNumber: "6200001234", branchCode: "250655" },
    }),
  );
  const number = await inTx(async (tx) => {
    const lines = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
    const { customer } = await upsertCustomer(tx, ctx, { email: "invoiced@example.co.za" });
    const body = InvoiceCreate.parse({ customerId: customer.id, lines, send: true });
    const { invoice } = await createInvoice(tx, ctx, body);
    insertTransaction(
      tx,
      newTransaction({
        id: newId("txn"),
        reference: "TEFO-20261120-00000001",
        amount: cents(4000),
        currency: "ZAR",
        type: "invoice",
        gatewayAccountId: account.id,
        gatewayType: "manual_eft",
        sandbox: false,
        description: `Invoice ${invoice.number}`,
        invoiceId: invoice.id,
        customerId: customer.id,
        createdAt: ctx.now,
      }),
    );
    const [transaction] = await listTransactions(tx, { limit: 1 });
    assert.ok(transaction);
    await advance(tx, transaction.id, "complete", { at: ctx.now, fee: null, providerRef: null, payerEmail: null });
    saveInvoice(tx, { ...invoice, status: "partially_paid", paid: cents(4000) });
    return invoice.number;
  });
  for (const _ of [1, 2]) await inTx((tx) => mailReceipts(tx, ctx, ["TEFO-20261120-00000001"]));
  const [receipt, ...more] = (await mailsTo("invoiced@example.co.za")).filter(({ kind }) => kind === "receipt");
  assert.deepEqual(more, []);
  const lines = receipt?.text.replaceAll("\u00a0", " ").split("\n") ?? [];
  for (const line of ["R 40.00", "Through: Bank transfer", `Invoice: ${number}`, "Still to pay on it: R 75.00"])
    assert.ok(lines.includes(line), line);
});

test("a proof is told to those who look after money, with a link to the order", async () => {
  const roles = ["owner", "admin", "finance", "support", "viewer"] as const;
  const addresses = roles.map((role) => `${role}@proof.example`);
  for (const [at, role] of roles.entries())
    await merchant.dashboard.addMember(merchant.organisation, addresses[at] ?? "", role);
  const order = orderOf({ payerEmail: "payer@example.co.za" });
  await inTx((tx) => alertProof(tx, ctx, order));
  const [mail, ...more] = await mailsTo("owner@proof.example");
  assert.deepEqual(more, []);
  assert.deepEqual([...(mail?.recipients ?? [])].sort(), addresses.slice(0, 3).sort());
  assert.ok(mail?.text.includes(`http://localhost:8080/dashboard/eft-orders/${order.id}\n`));
});
