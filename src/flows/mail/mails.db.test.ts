import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mailsOf } from "../../../test/support/mails.ts";
import { type Merchant, openMerchant } from "../../../test/support/merchant.ts";
import { MAILS } from "../../catalogue.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { addSeconds, instant } from "../../kernel/time.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import { unwrittenEmails } from "../../modules/emails/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { InvoiceCreate } from "../../modules/invoices/schema.ts";
import { saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { newTransaction } from "../../modules/payments/rules.ts";
import { listTransactions } from "../../modules/payments/store/list.ts";
import { advanceAll, insertTransaction } from "../../modules/payments/store/payments.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { QuoteCreate } from "../../modules/quotes/schema.ts";
import { deleteQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, contextFor, SYSTEM } from "../context.ts";
import { upsertCustomer } from "../customers/save-customer.ts";
import { mailEftDetails, mailEftRejected, mailEftReminder } from "../eft-orders/eft-mails.ts";
import { openEftOrder } from "../eft-orders/open-eft-order.ts";
import { createGatewayAccount } from "../gateways/save-account.ts";
import { hostedUrl } from "../hosted-links.ts";
import { createInvoice } from "../invoices/create-invoice.ts";
import { mailInvoiceReminder, mailInvoices } from "../invoices/invoice-mails.ts";
import { changeSettings } from "../organisations/settings.ts";
import { mailReceipts } from "../payments/payer-mails.ts";
import { createQuote } from "../quotes/create-quote.ts";
import { mailQuote } from "../quotes/quote-mail.ts";
import { composeMails } from "./compose-mails.ts";
import { declareMail, requestMail } from "./mail.ts";
import { alertProof } from "./staff-alerts.ts";

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

const inTx = <T>(work: (tx: Tx) => Promise<T> | T): Promise<T> =>
  merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) => work(tx));
const mailsTo = (recipient: string) => mailsOf(merchant.dashboard.services, merchant.organisation, { recipient });
const customerOf = async (email: string | null) =>
  inTx(async (tx) => (await upsertCustomer(tx, ctx, { email })).customer.id);

const LINES = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
/** A draft of R 115. */
async function invoiceOf(email: string | null): Promise<Invoice> {
  const body = InvoiceCreate.parse({ customerId: await customerOf(email), lines: LINES, dueDate: "2026-11-20" });
  return inTx(async (tx) => (await createInvoice(tx, ctx, body)).invoice);
}
async function quoteOf(email: string | null): Promise<Quote> {
  const body = QuoteCreate.parse({ customerId: await customerOf(email), lineItems: LINES });
  return inTx(async (tx) => ({ ...(await createQuote(tx, ctx, body)), status: "sent" }));
}
const bank = { bankName: "Bank", accountName: "Name", accountNumber: "6200001234", branchCode: "250655" };
let account: GatewayAccount | null = null;
async function orderOf(facts: { customerId?: CustomerId; payerEmail?: string }): Promise<EftOrder> {
  const credentials = { ...bank, accountType: "current" };
  account ??= await inTx((tx) => createGatewayAccount(tx, ctx, { type: "manual_eft", credentials }));
  const { id } = account;
  const terms = {
    amount: cents(11500),
    currency: "ZAR",
    description: null,
    externalReference: null,
    metadata: {},
    customerId: null,
    paymentLinkId: null,
    payerEmail: null,
    expiresAt: addSeconds(ctx.now, 7 * 86_400),
    invoiceId: null,
    ...facts,
  };
  return inTx((tx) => openEftOrder(tx, ctx, { ...(account as GatewayAccount), id }, terms));
}

test("an invoice is mailed each time it is sent, with its balance and pay link at that time", async () => {
  const invoice = await invoiceOf("sent@example.co.za");
  const payLinkId = newId("plink");
  for (const paid of [1500, 11500].map(cents))
    await inTx(async (tx) => mailInvoices(tx, ctx, [{ ...invoice, paid, payLinkId }]));
  const [first, second, ...more] = await mailsTo("sent@example.co.za");
  assert.deepEqual(more, []);
  assert.deepEqual(
    [first?.kind, first?.fromName, first?.subject],
    [
      "invoice",
      "Thandi's Shop",
      `Invoice ${invoice.number} from Thandi's Shop: R\u00a0100.00`.replaceAll("\u00a0", " "),
    ],
  );
  assert.ok(first?.text.includes(hostedUrl(ctx, PAY_PAGE, payLinkId)));
  assert.match(second?.text ?? "", /nothing is left to pay/);
});

test("a reminder is mailed at most once a day", async () => {
  const invoice = await invoiceOf("late@example.co.za");
  const remind = (at: Ctx) => inTx((tx) => mailInvoiceReminder(tx, at, invoice, "after"));
  for (const at of [ctx, ctx, { ...ctx, now: addSeconds(ctx.now, 7 * 86_400) }]) assert.equal(await remind(at), true);
  assert.deepEqual(
    (await mailsTo("late@example.co.za")).map(({ kind }) => kind),
    ["invoice_reminder", "invoice_reminder"],
  );
});

test("a quote is mailed with its page", async () => {
  const quote = await quoteOf("quoted@example.co.za");
  await inTx((tx) => mailQuote(tx, ctx, quote));
  const [mail] = await mailsTo("quoted@example.co.za");
  assert.ok(mail?.text.includes(hostedUrl(ctx, QUOTE_PAGE, quote.id)));
});

test("a mail about a deleted record is not sent, and its error says why", async () => {
  const quote = await quoteOf("gone@example.co.za");
  await inTx((tx) => mailQuote(tx, { ...ctx, mailEnabled: true }, quote));
  await inTx((tx) => deleteQuote(tx, quote.id));
  const [waiting] = await mailsTo("gone@example.co.za");
  assert.deepEqual([waiting?.status, waiting?.subject], ["queued", ""]);
  await inTx(async (tx) =>
    composeMails(tx, ctx, MAILS, await unwrittenEmails(tx, [waiting?.id ?? ""]), { sends: true }),
  );
  const [mail] = await mailsTo("gone@example.co.za");
  assert.deepEqual([mail?.status, mail?.error], ["failed", "What it is about was deleted before it was written."]);
});

test("bank details are mailed to the payer, else to the customer; details and reminder once, a rejection each time", async () => {
  const customerId = await customerOf("customer@example.co.za");
  for (const facts of [{ customerId }, { customerId, payerEmail: "payer@example.co.za" }]) {
    const order = await orderOf(facts);
    for (const reason of ["Not our account.", "Too small."])
      await inTx(async (tx) => {
        assert.equal(await mailEftDetails(tx, ctx, order), true);
        assert.equal(await mailEftReminder(tx, ctx, order), true);
        assert.equal(await mailEftRejected(tx, ctx, { ...order, rejectionReason: reason }), true);
      });
  }
  for (const to of ["customer@example.co.za", "payer@example.co.za"]) {
    const mails = await mailsTo(to);
    assert.deepEqual(mails.map(({ kind }) => kind).sort(), [
      "eft_details",
      "eft_rejected",
      "eft_rejected",
      "eft_reminder",
    ]);
    const [first, second] = mails.filter(({ kind }) => kind === "eft_rejected");
    assert.match(first?.text ?? "", /Not our account/);
    assert.match(second?.text ?? "", /Too small/);
    assert.match(mails.find(({ kind }) => kind === "eft_details")?.text ?? "", /6200001234/);
  }
});

test("without an address no mail is asked for, and the request answers false", async () => {
  const count = async () => (await mailsOf(merchant.dashboard.services, merchant.organisation)).length;
  const before = await count();
  const [invoice, quote, order] = [await invoiceOf(null), await quoteOf(null), await orderOf({})];
  const done = await inTx((tx) => {
    mailQuote(tx, ctx, quote);
    mailInvoices(tx, ctx, [invoice]);
    return Promise.all([
      mailInvoiceReminder(tx, ctx, invoice, "before"),
      mailEftDetails(tx, ctx, order),
      mailEftReminder(tx, ctx, order),
      mailEftRejected(tx, ctx, order),
    ]);
  });
  assert.deepEqual(done, [false, false, false, false]);
  assert.equal(await count(), before);
});

test("the receipt of a bank transfer for an invoice names both, and the invoice's balance", async () => {
  const { gatewayAccountId } = await orderOf({});
  const { customer } = await inTx((tx) => upsertCustomer(tx, ctx, { email: "invoiced@example.co.za" }));
  const items = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
  const body = InvoiceCreate.parse({ customerId: customer.id, lines: items, send: true });
  const { invoice } = await inTx((tx) => createInvoice(tx, ctx, body));
  const number = await inTx(async (tx) => {
    insertTransaction(
      tx,
      newTransaction({
        id: newId("txn"),
        reference: "TEFO-20261120-00000001",
        amount: cents(4000),
        currency: "ZAR",
        type: "invoice",
        gatewayAccountId,
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
    await advanceAll(tx, [
      {
        id: transaction.id,
        to: "complete",
        at: ctx.now,
        fee: null,
        providerRef: null,
        payerEmail: null,
        declineReason: null,
        card: null,
      },
    ]);
    saveInvoice(tx, { ...invoice, status: "partially_paid", paid: cents(4000) });
    return invoice.number;
  });
  for (const _ of [1, 2]) await inTx((tx) => mailReceipts(tx, ctx, ["TEFO-20261120-00000001"]));
  const [receipt, ...more] = (await mailsTo("invoiced@example.co.za")).filter(({ kind }) => kind === "receipt");
  assert.deepEqual(more, []);
  const lines = receipt?.text.replaceAll("\u00a0", " ").split("\n") ?? [];
  for (const line of ["R 40.00", "Payment method: Bank transfer", `Invoice: ${number}`, "Balance due: R 75.00"])
    assert.ok(lines.includes(line), line);
});

test("members who handle money are alerted of a proof, with a link to the order", async () => {
  const roles = ["owner", "admin", "finance", "support", "viewer"] as const;
  const addresses = roles.map((role) => `${role}@proof.example`);
  for (const [at, role] of roles.entries())
    await merchant.dashboard.addMember(merchant.organisation, addresses[at] ?? "", role);
  const order = await orderOf({ payerEmail: "payer@example.co.za" });
  await inTx((tx) => alertProof(tx, ctx, order));
  const [mail, ...more] = await mailsTo("owner@proof.example");
  assert.deepEqual(more, []);
  assert.deepEqual([...(mail?.recipients ?? [])].sort(), addresses.slice(0, 3).sort());
  assert.ok(mail?.text.includes(`http://localhost:8080/dashboard/eft-orders/${order.id}\n`));
});

test("a mail with a secret is refused unless its kind says which staff may read it", async () => {
  const ask = (readableBy?: () => boolean) =>
    inTx((tx) => {
      const kind = declareMail("secret", async () => null, readableBy);
      return requestMail(tx, ctx, kind, { about: "cus_1", to: ["secret@shop.example"], facts: {}, secret: "s" });
    });
  await assert.rejects(ask(), /says who may read it/);
  assert.equal(await ask(() => false), true);
});

test("the sender's name, own words and who is alerted follow the settings", async () => {
  const mail = {
    senderName: "Thandi's accounts",
    alertRecipients: ["alerts@shop.example"],
    invoiceText: "Thank you.\nThandi",
    quoteText: "We would be glad to.",
    reminderText: "Did you forget us?",
  };
  await inTx((tx) => changeSettings(tx, ctx, { mail, branding: { hideProduct: true } }, null));
  const [invoice, quote] = [await invoiceOf("own-words@example.co.za"), await quoteOf("own-words@example.co.za")];
  await inTx(async (tx) => {
    mailInvoices(tx, ctx, [invoice]);
    mailQuote(tx, ctx, quote);
    await mailInvoiceReminder(tx, ctx, invoice, "after");
  });
  const mails = await mailsTo("own-words@example.co.za");
  const said = { invoice: /Thank you\.\n\| Thandi/, quote: /glad to/, invoice_reminder: /forget us\?/ };
  assert.deepEqual(mails.map(({ kind }) => kind).toSorted(), Object.keys(said).toSorted());
  for (const { kind, text, fromName } of mails) {
    assert.match(text, said[kind as keyof typeof said], kind);
    assert.equal(fromName, "Thandi's accounts");
    assert.doesNotMatch(text, /Tefo\n|Sent by/);
  }
  const order = await orderOf({ payerEmail: "payer@example.co.za" });
  await inTx((tx) => alertProof(tx, ctx, order));
  const [alert] = await mailsTo("alerts@shop.example");
  assert.deepEqual(alert?.recipients, ["alerts@shop.example"]);
  assert.equal(alert?.fromName, "Tefo", "what staff get says who wrote it");
});
