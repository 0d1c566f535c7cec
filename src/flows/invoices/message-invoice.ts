import { ApiError, notFound } from "../../kernel/errors.ts";
import { formatMoney } from "../../kernel/money.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { amountDue, isPastDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import type { MessageRequest } from "../messages/request-message.ts";

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
  const link = invoice.payLinkId && (await findPaymentLink(tx, invoice.payLinkId));
  if (!link) throw refuse("The invoice cannot be paid online, so a message has no address to lead to. Add a gateway.");
  return {
    channel,
    kind: isPastDue(invoice, ctx.now) ? "reminder" : "invoice",
    about: invoice.id,
    customer: await findCustomer(tx, invoice.customer.id),
    phone,
    parts: {
      what: invoice.number,
      amount: formatMoney(amountDue(invoice), invoice.currency),
      url: shortUrlOf(ctx, link),
    },
  };
}
