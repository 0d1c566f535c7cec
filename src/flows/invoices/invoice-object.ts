import type { Invoice } from "../../modules/invoices/types.ts";
import { invoiceView } from "../../modules/invoices/view.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";

/** The URL of the hosted page that collects the invoice's balance; null when it has no pay link. */
export const invoicePayUrl = (ctx: Ctx, { payLinkId }: Pick<Invoice, "payLinkId">): string | null =>
  payLinkId && hostedUrl(ctx, PAY_PAGE, payLinkId);

/** An invoice as the API and the events show it (interface 2.5). */
export const invoiceObject = (ctx: Ctx, invoice: Invoice) => invoiceView(invoice, invoicePayUrl(ctx, invoice));
