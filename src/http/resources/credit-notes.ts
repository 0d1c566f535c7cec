import { z } from "zod";
import { creditNoteFile } from "../../flows/documents/credit-note-file.ts";
import { PDF } from "../../flows/documents/document-head.ts";
import { notFound } from "../../kernel/errors.ts";
import { CreditNoteObject, CreditNoteQuery } from "../../modules/credit-notes/schema.ts";
import { findCreditNote, listCreditNotes } from "../../modules/credit-notes/store.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = { tag: "Credit notes", feature: "invoicing", permission: "credit_notes:read" } as const;

/** Interface 4.14, credit notes: to read. Staff issue them. */
export const creditNoteEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/credit-notes",
    summary: "List credit notes, newest first",
    query: CreditNoteQuery,
    replies: { 200: listOf(CreditNoteObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listCreditNotes(tx, wanted), creditNoteView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/credit-notes/{id}",
    summary: "Get a credit note",
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
    path: "/credit-notes/{id}/pdf",
    summary: "Download a credit note as a PDF",
    params: z.object({ id: z.string() }),
    media: PDF,
    download: ({ ctx, services, params: { id } }) => creditNoteFile(services, ctx, id),
  }),
];
