import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { EFT_CANCELLED, EFT_EXPIRE, EFT_REMIND } from "../../modules/eft-orders/declarations.ts";
import { type EftAction, moveEftOrder } from "../../modules/eft-orders/states.ts";
import { lockEftOrder, updateEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import { endsPayment, type Purpose } from "../payments/purpose.ts";
import { eftOrderObject } from "./eft-order-object.ts";
import { readLockedOrder } from "./lock-eft-order.ts";

/**
 * A bank transfer: the order becomes paid when its payment completes, and cancelled when its payment is cancelled
 * (interface 3.10). Locks the order.
 */
export const eftOrderPurpose: Purpose = {
  locks: "EFT order",
  async lock(tx, ctx, { eftOrderId }, move) {
    const order = eftOrderId && endsPayment(move) ? await lockEftOrder(tx, eftOrderId) : null;
    if (!order) return null;
    return {
      complete() {
        end(tx, order, "approve", { rejectionReason: null, reviewedAt: ctx.now, paidAt: ctx.now });
      },
      async fail() {
        end(tx, order, "cancel", {});
        const after = await readLockedOrder(tx, order);
        appendEvent(tx, ctx.now, EFT_CANCELLED, after.id, await eftOrderObject(tx, ctx, after));
      },
    };
  },
};

/** Ends the order and cancels its due work. */
function end(tx: Tx, order: EftOrder, action: EftAction, changes: Partial<EftOrder>): void {
  const status = moveEftOrder(order.status, action);
  assert(status, `an EFT order whose payment ends is open: ${order.status}`);
  updateEftOrder(tx, { ...order, ...changes, status });
  cancelWork(tx, EFT_REMIND, order.id);
  cancelWork(tx, EFT_EXPIRE, order.id);
}
