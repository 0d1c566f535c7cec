import type { BankDetails } from "../../kernel/bank-details.ts";
import type { EftOrderId } from "../../kernel/ids.ts";
import { asOf } from "../../modules/eft-orders/states.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrderRecord } from "../../modules/eft-orders/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { bankDetailsOfOrder } from "./eft-order-object.ts";
import { type LinkOfOrder, linkOfOrder } from "./link-of-order.ts";

/** The facts on the hosted page of a bank transfer. */
export interface EftPageFacts {
  /** The order, with its present status. */
  readonly order: EftOrderRecord;
  readonly bank: BankDetails;
  readonly settings: Settings;
  /** The payment link that the order was started on. */
  readonly begunOn: LinkOfOrder | null;
}

/** Reads the page's facts. Null when there is no such order. */
export function readEftPage(services: Services, ctx: Ctx, id: EftOrderId): Promise<EftPageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [order, settings] = await Promise.all([findEftOrder(tx, id), currentSettings(tx)]);
    if (!order) return null;
    const [bank, begunOn] = await Promise.all([bankDetailsOfOrder(tx, ctx, order), linkOfOrder(tx, order)]);
    return { order: asOf(order, ctx.now), bank, settings, begunOn };
  });
}
