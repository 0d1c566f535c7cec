import type { InvoiceId } from "../../kernel/ids.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { invoiceView } from "../../modules/invoices/view.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { newestPayLinkOf } from "../../modules/payment-links/store.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { PayerPage } from "../search/record-kind.ts";

/** The URL of the hosted page that collects the invoice's balance; null when it has no pay link. */
export const invoicePayUrl = (ctx: Ctx, { payLinkId }: Pick<Invoice, "payLinkId">): string | null =>
  payLinkId && hostedUrl(ctx, PAY_PAGE, payLinkId);

/** An invoice as the API and the events show it (interface 2.5). */
export const invoiceObject = (ctx: Ctx, invoice: Invoice) => invoiceView(invoice, invoicePayUrl(ctx, invoice));

/** The page of an issued invoice's pay link. */
export const invoicePage: PayerPage = async (tx, ctx, id) => {
  // Once the invoice is paid or cancelled, its page says so.
  const [invoice, link] = await Promise.all([findInvoice(tx, id), newestPayLinkOf(tx, id as InvoiceId)]);
  return invoice && invoice.status !== "draft" && link ? hostedUrl(ctx, PAY_PAGE, link.id) : null;
};
