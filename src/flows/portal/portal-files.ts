import { notFound } from "../../kernel/errors.ts";
import { findCreditNote } from "../../modules/credit-notes/store.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Ctx } from "../context.ts";
import { creditNoteFile } from "../documents/credit-note-file.ts";
import { invoiceFile } from "../documents/invoice-file.ts";
import type { Pdf } from "../documents/parties.ts";
import { readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

/**
 * An issued invoice of the customer, as a PDF. Throws 404 for any other invoice; null when the customer is not signed
 * in.
 */
export async function portalInvoiceFile(
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
): Promise<Pdf | null> {
  const theirs = await readAsCustomer(services, ctx, session, async (tx, customer) => {
    const invoice = await findInvoice(tx, id);
    return invoice?.customer.id === customer.id && invoice.issuedAt !== null;
  });
  if (theirs === false) throw notFound("invoice");
  return theirs && invoiceFile(services, ctx, id);
}

/**
 * A credit note of the customer, as a PDF. Throws 404 for any other credit note; null when the customer is not signed
 * in.
 */
export async function portalCreditNoteFile(
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
): Promise<Pdf | null> {
  const theirs = await readAsCustomer(services, ctx, session, async (tx, customer) => {
    const note = await findCreditNote(tx, id);
    return note?.customerId === customer.id;
  });
  if (theirs === false) throw notFound("credit note");
  return theirs && creditNoteFile(services, ctx, id);
}
