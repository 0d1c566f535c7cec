import { isOpen } from "../../domain/invoices.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { asksForDebt } from "../../modules/messages/rules.ts";
import { hasNewer } from "../../modules/messages/store.ts";
import type { Message } from "../../modules/messages/types.ts";
import { whyClosed } from "../../modules/payment-links/rules.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import { invoicesBeingCollected } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * Why a message that asks for a debt must not leave any more, in words: its invoice or payment link was paid or closed
 * since it was requested, a newer one about it was requested, or the service is collecting the invoice, so that its page
 * takes no payment. Null when it may leave.
 */
export async function whyNotAsked(tx: Tx, message: Message): Promise<string | null> {
  const { kind, about } = message;
  if (!asksForDebt(kind)) return null;
  if (await hasNewer(tx, message)) return "A newer message about the same debt is sent in its place.";
  const [invoice, link] = await Promise.all([findInvoice(tx, about), findPaymentLink(tx, about)]);
  if (invoice) {
    if (!isOpen(invoice)) return `Invoice ${invoice.number} is ${invoice.status}, so there is nothing to pay.`;
    const collected = await invoicesBeingCollected(tx, [invoice.id]);
    return collected.has(invoice.id) ? `Invoice ${invoice.number} is being collected, so it cannot be paid now.` : null;
  }
  const closed = link && whyClosed(link, null);
  return closed ? `The payment link is ${closed}, so there is nothing to pay.` : null;
}
