import { z } from "zod";
import { creditNoteOfSubscription } from "../../flows/customer-subscriptions/take-back-credit.ts";
import { creditNoteFile } from "../../flows/documents/credit-note-file.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { sum } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { CreditNoteCreate, CreditNoteObject, CreditNoteQuery } from "../../modules/credit-notes/schema.ts";
import { creditNoteTotals, findCreditNote, listCreditNotes } from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { CREDIT_NOTE } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listed, listOf } from "../lists.ts";
import { created } from "../replies.ts";

const common = {
  tag: { name: "Credit notes", about: "Documents that reduce what was charged." },
  feature: "invoicing",
} as const;

/** Credit notes. */
const creditNotesCsv = listExport<CreditNote, typeof CreditNoteQuery>({
  columns: {
    id: (row) => row.id,
    number: (row) => row.number,
    status: (row) => row.status,
    customerId: (row) => row.customerId,
    invoiceId: (row) => row.correctsInvoiceId,
    transactionReference: (row) => row.transactionReference,
    currency: (row) => row.currency,
    taxAmount: (row) => row.tax,
    amount: (row) => row.amount,
    remaining: (row) => row.remaining,
    reason: (row) => row.reason,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listCreditNotes(tx, await withNamed(tx, query)),
});

/** The endpoints of interface 4.14, credit notes: clients read them, staff issue them. */
export const creditNoteEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/credit-notes",
    expands: CREDIT_NOTE,
    summary: "List credit notes, newest first",
    permission: "credit_notes:read",
    query: CreditNoteQuery,
    replies: { 200: listOf(CreditNoteObject) },
    async handle(call, tx) {
      return listed(
        { query: await withNamed(tx, call.query) },
        (wanted) => listCreditNotes(tx, wanted),
        creditNoteView,
      );
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/credit-notes/{id}",
    expands: CREDIT_NOTE,
    summary: "Get a credit note",
    permission: "credit_notes:read",
    params: z.object({ id: z.string() }),
    replies: { 200: CreditNoteObject },
    async handle({ params: { id } }, tx) {
      const note = await findCreditNote(tx, id);
      if (!note) throw notFound("credit note");
      return { status: 200, body: creditNoteView(note) };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/credit-notes/{id}/pdf",
    summary: "Download a credit note as a PDF",
    permission: "credit_notes:read",
    params: z.object({ id: z.string() }),
    media: PDF,
    download: ({ ctx, services, params: { id } }) => creditNoteFile(services, ctx, id),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/credit-notes",
    summary: "Credit a customer, or correct an invoice",
    permission: "credit_notes:write",
    idempotent: true,
    body: CreditNoteCreate,
    replies: { 201: CreditNoteObject },
    moves: async ({ body: { amount, lines } }) => amount ?? (lines ? sum(lines.map((line) => line.amount)) : null),
    async handle({ ctx, body }, tx) {
      return created(creditNoteView(await creditNoteOfSubscription(tx, ctx, body)));
    },
  }),
  totalsEndpoint("credit-notes", {
    what: "credit notes",
    permission: "credit_notes:read",
    feature: "invoicing",
    query: CreditNoteQuery.omit(PAGING),
    sums: ["amount", "remaining"],
    read: async (tx, _ctx, query, countTo) => creditNoteTotals(tx, await withNamed(tx, query), countTo),
  }),
  listEndpoint(
    "credit-notes",
    "Credit notes",
    "credit_notes:read",
    CreditNoteQuery.omit(PAGING),
    creditNotesCsv,
    "invoicing",
  ),
];
