import { notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import type { RefundLimits } from "../../modules/payments/schema.ts";
import { isRefundable } from "../../modules/payments/states.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import { dryRun } from "../../platform/dry-run.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { limitOfRefund } from "./left-to-refund.ts";
import { lockPaymentForRefund } from "./post-refund.ts";

/** The most that can be refunded of a payment now, by the very rules of `recordRefund`. Writes nothing. Throws 404. */
export function refundLimits(services: Services, ctx: Ctx, reference: string): Promise<RefundLimits> {
  return dryRun(services.db, ctx.organisation.id, async (tx) => {
    const found = await findByReference(tx, reference);
    const payment = found && (await lockPaymentForRefund(tx, ctx, found));
    if (!payment) throw notFound("transaction");
    if (!isRefundable(payment.transaction.status)) return { limit: 0, limitElsewhere: 0, why: null };
    const [asked, elsewhere] = await Promise.all([
      limitOfRefund(tx, payment, { madeElsewhere: false }),
      limitOfRefund(tx, payment, { madeElsewhere: true }),
    ]);
    const isLess = asked.left < elsewhere.left;
    return { limit: toRand(asked.left), limitElsewhere: toRand(elsewhere.left), why: isLess ? asked.most : null };
  });
}
