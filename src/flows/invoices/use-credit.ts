import type { Reversal } from "../../domain/reversal.ts";
import { appendEvent } from "../../events/outbox.ts";
import { requireWhole } from "../../kernel/amount-in.ts";
import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { type Cents, cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import { creditApplicationPostings, reversed } from "../../modules/books/rules.ts";
import { lockCustomerBalance, lockCustomerBalanceOfInvoice, postEntry } from "../../modules/books/store.ts";
import { takeFrom, totalOf } from "../../modules/credit-refunds/rules.ts";
import {
  appliedOf,
  creditOn,
  insertCreditApplication,
  lockCredit,
  takenBackOf,
} from "../../modules/credit-refunds/store.ts";
import type { CreditApplication, CreditPart } from "../../modules/credit-refunds/types.ts";
import { INVOICE_PAYMENT_UNDONE } from "../../modules/invoices/declarations.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { CreditApplicationBody } from "../../modules/invoices/schema.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { insertAllocation, lockInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { lockLinksOfInvoice } from "../../modules/payment-links/store.ts";
import { isSettledInSets } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import type { LockedPurpose, Purpose } from "../payments/purpose.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { applyPayment } from "./apply-payment.ts";
import { invoiceObject } from "./invoice-object.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { openAgain } from "./reopen-invoice.ts";

/**
 * Pays an open invoice from its customer's credit in its currency: from overpayments, payments of invoices that were cancelled, and parts
 * of bank lines that were overpaid, oldest first (interface 18.1). Without an amount as much as there is and as is due. Locks as
 * `lockInvoiceForChange`, then the payments. Throws 404; 400 for an invoice that is a draft, paid or cancelled, without credit, and for an
 * amount above the credit or the balance.
 */
export async function useCredit(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: CreditApplicationBody,
): Promise<{ before: Invoice; after: Invoice }> {
  const locked = await lockInvoiceForChange(tx, id);
  if (!locked) throw notFound("invoice");
  const { invoice: before } = locked;
  if (!before.issuedAt) throw invalid("The invoice is a draft. Send it first, then apply credit to it.");
  if (!isPayable(before.status)) throw invalid(`The invoice is ${before.status}, so no credit can be applied to it.`);
  const credit = await lockCredit(tx, before.customer.id, before.currency);
  const parts = takeFrom(credit, amountToApply(body, totalOf(credit), before));
  let after = before;
  for (const part of parts) after = await applyPart(tx, ctx, after, part);
  await updateStanding(tx, ctx, before.customer.id, before.currency);
  return { before, after };
}

function amountToApply({ amount }: CreditApplicationBody, credit: Cents, invoice: Invoice): Cents {
  const { currency } = invoice;
  const due = amountDue(invoice);
  if (credit === ZERO)
    throw invalid(
      "There is no credit to apply: the customer overpaid nothing in this currency, and paid nothing on cancelled invoices. " +
        "Credit notes are applied by themselves.",
    );
  if (amount === null) return cents(Math.min(credit, due));
  if (amount > due)
    throw invalidField(["amount"], `amount must be at most what is open, ${formatMoney(due, currency)}.`);
  if (amount > credit)
    throw invalidField(["amount"], `At most ${formatMoney(credit, currency)} of credit is left to apply.`);
  requireWhole(currency, amount, ["amount"], due);
  return amount;
}

async function applyPart(tx: Tx, ctx: Ctx, invoice: Invoice, { source, amount }: CreditPart): Promise<Invoice> {
  const application = newApplication(ctx, invoice, { source, amount });
  insertCreditApplication(tx, application);
  postUse(tx, ctx, application, `Credit applied to invoice ${invoice.number}`);
  return applyPayment(tx, ctx, invoice, allocationOf(application));
}

/**
 * Returns the credit that pays an invoice to the payments that it came from: of one application, else all of it. The caller has locked
 * the invoice as `lockInvoiceForChange`, and saves the one that is answered.
 */
export async function returnCredit(tx: Tx, ctx: Ctx, invoice: Invoice, of: string | null = null): Promise<Invoice> {
  const parts = (await creditOn(tx, invoice.id)).filter(({ id }) => of === null || id === of);
  for (const { id, source, amount } of parts) {
    const returned: CreditApplication = {
      ...newApplication(ctx, invoice, { source, amount: cents(-amount) }),
      takesBack: { application: id, reversal: null },
    };
    insertCreditApplication(tx, returned);
    postUse(tx, ctx, returned, `Credit returned from invoice ${invoice.number}`);
    insertAllocation(tx, invoice.id, allocationOf(returned), ctx.now);
  }
  return { ...invoice, paid: subtract(invoice.paid, sum(parts.map(({ amount }) => amount))) };
}

/**
 * Undoes an application of credit that was a mistake: the invoice is open again, and the credit is the customer's. Locks as
 * `lockInvoiceForChange`; the caller has locked the invoice numbers. Throws 409 when nothing of it pays the invoice any more.
 */
export async function undoCredit(
  tx: Tx,
  ctx: Ctx,
  invoiceId: string,
  application: string,
): Promise<{ before: Invoice; after: Invoice }> {
  const locked = await lockInvoiceForChange(tx, invoiceId);
  if (!locked) throw notFound("invoice");
  const { invoice: before } = locked;
  const { paid } = await returnCredit(tx, ctx, before, application);
  if (paid === before.paid)
    throw new ApiError(
      "invalid_state",
      409,
      "This credit has been taken back already, so it pays nothing of the invoice.",
    );
  const open = await openAgain(tx, ctx, before, paid);
  appendEvent(tx, ctx.now, INVOICE_PAYMENT_UNDONE, before.id, invoiceObject(ctx, open));
  const after = await applyOpenCredits(tx, ctx, open);
  await updateStanding(tx, ctx, before.customer.id, before.currency);
  return { before, after };
}

const newApplication = (ctx: Ctx, invoice: Invoice, part: CreditPart): CreditApplication => ({
  ...part,
  id: newId("cap"),
  customerId: invoice.customer.id,
  currency: invoice.currency,
  invoiceId: invoice.id,
  takesBack: null,
  appliedAt: ctx.now,
});

const allocationOf = ({ id, amount, appliedAt }: CreditApplication) =>
  ({ id: newId("ipm"), source: "credit", subject: id, amount, paidAt: appliedAt }) as const;

function postUse(tx: Tx, ctx: Ctx, application: CreditApplication, description: string): void {
  const { id, amount, currency, customerId } = application;
  const postings = creditApplicationPostings(cents(Math.abs(amount)), customerId);
  postEntry(tx, {
    kind: "credit_use",
    subject: id,
    occurredAt: ctx.now,
    description,
    currency,
    postings: amount < 0 ? reversed(postings) : postings,
  });
}

/**
 * The purpose of a payment whose credit was applied to invoices: what a bank takes back of the payment is owed on them again, and
 * what the bank returns pays them again (decisions.md#credit-is-taken-back-with-its-payment). Locks the customer's balance, the links of
 * these invoices, and the invoices.
 */
export const creditPurpose: Purpose = {
  locks: "customer balance",
  async lock(tx, ctx, payment, move) {
    if (move !== "reversed" && move !== "given_back") return null;
    if (payment.invoiceId !== null) lockCustomerBalanceOfInvoice(tx, payment.invoiceId);
    else if (payment.customerId !== null && !(isSettledInSets(payment) && payment.overpaid === ZERO))
      lockCustomerBalance(tx, payment.customerId, payment.currency);
    else return null;
    return move === "reversed" ? lockApplied(tx, ctx, payment) : lockTakenBack(tx, ctx, payment);
  },
};

/** Locks the invoices in the order of their ids. */
async function lockInvoices(tx: Tx, ids: readonly InvoiceId[]): Promise<Map<InvoiceId, Invoice>> {
  const sorted = [...new Set(ids)].sort();
  for (const id of sorted) await lockLinksOfInvoice(tx, id);
  const locked = new Map<InvoiceId, Invoice>();
  for (const id of sorted) {
    const invoice = await lockInvoice(tx, id);
    if (invoice) locked.set(id, invoice);
  }
  return locked;
}

async function lockApplied(tx: Tx, ctx: Ctx, payment: Transaction): Promise<LockedPurpose | null> {
  const applied = await appliedOf(tx, payment.id);
  if (applied.length === 0) return null;
  const invoices = await lockInvoices(
    tx,
    applied.map(({ invoiceId }) => invoiceId),
  );
  return {
    async takeCreditBack(reversal, wanted) {
      let left = wanted;
      for (const part of applied) {
        const invoice = invoices.get(part.invoiceId);
        const amount = cents(Math.min(left, part.amount));
        if (!invoice || amount === ZERO) continue;
        const source = { kind: "transaction", id: payment.id, reference: payment.reference } as const;
        const taken: CreditApplication = {
          ...newApplication(ctx, invoice, { source, amount: cents(-amount) }),
          takesBack: { application: part.id, reversal: reversal.id },
        };
        insertCreditApplication(tx, taken);
        postUse(tx, ctx, taken, `Credit taken back from invoice ${invoice.number}`);
        insertAllocation(tx, invoice.id, allocationOf(taken), ctx.now);
        const open = await openAgain(tx, ctx, invoice, cents(invoice.paid - amount));
        invoices.set(invoice.id, open);
        appendEvent(tx, ctx.now, INVOICE_PAYMENT_UNDONE, invoice.id, invoiceObject(ctx, open));
        left = subtract(left, amount);
      }
      return subtract(wanted, left);
    },
  };
}

async function lockTakenBack(tx: Tx, ctx: Ctx, payment: Transaction): Promise<LockedPurpose | null> {
  const taken = await takenBackOf(tx, payment.id);
  if (taken.length === 0) return null;
  const invoices = await lockInvoices(
    tx,
    taken.map(({ invoiceId }) => invoiceId),
  );
  const of = (reversal: Reversal) => taken.filter((one) => one.reversal === reversal.id);
  return {
    owesCreditOf: (reversal) =>
      of(reversal).every(({ invoiceId, amount }) => {
        const invoice = invoices.get(invoiceId);
        const isOwn = invoiceId === payment.invoiceId;
        return invoice !== undefined && !isOwn && isPayable(invoice.status) && amountDue(invoice) >= amount;
      }),
    async applyCreditAgain(reversal) {
      for (const { invoiceId, amount } of of(reversal)) {
        const invoice = invoices.get(invoiceId);
        const source = { kind: "transaction", id: payment.id, reference: payment.reference } as const;
        if (invoice) invoices.set(invoiceId, await applyPart(tx, ctx, invoice, { source, amount }));
      }
      return sum(of(reversal).map(({ amount }) => amount));
    },
  };
}
