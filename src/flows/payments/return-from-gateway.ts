import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { abandonedFact, askAboutPayment, checkPayment } from "./check-payment.ts";
import { settlePayment } from "./settle-payment.ts";

/**
 * Handles the return of the payer's browser from the gateway. The return proves nothing, so the gateway is asked about
 * a pending payment. With `cancelled`, a payment that the gateway calls pending or does not know is then cancelled
 * (interface 3.1, "payer cancels"), and still queried (decisions.md#cancelled-payments-are-still-queried); a later
 * verified success still completes it. Null when there is no such payment.
 */
export async function returnFromGateway(
  services: Services,
  ctx: Ctx,
  reference: string,
  cancelled: boolean,
): Promise<Transaction | null> {
  const find = () => services.db.read(ctx.organisation.id, (tx) => findByReference(tx, reference));
  const before = await find();
  if (before?.status !== "pending") return before;
  // The payer does not control a charge of a saved card.
  if (before.type === "card_debit") {
    await checkPayment(services, ctx, before.id);
    return find();
  }
  const answered = await askAboutPayment(services, ctx, before);
  if (!cancelled || answered !== "open") return find();
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const now = await findByReference(tx, reference);
    if (now?.status === "pending")
      await settlePayment(tx, ctx, { accountId: now.gatewayAccountId, source: "payer" }, abandonedFact(now));
  });
  return find();
}
