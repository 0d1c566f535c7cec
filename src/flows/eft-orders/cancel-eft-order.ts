import { assert } from "../../kernel/assert.ts";
import { invalid } from "../../kernel/errors.ts";
import { whyNot } from "../../modules/eft-orders/rules.ts";
import { moveEftOrder, statusAt } from "../../modules/eft-orders/states.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { abandonment } from "../payments/check-payment.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { lockForMove, recordOfLocked } from "./lock-order.ts";
import type { Reviewed } from "./review-eft-order.ts";

/** Interface 3.10: the order and its pending transaction end; cancelled again it stays as it is. 404; 400 when it is paid or expired. */
export async function cancelEftOrder(tx: Tx, ctx: Ctx, id: string): Promise<Reviewed> {
  const before = await lockForMove(tx, id);
  const from = statusAt(before, ctx.now);
  const status = moveEftOrder(from, "cancel");
  if (!status) throw invalid(whyNot(from, "cancel"));
  if (status === from) return { before, after: await recordOfLocked(tx, before) };
  const reportedBy = { accountId: before.gatewayAccountId, source: "staff" } as const;
  const outcome = await settlePayment(tx, ctx, reportedBy, abandonment(before));
  assert(outcome === "applied", `the payment of an EFT order that can be cancelled is open: ${outcome}`);
  return { before, after: await recordOfLocked(tx, before) };
}
