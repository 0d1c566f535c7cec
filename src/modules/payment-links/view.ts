import { statedVatFields } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { LinkWithPayments, PaymentLink } from "./types.ts";

/** The addresses of a link's page, which give access to the payment. */
export interface LinkAddresses {
  readonly url: string;
  readonly shortUrl: string;
}

/** Interface 2.3, as create answers it: without `payments` and `subscription`. */
export const paymentLinkView = (link: PaymentLink, { url, shortUrl }: LinkAddresses) => ({
  id: link.id,
  url,
  shortUrl,
  title: link.title,
  description: link.description,
  amount: toRand(link.amount),
  currency: link.currency,
  externalReference: link.externalReference,
  returnUrl: link.returnUrl,
  metadata: link.metadata,
  recurring: link.recurring && { frequency: link.recurring.frequency, amount: toRand(link.recurring.amount) },
  singleUse: link.singleUse,
  active: link.active,
  expiresAt: toTimestampOrNull(link.expiresAt),
  ...statedVatFields(link.vat),
  paidCount: link.paidCount,
  createdAt: toTimestamp(link.createdAt),
});

/** Interface 2.3, as list and get answer it. */
export const paymentLinkWithPaymentsView = (
  link: LinkWithPayments,
  addresses: LinkAddresses,
  subscription: { readonly id: string; readonly status: string } | null,
) => ({
  ...paymentLinkView(link, addresses),
  payments: link.payments.map((payment) => ({
    reference: payment.reference,
    status: payment.status,
    amount: toRand(payment.amount),
    currency: payment.currency,
    paidAt: toTimestampOrNull(payment.paidAt),
    createdAt: toTimestamp(payment.createdAt),
  })),
  subscription,
});

/** As staff see it: with the invoice that it pays. */
export const staffPaymentLinkView = (
  link: LinkWithPayments,
  addresses: LinkAddresses,
  subscription: Parameters<typeof paymentLinkWithPaymentsView>[2],
) => ({
  ...paymentLinkWithPaymentsView(link, addresses, subscription),
  invoiceId: link.invoiceId,
  collectsBalance: link.collectsBalance,
});
