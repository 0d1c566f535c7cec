import { event } from "../../events/event.ts";
import { CreditNoteObject } from "./schema.ts";

export const CREDIT_NOTE_CREATED = event("credit_note.created", { about: "The credit note.", data: CreditNoteObject });
export const CREDIT_NOTE_ISSUED = event("credit_note.issued", {
  about: "The credit note, from now on to be applied.",
  data: CreditNoteObject,
});
export const CREDIT_NOTE_APPLIED = event("credit_note.applied", {
  about: "The credit note after a part of it was applied to an invoice; once for each invoice.",
  data: CreditNoteObject,
});
