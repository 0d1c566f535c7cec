import { notFound } from "../../kernel/errors.ts";
import { findCreditNote } from "../../modules/credit-notes/store.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfCreditNote } from "../../templates/document.ts";
import type { CreditNoteDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { type Pdf, partiesOf, writePdf } from "./parties.ts";

/** The credit note as a PDF (VAT Act, section 21). Throws 404. */
export async function creditNoteFile(services: Services, ctx: Ctx, id: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => creditNoteDocument(tx, ctx, id));
  return writePdf(services, ctx, document.number, "creditNote", document);
}

async function creditNoteDocument(tx: Tx, ctx: Ctx, id: string): Promise<CreditNoteDocument> {
  const note = await findCreditNote(tx, id);
  if (!note) throw notFound("credit note");
  const [parties, invoice] = await Promise.all([
    partiesOf(tx, ctx, note),
    note.correctsInvoiceId ? findInvoice(tx, note.correctsInvoiceId) : null,
  ]);
  return {
    ...parties,
    ...documentOfCreditNote(note, invoice?.exchange ?? null),
    status: note.status,
    invoice: invoice && { number: invoice.number, issueDate: invoice.issueDate },
    transactionReference: note.transactionReference,
  };
}
