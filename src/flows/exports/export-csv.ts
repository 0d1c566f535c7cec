import { Readable } from "node:stream";
import { subtract } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addDays, type BusinessDay, type Instant, startOfDay, toTimestamp } from "../../kernel/time.ts";
import { exportJournal } from "../../modules/books/store.ts";
import { exportCustomers } from "../../modules/customers/store.ts";
import { exportInvoices, type InvoiceHead } from "../../modules/invoices/store.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { exportTransactions } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { type Cell, csvText } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** Which rows: days are South African and inclusive; a field that is left out does not filter. */
export interface ExportFilter {
  readonly from?: BusinessDay | undefined;
  readonly to?: BusinessDay | undefined;
  readonly status?: string | undefined;
}

/** Rows that one transaction reads. This bounds the time of a transaction and the memory. */
const BATCH = 1000;

interface Batch {
  readonly after: string;
  readonly limit: number;
  readonly days: { readonly from: BusinessDay | null; readonly to: BusinessDay | null };
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly status: string | null;
}

interface Export<Row> {
  /** Names of the API's fields, in the order of the columns. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>;
  /** Rows after the key `after`, in the order of keys; an empty array at the end. */
  read(tx: Tx, batch: Batch): Promise<Row[]>;
  keyOf(row: Row): string;
}

/** An export as a stream of CSV. The first rows are read before it returns, so an error then can still be the answer. */
export type CsvExport = (services: Pick<Services, "db">, ctx: Ctx, filter: ExportFilter) => Promise<Readable>;

function csvExport<Row>({ columns, read, keyOf }: Export<Row>): CsvExport {
  const cells = Object.values(columns);
  return async ({ db }, { organisation }, { from, to, status }) => {
    const wanted = {
      limit: BATCH,
      days: { from: from ?? null, to: to ?? null },
      from: from === undefined ? null : startOfDay(from),
      until: to === undefined ? null : startOfDay(addDays(to, 1)),
      status: status ?? null,
    };
    const next = (after: string) => db.read(organisation.id, (tx) => read(tx, { ...wanted, after }));
    const first = await next("");
    async function* text(): AsyncGenerator<string> {
      yield csvText([Object.keys(columns)]);
      for (let rows = first; ; ) {
        const last = rows.at(-1);
        if (last === undefined) return;
        yield csvText(rows.map((row) => cells.map((cell) => cell(row))));
        rows = await next(keyOf(last));
      }
    }
    return Readable.from(text(), { objectMode: false });
  };
}

const time = (value: Instant | null): string | null => value && toTimestamp(value);

interface PaidRow extends Transaction {
  readonly refunds: readonly Refund[];
}

/** Invoices, by their issue date. */
export const invoicesCsv = csvExport<InvoiceHead>({
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
  read: (tx, { days, ...batch }) => exportInvoices(tx, { ...batch, ...days }),
  keyOf: ({ id }) => id,
});

/** Transactions, by the day on which they were created. */
export const transactionsCsv = csvExport<PaidRow>({
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
  async read(tx, batch) {
    const transactions = await exportTransactions(tx, batch);
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
export const customersCsv = csvExport({
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
  read: exportCustomers,
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
