import { z } from "zod";

const figure = () => z.object({ amount: z.number(), count: z.int(), list: z.string() });
const day = () => z.string().meta({ format: "date" });

/** Interface 14.4: the money collected and owed in a currency. */
export const MoneyObject = z
  .object({
    currency: z.string(),
    collected: z.object({
      today: figure(),
      month: figure(),
      lastMonthToDate: figure().describe("In the month before, up to the same day."),
      lastMonth: figure(),
      days: z
        .array(z.object({ day: day(), amount: z.number(), count: z.int() }))
        .describe("The last 30 days, oldest first, including today."),
    }),
    outstanding: figure().describe("The amount due of open invoices."),
    overdue: figure().describe("The part of it that was due before today."),
    retrying: figure().describe("Of subscriptions' invoices whose collection failed and is tried again, what is due."),
    transfersToReview: figure(),
  })
  .meta({ id: "OverviewMoney" });

/** Interface 14.4: the mandates that are debited next. */
export const NextDebitsObject = figure().extend({ date: day() }).meta({ id: "NextDebits" });

/** Interface 14.4: deliveries that were given up in the last 30 days. */
export const WebhookFailuresObject = z
  .object({
    count: z.int(),
    endpoints: z.int().describe("The number of endpoints that they were for."),
    list: z.string(),
  })
  .meta({ id: "WebhookFailures" });
