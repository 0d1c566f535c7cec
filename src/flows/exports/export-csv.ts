import { subtract } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import { ledgerRecords } from "../../modules/accounting-months/store.ts";
import type { LedgerRecord, MonthLedgerAccount } from "../../modules/accounting-months/types.ts";
import { exportJournal } from "../../modules/books/store.ts";
import type { CustomerQuery } from "../../modules/customers/schema.ts";
import { exportCustomers } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { InvoiceQuery } from "../../modules/invoices/schema.ts";
import { exportInvoices, type InvoiceHead } from "../../modules/invoices/store.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import type { TransactionQuery } from "../../modules/payments/schema.ts";
import { exportTransactions } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { invoiceSpans } from "../invoices/invoice-spans.ts";
import { transactionSpans } from "../payments/transaction-spans.ts";
import { withNamed, withWords } from "../search/named-by.ts";
import { csvExport, type ExportFilter, type ExportQuery } from "./csv-export.ts";

const time = (value: Instant | null): string | null => value && toTimestamp(value);

interface PaidRow extends Transaction {
  readonly refunds: readonly Refund[];
}

/** Invoices, by their issue date. */
export const invoicesCsv = csvExport<InvoiceHead, ExportQuery<typeof InvoiceQuery>>({
  columns: {
    id: (row) => row.id,
    number: (row) => row.number,
    status: (row) => row.status,
    externalReference: (row) => row.externalReference,
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    currency: (row) => row.currency,
    issueDate: (row) => row.issueDate,
    dueDate: (row) => row.dueDate,
    subtotal: (row) => row.subtotal,
    taxAmount: (row) => row.tax,
    total: (row) => row.total,
    amountPaid: (row) => row.paid,
    amountDue: (row) => subtract(row.total, row.paid),
    sentAt: (row) => time(row.sentAt),
    paidAt: (row) => time(row.paidAt),
    createdAt: (row) => time(row.createdAt),
  },
  read: async (tx, { limit, after, days }, { from: _from, to: _to, missed, owing, ...filter }, ctx) =>
    exportInvoices(
      tx,
      { ...(await withNamed(tx, filter)), limit, after, ...days },
      invoiceSpans(ctx, { missed, owing }),
    ),
  keyOf: ({ id }) => id,
});

/** Transactions, by the day on which they were created. */
export const transactionsCsv = csvExport<PaidRow, ExportQuery<typeof TransactionQuery>>({
  columns: {
    reference: (row) => row.reference,
    status: (row) => row.status,
    type: (row) => row.type,
    amount: (row) => row.amount,
    fee: (row) => row.fee,
    net: (row) => (row.fee === null ? null : subtract(row.amount, row.fee)),
    refundedAmount: (row) => refundedAmount(row.refunds),
    currency: (row) => row.currency,
    gateway: (row) => row.gatewayType,
    description: (row) => row.description,
    providerRef: (row) => row.providerRef,
    payerEmail: (row) => row.payerEmail,
    customerId: (row) => row.customerId,
    externalReference: (row) => row.externalReference,
    paymentLinkId: (row) => row.paymentLinkId,
    invoiceId: (row) => row.invoiceId,
    eftOrderId: (row) => row.eftOrderId,
    flags: (row) => row.flags.join(" "),
    paidAt: (row) => time(row.paidAt),
    createdAt: (row) => time(row.createdAt),
  },
  async read(tx, { limit, after, from, until }, { from: _from, to: _to, risk, paidFrom, paidTo, ...filter }, ctx) {
    const transactions = await exportTransactions(
      tx,
      { ...(await withNamed(tx, filter)), limit, after, from, until },
      transactionSpans(ctx, { risk, paidFrom, paidTo }),
    );
    const refunds = Map.groupBy(
      await refundsOf(
        tx,
        transactions.map(({ id }) => id),
      ),
      ({ transactionId }) => transactionId,
    );
    return transactions.map((transaction) => ({ ...transaction, refunds: refunds.get(transaction.id) ?? [] }));
  },
  keyOf: ({ id }) => id,
});

/** Customers, by the day they were created. */
export const customersCsv = csvExport<Customer, ExportQuery<typeof CustomerQuery>>({
  columns: {
    id: (row) => row.id,
    accountCode: (row) => row.accountCode,
    externalReference: (row) => row.externalReference,
    email: (row) => row.email,
    firstName: (row) => row.firstName,
    lastName: (row) => row.lastName,
    company: (row) => row.company,
    vatNumber: (row) => row.vatNumber,
    phone: (row) => row.phone,
    address: (row) => row.address,
    active: (row) => String(row.active),
    standing: (row) => row.standing,
    createdAt: (row) => time(row.createdAt),
    updatedAt: (row) => time(row.updatedAt),
  },
  read: (tx, { limit, after, from, until }, { q, email, externalReference }) =>
    exportCustomers(tx, { ...withWords({ q }), email, externalReference, limit, after, from, until }),
  keyOf: ({ id }) => id,
});

/** Journal lines with their entries, by the day of the entry. A positive `amount` is a debit, a negative one a credit. */
export const journalCsv = csvExport({
  columns: {
    entryId: (row) => row.entryId,
    occurredAt: (row) => time(row.occurredAt),
    kind: (row) => row.kind,
    subject: (row) => row.subject,
    description: (row) => row.description,
    line: (row) => String(row.line),
    account: (row) => row.account,
    customerId: (row) => row.customerId,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
  },
  read: exportJournal,
  keyOf: ({ entryId }) => entryId,
});

/** Entries with the sums that they posted to one ledger account, by the day of the entry: the journal of revenue, of fees and so on. */
export const ledgerCsv = csvExport<LedgerRecord, ExportFilter & { readonly account: MonthLedgerAccount }>({
  columns: {
    entryId: (row) => row.id,
    occurredAt: (row) => time(row.occurredAt),
    kind: (row) => row.kind,
    subject: (row) => row.subject,
    description: (row) => row.description,
    debit: (row) => row.debit,
    credit: (row) => row.credit,
    currency: (row) => row.currency,
  },
  read: (tx, { after, limit, from, until }, { account }) => ledgerRecords(tx, { account, after, limit, from, until }),
  keyOf: ({ id }) => id,
});
