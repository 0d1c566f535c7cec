import { z } from "zod";
import { closeMonth, monthOf, readLedger, readMonth, readMonths, reopenMonth } from "../../flows/accounting/months.ts";
import {
  AccountingMonthObject,
  LedgerRecordObject,
  LedgerRecordQuery,
} from "../../modules/accounting-months/schema.ts";
import { accountingMonthView, ledgerRecordView } from "../../modules/accounting-months/view.ts";
import { pageQuery } from "../../platform/schema.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
} as const;
const params = z.object({ month: z.string() });

/** Interface 18.3. */
export const accountingMonthEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/accounting/months",
    summary: "List the months of the books, newest first, and which are closed",
    permission: "accounting:read",
    query: pageQuery(["mon"], {}),
    replies: { 200: listOf(AccountingMonthObject) },
    async handle({ ctx }, tx) {
      const data = (await readMonths(tx, ctx)).map(accountingMonthView);
      return { status: 200, body: listBody(ctx, data, { hasMore: false, nextCursor: null }) };
    },
  }),
  endpoint({
    ...common,
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
    method: "POST",
    path: "/accounting/months/{month}/close",
    summary: "Close a month and those before it: nothing is posted into them",
    permission: "accounting:write",
    params,
    replies: { 200: AccountingMonthObject },
    async handle({ ctx, params: { month } }, tx) {
      const body = await closeMonth(tx, ctx, monthOf(month));
      return { status: 200, body, audit: { subject: month, after: body } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/accounting/months/{month}/reopen",
    summary: "Reopen a month and those after it",
    permission: "accounting:write",
    params,
    replies: { 200: AccountingMonthObject },
    async handle({ params: { month } }, tx) {
      const body = await reopenMonth(tx, monthOf(month));
      return { status: 200, body, audit: { subject: month, after: body } };
    },
  }),
];
