import { notFound } from "../../kernel/errors.ts";
import { type MissingParticular, taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import type { InvoiceDocument } from "../../modules/documents/types.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import type { Services } from "../services.ts";
import { bankFor, documentHead, documentLines, type Pdf, periodOf, writePdf } from "./document-head.ts";

/** The invoice as a PDF. 404. */
export async function invoiceFile(services: Services, ctx: Ctx, id: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => invoiceDocument(tx, ctx, id));
  return writePdf(services, ctx, document.number, "invoice", document);
}

/** What the invoice may be called under the VAT Act, and what keeps it from being a tax invoice. 404. */
export async function taxInvoiceCheck(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ title: string; problems: readonly MissingParticular[] }> {
  return taxInvoiceProblems(await invoiceDocument(tx, ctx, id));
}

async function invoiceDocument(tx: Tx, ctx: Ctx, id: string): Promise<InvoiceDocument> {
  const invoice = await findInvoice(tx, id);
  if (!invoice) throw notFound("invoice");
  const { currency, issueDate, number, status, subtotal, tax, total, notes, dueDate, externalReference } = invoice;
  const [head, bank] = await Promise.all([
    documentHead(tx, ctx, { id: invoice.id, customerId: invoice.customer.id, issueDate, currency }),
    bankFor(tx, ctx, currency, number),
  ]);
  return {
    ...head,
    number,
    status,
    dueDate,
    externalReference,
    period: periodOf(invoice.periodStart, invoice.periodEnd),
    lines: documentLines(invoice.lines),
    // Whatever its prices were quoted with, an invoice's lines are without VAT (interface 2.5).
    taxInclusive: false,
    subtotal,
    tax,
    total,
    amountPaid: invoice.paid,
    amountDue: amountDue(invoice),
    notes,
    terms: null,
    payUrl: isPayable(status) ? invoicePayUrl(ctx, invoice) : null,
    bank,
  };
}
