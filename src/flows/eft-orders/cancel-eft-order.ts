import { assert } from "../../kernel/assert.ts";
import { invalid } from "../../kernel/errors.ts";
import { refusalMessage } from "../../modules/eft-orders/rules.ts";
import { moveEftOrder, statusAt } from "../../modules/eft-orders/states.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { abandonedFact } from "../payments/check-payment.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { lockOrderForChange, readLockedOrder } from "./lock-eft-order.ts";
import type { EftOrderChange } from "./review-eft-order.ts";

/**
 * Cancels the order and its pending transaction (interface 3.10). A cancelled order does not change. Locks the order.
 * Throws 404; 400 when it is paid or expired.
 */
export async function cancelEftOrder(tx: Tx, ctx: Ctx, id: string): Promise<EftOrderChange> {
  const before = await lockOrderForChange(tx, id);
  const from = statusAt(before, ctx.now);
  const status = moveEftOrder(from, "cancel");
  if (!status) throw invalid(refusalMessage(from, "cancel"));
  if (status === from) return { before, after: await readLockedOrder(tx, before) };
  const reportedBy = { accountId: before.gatewayAccountId, source: "staff" } as const;
  const outcome = await settlePayment(tx, ctx, reportedBy, abandonedFact(before));
  assert(outcome === "applied", `the payment of an EFT order that can be cancelled is open: ${outcome}`);
  return { before, after: await readLockedOrder(tx, before) };
}
