import { z } from "zod";
import type { LedgerAccount, LedgerRecord } from "../../domain/ledger.ts";
import { closeMonth, monthOf, readLedger, readMonth, readMonths, reopenMonth } from "../../flows/accounting/months.ts";
import type { ExportFilter } from "../../flows/exports/csv-export.ts";
import { csvExport } from "../../flows/exports/csv-export.ts";
import type { Instant } from "../../kernel/time.ts";
import { toTimestamp } from "../../kernel/time.ts";
import {
  AccountingMonthObject,
  LedgerRecordObject,
  LedgerRecordQuery,
  ledgerAccount,
} from "../../modules/accounting-months/schema.ts";
import { accountingMonthView, ledgerRecordView } from "../../modules/accounting-months/view.ts";
import { exportJournal, ledgerRecords } from "../../modules/books/store.ts";
import { pageQuery } from "../../platform/schema.ts";
import { csvEndpoint, EXPORT_DAYS } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listed, listOf, ONLY_PAGE } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
} as const;
const params = z.object({ month: z.string() });

const time = (value: Instant | null): string | null => value && toTimestamp(value);

/**
 * Journal lines with their entries, by the day of the entry. A positive `amount` is a debit, a negative one a credit.
 */
const journalCsv = csvExport({
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

/**
 * Entries with the sums that they posted to one ledger account, by the day of the entry: the journal of revenue, of
 * fees and so on.
 */
const ledgerCsv = csvExport<LedgerRecord, ExportFilter & { readonly account: LedgerAccount }>({
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

/** The endpoints of interface 18.3. */
export const accountingMonthEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/months",
    summary: "List the months of the books, newest first, and which are closed",
    permission: "accounting:read",
    query: pageQuery(["mon"], {}),
    replies: { 200: listOf(AccountingMonthObject) },
    async handle({ ctx }, tx) {
      const data = (await readMonths(tx, ctx)).map(accountingMonthView);
      return { status: 200, body: listBody(data, ONLY_PAGE) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/months/{month}",
    summary: "Get a month with the sum posted to each ledger account",
    permission: "accounting:read",
    params,
    replies: { 200: AccountingMonthObject },
    handle: async ({ params: { month } }, tx) => ({ status: 200, body: await readMonth(tx, monthOf(month)) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/months/{month}/records",
    summary: "List the entries of a month with the sums that they posted to a ledger account",
    permission: "accounting:read",
    params,
    query: LedgerRecordQuery,
    replies: { 200: listOf(LedgerRecordObject) },
    handle(call, tx) {
      const month = monthOf(call.params.month);
      return listed(call, (wanted) => readLedger(tx, month, wanted), ledgerRecordView);
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/accounting/months/{month}/close",
    summary: "Close a month and those before it: nothing is posted into them",
    permission: "accounting:write",
    idempotent: true,
    params,
    replies: { 200: AccountingMonthObject },
    async handle({ ctx, params: { month } }, tx) {
      const body = await closeMonth(tx, ctx, monthOf(month));
      return { status: 200, body, audit: { subject: month, after: body } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/accounting/months/{month}/reopen",
    summary: "Reopen a month and those after it",
    permission: "accounting:write",
    idempotent: true,
    params,
    replies: { 200: AccountingMonthObject },
    async handle({ params: { month } }, tx) {
      const body = await reopenMonth(tx, monthOf(month));
      return { status: 200, body, audit: { subject: month, after: body } };
    },
  }),
  csvEndpoint(
    "journal",
    "Journal lines as CSV, by the day they occurred; debits are above zero, credits below",
    "accounting:read",
    z.object(EXPORT_DAYS),
    journalCsv,
  ),
  csvEndpoint(
    "ledger",
    "Entries with the sums that they posted to one ledger account as CSV, by the day they occurred",
    "accounting:read",
    z.object({ ...EXPORT_DAYS, account: ledgerAccount() }),
    ledgerCsv,
  ),
];
