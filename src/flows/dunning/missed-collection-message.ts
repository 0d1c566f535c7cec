import { formatMoney } from "../../kernel/money.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Dunning } from "../../modules/dunning/rules.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import { requestMessages } from "../messages/request-message.ts";

/**
 * Requests the message about a failed attempt, or a reversed payment, by the channel of the settings; none where it
 * cannot be sent, or the invoice has no page to pay it on.
 */
export async function messageMissedCollection(
  tx: Tx,
  ctx: Ctx,
  { messageBy }: Pick<Dunning, "messageBy">,
  invoice: Invoice,
): Promise<void> {
  if (messageBy === null || invoice.payLinkId === null) return;
  const [link, customer] = await Promise.all([
    findPaymentLink(tx, invoice.payLinkId),
    findCustomer(tx, invoice.customer.id),
  ]);
  if (!link) return;
  const amount = formatMoney(amountDue(invoice), invoice.currency);
  const parts = { what: `invoice ${invoice.number}`, amount, url: shortUrlOf(ctx, link) };
  await requestMessages(tx, ctx, messageBy, [{ kind: "payment_failed", about: invoice.id, customer, parts }]);
}
