import { z } from "zod";
import { monthOf } from "../../flows/accounting/months.ts";
import { readVatReturn, vatQuestion } from "../../flows/accounting/vat-return.ts";
import { vatReturnCsv } from "../../flows/accounting/vat-return-csv.ts";
import { vatReturnFile } from "../../flows/accounting/vat-return-file.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { VatRecordObject, VatRecordQuery, VatReturnObject, VatReturnQuery } from "../../modules/vat-returns/schema.ts";
import { vatRecords } from "../../modules/vat-returns/store.ts";
import { vatRecordView } from "../../modules/vat-returns/view.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
  permission: "accounting:read",
} as const;
const params = z.object({ period: z.string() });

/** The endpoints of interface 18.4. */
export const vatReturnEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/vat201/{period}",
    summary: "Get the figures of the VAT201 return of a tax period, on the invoice or the payments basis",
    params,
    query: VatReturnQuery,
    replies: { 200: VatReturnObject },
    handle: async ({ params: { period }, query }, tx) => ({
      status: 200,
      body: await readVatReturn(tx, vatQuestion(monthOf(period), query)),
    }),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/accounting/vat201/{period}/pdf",
    summary: "Download the figures of the VAT201 return as a PDF",
    params,
    query: VatReturnQuery,
    media: PDF,
    download: ({ ctx, services, params: { period }, query }) =>
      vatReturnFile(services, ctx, vatQuestion(monthOf(period), query)),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/accounting/vat201/{period}/csv",
    summary: "Download the VAT201 return as CSV: its figures, then the entries of each",
    params,
    query: VatReturnQuery,
    media: "text/csv",
    async download({ ctx, services, params: { period }, query }) {
      const asked = vatQuestion(monthOf(period), query);
      return {
        content: await vatReturnCsv(services, ctx, asked),
        contentType: "text/csv; charset=utf-8",
        fileName: `vat201-${period}.csv`,
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/vat201/{period}/records",
    summary: "List the entries of the books in a field of the VAT201 return",
    params,
    query: VatRecordQuery,
    replies: { 200: listOf(VatRecordObject) },
    handle(call, tx) {
      const asked = vatQuestion(monthOf(call.params.period), call.query);
      return listed(call, (wanted) => vatRecords(tx, asked, wanted), vatRecordView);
    },
  }),
];
