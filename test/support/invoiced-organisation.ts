import { newCheckoutReference } from "../../src/domain/new-references.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { createCreditNote } from "../../src/flows/credit-notes/issue-credit-note.ts";
import { payOutCredit } from "../../src/flows/credit-refunds/pay-out-credit.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { cancelEftOrder } from "../../src/flows/eft-orders/cancel-eft-order.ts";
import { createEftOrder } from "../../src/flows/eft-orders/create-eft-order.ts";
import { approveEftOrder } from "../../src/flows/eft-orders/review-eft-order.ts";
import { createGatewayAccount } from "../../src/flows/gateways/save-account.ts";
import { cancelInvoice } from "../../src/flows/invoices/cancel-invoice.ts";
import { createInvoice } from "../../src/flows/invoices/create-invoice.ts";
import { lockPastDueInvoices, markOverdue } from "../../src/flows/invoices/due-date.ts";
import { recordOfflinePayment } from "../../src/flows/invoices/record-offline-payment.ts";
import { sendInvoice } from "../../src/flows/invoices/send-invoice.ts";
import { useCredit } from "../../src/flows/invoices/use-credit.ts";
import { applyReversalFact } from "../../src/flows/payments/apply-reversal.ts";
import { recordRefund } from "../../src/flows/payments/refund-payment.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { erasePersonalData } from "../../src/flows/personal-data/erase-customer.ts";
import { convertQuote } from "../../src/flows/quotes/convert-quote.ts";
import { createQuote } from "../../src/flows/quotes/create-quote.ts";
import type { Services } from "../../src/flows/services.ts";
import { internalFact } from "../../src/gateways/facts.ts";
import type { CustomerId } from "../../src/kernel/ids.ts";
import { cents, fromRand } from "../../src/kernel/money.ts";
import { addSeconds } from "../../src/kernel/time.ts";
import { CreditNoteCreate } from "../../src/modules/credit-notes/schema.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { EftOrderCreate } from "../../src/modules/eft-orders/schema.ts";
import { GatewayAccountCreate } from "../../src/modules/gateway-accounts/schema.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { INVOICE_OVERDUE } from "../../src/modules/invoices/declarations.ts";
import { InvoiceCreate, OfflinePaymentCreate } from "../../src/modules/invoices/schema.ts";
import type { Invoice } from "../../src/modules/invoices/types.ts";
import { PAYMENT_CHECK } from "../../src/modules/payments/declarations.ts";
import { newTransaction } from "../../src/modules/payments/rules.ts";
import { findByReference, insertTransaction } from "../../src/modules/payments/store/payments.ts";
import { QuoteCreate } from "../../src/modules/quotes/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import { cancelWork, enqueue } from "../../src/platform/due-work.ts";
import { newId } from "../../src/platform/new-id.ts";

const BANK = {
  bankName: "Standard Bank",
  accountName: "Paid",
  accountNumber: "012345678",
  branchCode: "051001",
  accountType: "cheque",
};

type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Lines of which one has a discount, with another of the whole. */
const REDUCED = {
  lines: [
    { description: "Room", quantity: 3, unitPrice: 33.33, discount: { percent: 10 } },
    { description: "Room", quantity: 3, unitPrice: 33.33 },
  ],
  discount: { percent: 5 },
};

const DOLLARS = { currency: "USD", exchange: { rate: 18.5, date: "2020-01-01", source: "SARB" } };

/**
 * Adds invoices, quotes, credit notes and bank transfers with everything that `verify` examines, by the product's own
 * flows. Invoices are identified by their externalReference: undone (part paid, part refunded, part credited, then
 * cancelled), late, offline, linked (paid twice), reopened (overpaid, then partly taken back by a bank), over and taken (`addAppliedCredit`), lost (refunded
 * in part, taken back, cancelled), plain, draft, reduced, erased (paid, of a customer who is erased); quotes by their notes:
 * inclusive (converted), open, reduced; credit notes by their reason: correction, spare, lined (two rates); 35.00 of the credit
 * is paid out, of two payments of undone; transfers by their description: transferred, withdrawn, waiting.
 */
export async function addInvoices(services: Services, ctx: Ctx): Promise<void> {
  const { organisation } = ctx;
  const inside: InTransaction = (work) => services.db.transaction(organisation.id, work);
  const account = await inside((tx) =>
    createGatewayAccount(
      tx,
      ctx,

      GatewayAccountCreate.parse({ type: "sandbox", currencies: ["ZAR", "USD"] }),
    ),
  );
  await inside((tx) =>
    createGatewayAccount(tx, ctx, GatewayAccountCreate.parse({ type: "manual_eft", credentials: BANK })),
  );
  const customerId = await addCustomer(inside, ctx, "debtor@example.com");
  const idle = await addCustomer(inside, ctx, "idle@example.com");
  const invoice = (externalReference: string, fields: object = {}) =>
    inside(async (tx) => {
      const lines = [
        { description: "Work", quantity: 3, unitPrice: 33.333333 },
        { description: "Books", quantity: 0.5, unitPrice: 20, taxRate: 0 },
      ];
      const body = InvoiceCreate.parse({ customerId, externalReference, lines, send: true, ...fields });
      return (await createInvoice(tx, ctx, body)).invoice;
    });
  const credit = (reason: string, fields: object) =>
    inside((tx) => createCreditNote(tx, ctx, CreditNoteCreate.parse({ reason, ...fields })));
  const offline = (id: string, amount: number) =>
    inside((tx) => recordOfflinePayment(tx, ctx, id, OfflinePaymentCreate.parse({ amount, method: "cash" })));

  const undone = await invoice("undone", { issueDate: "2020-01-01" });
  const paid = await pay(inside, ctx, { account, invoice: undone, amount: 50 });
  await inside((tx) => recordRefund(tx, ctx, paid, { amount: cents(20_00), reason: null, method: "manual" }));
  await offline(undone.id, 10);
  await credit("correction", { invoiceId: undone.id, amount: 15 });
  await inside((tx) => cancelInvoice(tx, ctx, undone.id, "a mistake"));

  const late = await invoice("late", { issueDate: "2021-01-01", dueDate: "2021-01-31" });
  await inside(async (tx) => {
    await markOverdue(tx, ctx, [...(await lockPastDueInvoices(tx, [late.id])).values()]);
    cancelWork(tx, INVOICE_OVERDUE, late.id);
  });
  const cash = await invoice("offline");
  await offline(cash.id, 40);
  await offline(cash.id, 85);
  const linked = await invoice("linked", DOLLARS);
  await pay(inside, ctx, { account, invoice: linked, amount: 25 });
  await pay(inside, ctx, { account, invoice: linked, amount: 125 });
  const reopened = await invoice("reopened");
  await takeBack(inside, ctx, await pay(inside, ctx, { account, invoice: reopened, amount: 150 }), 40);
  const lost = await invoice("lost");
  const lostPayment = await pay(inside, ctx, { account, invoice: lost, amount: 100 });
  await inside((tx) => recordRefund(tx, ctx, lostPayment, { amount: cents(20_00), reason: null, method: "manual" }));
  await takeBack(inside, ctx, lostPayment, 100);
  await inside((tx) => cancelInvoice(tx, ctx, lost.id, null));
  const order = { amount: fromRand(35), currency: null, reason: "asked", method: null } as const;
  await inside((tx) => payOutCredit(tx, ctx, customerId, order));
  await invoice("plain");
  await invoice("draft", { send: false });
  await invoice("reduced", { send: false, ...REDUCED });
  await credit("spare", { customerId: idle, amount: 11.5 });
  await credit("lined", { customerId: idle, lines: [{ amount: 11.5 }, { amount: 5, taxRate: 0 }] });
  await addAppliedCredit(inside, ctx, account, invoice);
  const gone = await addCustomer(inside, ctx, "gone@example.com");
  await offline((await invoice("erased", { customerId: gone })).id, 125);
  await inside((tx) => erasePersonalData(tx, ctx, gone));
  await addQuotes(inside, ctx, customerId);
  await addTransfers(inside, ctx);
}

/** Credit of an overpaid invoice pays another, taken, of the same customer; then a bank takes a part of the payment back. */
async function addAppliedCredit(
  inside: InTransaction,
  ctx: Ctx,
  account: GatewayAccount,
  invoice: (reference: string, fields: object) => Promise<Invoice>,
): Promise<void> {
  const customerId = await addCustomer(inside, ctx, "overpays@example.com");
  const over = await invoice("over", { customerId });
  const reference = await pay(inside, ctx, { account, invoice: over, amount: 150 });
  const taken = await invoice("taken", { customerId });
  await inside((tx) => useCredit(tx, ctx, taken.id, { amount: cents(20_00) }));
  await takeBack(inside, ctx, reference, 15);
}

/** A bank takes money of a payment back. */
const takeBack = (inside: InTransaction, ctx: Ctx, reference: string, rand: number): Promise<unknown> =>
  inside(async (tx) => {
    const payment = await findByReference(tx, reference);
    const reportedBy = { accountId: payment?.gatewayAccountId ?? "", source: "notification" } as const;
    const fact = { about: "reversal", occurredAt: null, gatewayWord: "02", reference, providerRef: null } as const;
    await applyReversalFact(tx, ctx, reportedBy, {
      ...fact,
      amount: fromRand(rand),
      reason: "Stopped",
      code: "02",
      hard: false,
    });
  });

async function addCustomer(inside: InTransaction, ctx: Ctx, email: string): Promise<CustomerId> {
  return (await inside((tx) => upsertCustomer(tx, ctx, CustomerBody.parse({ email })))).customer.id;
}

/** Completes a payment of an invoice's own link; answers its reference. */
async function pay(
  inside: InTransaction,
  ctx: Ctx,
  { account, invoice, amount }: { account: GatewayAccount; invoice: Invoice; amount: number },
): Promise<string> {
  const reference = newCheckoutReference(ctx.now);
  const { currency, customer, payLinkId } = invoice;
  const money = { amount: fromRand(amount), currency };
  const fact = internalFact(reference, "");
  await inside(async (tx) => {
    const id = newId("txn");
    const facts = { paymentLinkId: payLinkId, invoiceId: invoice.id, customerId: customer.id, createdAt: ctx.now };
    const way = { gatewayAccountId: account.id, gatewayType: "sandbox", sandbox: true, description: null } as const;
    insertTransaction(tx, newTransaction({ id, reference, type: "invoice", ...money, ...way, ...facts }));
    enqueue(tx, PAYMENT_CHECK, id, addSeconds(ctx.now, 60));
    await settlePayment(
      tx,
      ctx,
      { accountId: account.id, source: "query" },
      { ...fact, kind: "paid", ...money, fee: cents(150) },
    );
  });
  return reference;
}

async function addQuotes(inside: InTransaction, ctx: Ctx, customerId: string): Promise<void> {
  const lineItems = [{ description: "Room", quantity: 3, unitPrice: 33.33 }];
  const quote = (fields: object) =>
    inside((tx) => createQuote(tx, ctx, QuoteCreate.parse({ customerId, lineItems, ...fields })));
  const { id } = await quote({ notes: "inclusive", taxInclusive: true });
  const { invoice } = await inside((tx) => convertQuote(tx, ctx, id, null));
  await inside((tx) => sendInvoice(tx, ctx, invoice.id));
  await quote({ notes: "open", send: true, expiryDate: "2099-12-31" });
  await quote({ notes: "reduced", lineItems: REDUCED.lines, discount: REDUCED.discount, deposit: { percent: 30 } });
}

async function addTransfers(inside: InTransaction, ctx: Ctx): Promise<void> {
  const order = (description: string) =>
    inside((tx) => createEftOrder(tx, ctx, EftOrderCreate.parse({ description, amount: 70 })));
  await order("waiting");
  const { order: transferred } = await order("transferred");
  await inside((tx) => approveEftOrder(tx, ctx, transferred.id));
  const { order: withdrawn } = await order("withdrawn");
  await inside((tx) => cancelEftOrder(tx, ctx, withdrawn.id));
}
