import { notFound } from "../../kernel/errors.ts";
import { type MissingParticular, taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfInvoice } from "../../templates/document.ts";
import type { InvoiceDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import type { Services } from "../services.ts";
import { bankFor, type Pdf, partiesOf, writePdf } from "./parties.ts";

/** The invoice as a PDF. Throws 404. */
export async function invoiceFile(services: Services, ctx: Ctx, id: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => invoiceDocument(tx, ctx, id));
  return writePdf(services, ctx, document.number, "invoice", document);
}

/** The title of the invoice under the VAT Act, and the particulars that it lacks to be a tax invoice. Throws 404. */
export async function taxInvoiceCheck(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ title: string; problems: readonly MissingParticular[] }> {
  return taxInvoiceProblems(await invoiceDocument(tx, ctx, id));
}

/** The invoice as its PDF shows it. Throws 404. */
export async function invoiceDocument(tx: Tx, ctx: Ctx, id: string): Promise<InvoiceDocument> {
  const invoice = await findInvoice(tx, id);
  if (!invoice) throw notFound("invoice");
  const [parties, bank, link] = await Promise.all([
    partiesOf(tx, ctx, { id: invoice.id, customerId: invoice.customer.id }),
    bankFor(tx, ctx, invoice.currency, invoice.number),
    invoice.payLinkId && isPayable(invoice.status) ? findPaymentLink(tx, invoice.payLinkId) : null,
  ]);
  return {
    ...parties,
    ...documentOfInvoice(invoice),
    status: invoice.status,
    externalReference: invoice.externalReference,
    payUrl: link && shortUrlOf(ctx, link),
    bank,
  };
}
