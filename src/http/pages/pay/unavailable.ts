import type { Ctx } from "../../../flows/context.ts";
import { invoicePayUrl } from "../../../flows/invoices/invoice-object.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import type { Invoice } from "../../../modules/invoices/types.ts";
import type { Unavailable as Reason } from "../../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../../modules/payment-links/types.ts";
import { type Unavailable, unavailablePage } from "../../../templates/pages/pay.ts";
import { brandOf } from "../brand.ts";
import type { PageAnswer } from "../site.ts";
import type { Visit } from "../visit.ts";

/** The path of the PDF of the link's invoice. */
export const pdfPath = ({ path }: Pick<Visit<PaymentLinkId>, "path">): string => `${path}/invoice.pdf`;

/** The page of a link that cannot be paid, with the reason (interface 15.4). */
export function unavailableAnswer(
  visit: Visit<PaymentLinkId>,
  { link, settings, invoice }: PayPageFacts,
  why: Reason,
): PageAnswer {
  const { organisation } = visit.ctx;
  return {
    sandbox: organisation.sandbox,
    capability: true,
    html: unavailablePage({
      brand: brandOf(organisation, settings),
      title: link.title,
      amount: link.amount,
      currency: link.currency,
      unavailable: unavailableOf(visit.ctx, why, { link, invoice }),
      pdf: invoice ? pdfPath(visit) : null,
    }),
  };
}

/** The reason, with the facts that pages show: a link of an invoice that was sent again leads to the newer link. */
export function unavailableOf(
  ctx: Ctx,
  why: Reason,
  { link, invoice }: { readonly link: PaymentLink; readonly invoice: Invoice | null },
): Unavailable {
  const invoiceNumber = invoice?.number ?? null;
  const newer = link.collectsBalance && invoice ? invoicePayUrl(ctx, invoice) : null;
  switch (why) {
    case "paid":
      return invoiceNumber === null ? { reason: "already_paid" } : { reason: "invoice_paid", invoiceNumber };
    case "cancelled":
      return { reason: "invoice_cancelled", invoiceNumber: invoiceNumber ?? "" };
    case "deactivated":
      return newer === null
        ? { reason: "deactivated" }
        : { reason: "replaced", invoiceNumber: invoiceNumber ?? "", url: newer };
    case "expired":
      return { reason: "expired", expiredAt: link.expiresAt ?? link.createdAt };
    case "collecting":
      return { reason: "being_collected" };
    case "attempt_soon":
      return { reason: "attempt_soon" };
    case "confirming":
      return { reason: "being_confirmed" };
    case "account":
      return { reason: "account_read_only" };
    case "quota":
      return { reason: "monthly_limit_reached" };
    case "gateway":
      return { reason: "no_gateway" };
  }
}
