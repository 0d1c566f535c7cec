import { z } from "zod";
import { customerReference, filter, type ListFilter, listQuery, oneOf, timestamp } from "../../../platform/schema.ts";
import { dateAsked } from "../../../platform/schema-dates.ts";
import { MOVEMENT_KINDS } from "../types.ts";

/** Query of `GET /subscription-movements` (interface 14.2). */
export const MovementQuery = listQuery(["mrm"], {
  kind: oneOf(MOVEMENT_KINDS),
  currency: filter(),
  from: dateAsked().optional(),
});
/** As the store receives it, without the day. */
export type MovementQueried = Omit<z.output<typeof MovementQuery>, "from"> & Pick<ListFilter, "named">;

/** A change of the monthly recurring revenue of a subscription. */
export const MovementObject = z
  .object({
    id: z.string(),
    kind: z.enum(MOVEMENT_KINDS),
    subscriptionId: z.string(),
    customer: customerReference(),
    currency: z.string(),
    amount: z.number(),
    happenedAt: timestamp(),
  })
  .meta({ id: "SubscriptionMovement" });

/** A figure: an amount, the number of records in it, and the path of the list that shows them. */
const figure = () => z.object({ amount: z.number(), count: z.int(), list: z.string() });

/** Interface 14.4: the monthly recurring revenue of subscriptions in a currency, its movements, and the charges that could not be collected. */
export const RecurringRevenueObject = z
  .object({
    currency: z.string(),
    mrr: figure(),
    movements: z.object({
      new: figure(),
      expansion: figure(),
      contraction: figure(),
      churn: figure(),
      reactivation: figure(),
    }),
    failed: figure(),
    recovered: figure(),
  })
  .meta({ id: "RecurringRevenue" });
