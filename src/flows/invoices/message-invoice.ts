import { ApiError, notFound } from "../../kernel/errors.ts";
import { formatMoney } from "../../kernel/money.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { amountDue, isPastDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import { type MessageRequest, requestMessages } from "../messages/request-message.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * The message that sends an open invoice, a reminder once its due date has passed, with the address of its page. Throws 404; 409
 * `invalid_state` for a draft, one that needs no payment, and one that cannot be paid online.
 */
export async function invoiceMessage(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { channel, phone }: Pick<MessageRequest, "channel" | "phone">,
): Promise<MessageRequest> {
  const invoice = await findInvoice(tx, id);
  if (!invoice) throw notFound("invoice");
  const refuse = (why: string) => new ApiError("invalid_state", 409, why);
  if (invoice.status === "draft") throw refuse("The invoice is a draft. Send it first, then by SMS or WhatsApp too.");
  if (invoice.status === "paid" || invoice.status === "cancelled")
    throw refuse(`The invoice is ${invoice.status}, so there is nothing to pay.`);
  const message = await aboutInvoice(tx, ctx, isPastDue(invoice, ctx.now) ? "reminder" : "invoice", invoice);
  if (!message)
    throw refuse("The invoice cannot be paid online, so a message has no address to lead to. Add a gateway.");
  return { ...message, channel, phone };
}

/**
 * Requests the message about an open invoice by the channel that the settings name for it; none where it cannot be sent, or
 * the invoice has no page to pay it on.
 */
export async function messageAboutInvoice(
  tx: Tx,
  ctx: Ctx,
  kind: "reminder" | "payment_failed",
  invoice: Invoice,
): Promise<void> {
  const { failedPayments, invoiceReminders } = (await currentSettings(tx)).messages;
  const channel = kind === "payment_failed" ? failedPayments : invoiceReminders;
  const message = channel && (await aboutInvoice(tx, ctx, kind, invoice));
  if (channel && message) await requestMessages(tx, ctx, channel, [message]);
}

/** The message about an invoice; null when it cannot be paid online. */
async function aboutInvoice(
  tx: Tx,
  ctx: Ctx,
  kind: "invoice" | "reminder" | "payment_failed",
  invoice: Invoice,
): Promise<Omit<MessageRequest, "channel" | "phone"> | null> {
  const [link, customer] = await Promise.all([
    invoice.payLinkId && findPaymentLink(tx, invoice.payLinkId),
    findCustomer(tx, invoice.customer.id),
  ]);
  if (!link) return null;
  const parts = {
    what: kind === "payment_failed" ? `invoice ${invoice.number}` : invoice.number,
    amount: formatMoney(amountDue(invoice), invoice.currency),
    url: shortUrlOf(ctx, link),
  };
  return { kind, about: invoice.id, customer, parts };
}
