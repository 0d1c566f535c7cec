import { ApiError, notFound } from "../../kernel/errors.ts";
import { formatMoney } from "../../kernel/money.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import type { MessageRequest } from "../messages/request-message.ts";

/** The message that sends a payment link. Throws 404; 409 `invalid_state` for a link that takes no payment any more. */
export async function linkMessage(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { channel, phone }: Pick<MessageRequest, "channel" | "phone">,
): Promise<MessageRequest> {
  const link = await findPaymentLink(tx, id);
  if (!link) throw notFound("payment link");
  if (!link.active || (link.expiresAt !== null && link.expiresAt <= ctx.now))
    throw new ApiError("invalid_state", 409, "The payment link is closed, so it cannot be sent.");
  return {
    channel,
    kind: "payment_link",
    about: link.id,
    customer: link.customerId && (await findCustomer(tx, link.customerId)),
    phone,
    parts: { what: link.title, amount: formatMoney(link.amount, link.currency), url: shortUrlOf(ctx, link) },
  };
}
