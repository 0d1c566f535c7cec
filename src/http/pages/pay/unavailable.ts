import { invoicePayUrl } from "../../../flows/invoices/invoice-object.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
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
  const newer = link.collectsBalance && invoice ? invoicePayUrl(visit.ctx, invoice) : null;
  return {
    sandbox: organisation.sandbox,
    capability: true,
    html: unavailablePage({
      brand: brandOf(organisation, settings),
      title: link.title,
      amount: link.amount,
      currency: link.currency,
      unavailable: inWords(why, link, invoice?.number ?? null, newer),
      pdf: invoice ? pdfPath(visit) : null,
    }),
  };
}

function inWords(why: Reason, link: PaymentLink, invoiceNumber: string | null, newer: string | null): Unavailable {
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
    case "account":
      return { reason: "account_read_only" };
    case "quota":
      return { reason: "monthly_limit_reached" };
    case "gateway":
      return { reason: "no_gateway" };
  }
}
