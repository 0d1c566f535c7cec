import { calendarDay } from "../../kernel/time.ts";
import type { BillLine } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { billLineView } from "../../modules/customer-subscriptions/view.ts";
import type { ExternalPeriod } from "../../modules/external-periods/types.ts";
import { comparedPeriodView } from "../../modules/external-periods/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { requireSubscription } from "./act-on-subscription.ts";
import { requireExternal } from "./sync-period.ts";

/** Reads an external subscription. Throws 404; 409 `not_external`. */
export async function externalSubscription(tx: Tx, ctx: Ctx, id: string): Promise<ShownSubscription> {
  const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
  requireExternal(found);
  return found;
}

/** A recorded period beside the bill that the service would have made, each line with its reason. */
export const comparedPeriod = (period: ExternalPeriod, { state }: ShownSubscription) =>
  comparedPeriodView(
    period,
    state.terms.price.currency,
    (period.comparison.lines as readonly BillLine[]).map(billLineView),
  );
