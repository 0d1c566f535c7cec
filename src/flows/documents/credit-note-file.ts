import { notFound } from "../../kernel/errors.ts";
import { subtract } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";
import { findCreditNote } from "../../modules/credit-notes/store.ts";
import type { CreditNoteDocument } from "../../modules/documents/types.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { documentHead, type Pdf, writePdf } from "./document-head.ts";

/** The credit note as a PDF (VAT Act, section 21). 404. */
export async function creditNoteFile(services: Services, ctx: Ctx, id: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => creditNoteDocument(tx, ctx, id));
  return writePdf(services, ctx, document.number, "creditNote", document);
}

async function creditNoteDocument(tx: Tx, ctx: Ctx, id: string): Promise<CreditNoteDocument> {
  const note = await findCreditNote(tx, id);
  if (!note) throw notFound("credit note");
  const { number, status, reason, transactionReference, taxRate, tax, amount, remaining, currency } = note;
  const [head, invoice] = await Promise.all([
    documentHead(tx, ctx, {
      id: note.id,
      customerId: note.customerId,
      issueDate: businessDay(note.createdAt),
      currency,
    }),
    note.correctsInvoiceId ? findInvoice(tx, note.correctsInvoiceId) : null,
  ]);
  return {
    ...head,
    number,
    status,
    reason,
    invoice: invoice && { number: invoice.number, issueDate: invoice.issueDate },
    transactionReference,
    taxRate,
    subtotal: subtract(amount, tax),
    tax,
    total: amount,
    remaining,
  };
}
