import type { EftOrder } from "../../modules/eft-orders/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { type Closed, whyClosed } from "../../modules/payment-links/rules.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";

/** The link on which an order was begun, and the invoice that it pays. */
export interface LinkOfOrder {
  readonly link: PaymentLink;
  readonly invoice: Invoice | null;
  /** Why the link no longer accepts payment, so that nobody should transfer for the order; null when it does. */
  readonly closed: Closed | null;
}

/** Null for an order that was created by the API. Locks nothing. */
export async function linkOfOrder(
  tx: Tx,
  { paymentLinkId }: Pick<EftOrder, "paymentLinkId">,
): Promise<LinkOfOrder | null> {
  const link = paymentLinkId && (await findPaymentLink(tx, paymentLinkId));
  if (!link) return null;
  const invoice = link.invoiceId ? await findInvoice(tx, link.invoiceId) : null;
  return { link, invoice, closed: whyClosed(link, invoice) };
}
