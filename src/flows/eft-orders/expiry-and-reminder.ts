import { appendEvent } from "../../events/outbox.ts";
import { EFT_EXPIRED } from "../../modules/eft-orders/declarations.ts";
import { EXPIRING, moveEftOrder, statusAt } from "../../modules/eft-orders/states.ts";
import { updateEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { mailEftReminder } from "./eft-mails.ts";
import { eftOrderObject } from "./eft-order-object.ts";
import { linkOfOrder } from "./link-of-order.ts";
import { readLockedOrder } from "./lock-eft-order.ts";

/**
 * `eft.expire`: expires an order that is neither paid nor in review at its expiry. The caller has locked it. Its
 * transaction stays pending, because staff can still approve a late transfer (interface 3.10).
 */
export async function expireEftOrder(tx: Tx, ctx: Ctx, order: EftOrder): Promise<null> {
  const status = moveEftOrder(order.status, "expire");
  if (!status || order.expiresAt > ctx.now) return null;
  updateEftOrder(tx, { ...order, status });
  const after = await readLockedOrder(tx, order);
  appendEvent(tx, ctx.now, EFT_EXPIRED, after.id, await eftOrderObject(tx, ctx, after));
  return null;
}

/**
 * `eft.remind`, 48 hours before expiry: mails the one reminder of an unpaid order, if there is an address
 * (interface 3.10). Sends none when the order's link or invoice no longer accepts payment.
 */
export async function remindOfEftOrder(tx: Tx, ctx: Ctx, order: EftOrder): Promise<null> {
  if (order.remindedAt !== null || !EXPIRING.includes(statusAt(order, ctx.now))) return null;
  if ((await linkOfOrder(tx, order))?.closed) return null;
  if (await mailEftReminder(tx, ctx, order)) updateEftOrder(tx, { ...order, remindedAt: ctx.now });
  return null;
}
