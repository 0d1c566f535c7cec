import { createCreditNote } from "../../flows/credit-notes/issue-credit-note.ts";
import { CreditNoteCreate, CreditNoteObject } from "../../modules/credit-notes/schema.ts";
import { creditNoteView } from "../../modules/credit-notes/view.ts";
import { endpoint } from "../endpoint.ts";
import { created } from "../replies.ts";

/** What staff do with credit notes (interface 4.14). */
export const staffCreditNoteEndpoints = [
  endpoint({
    tag: "Credit notes",
    feature: "invoicing",
    method: "POST",
    path: "/credit-notes",
    summary: "Credit a customer, or correct an invoice",
    permission: "credit_notes:write",
    idempotent: true,
    body: CreditNoteCreate,
    replies: { 201: CreditNoteObject },
    async handle({ ctx, body }, tx) {
      return created(creditNoteView(await createCreditNote(tx, ctx, body)));
    },
  }),
];
