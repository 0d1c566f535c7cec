import { z } from "zod";

const figure = () => z.object({ amount: z.number(), count: z.int(), list: z.string() });
const day = () => z.string().meta({ format: "date" });

/** Interface 14.4: what came in and what is owed in a currency. */
export const MoneyObject = z
  .object({
    currency: z.string(),
    collected: z.object({
      today: figure(),
      month: figure(),
      lastMonthToDate: figure().describe("Of the month before, up to the same day."),
      lastMonth: figure(),
      days: z
        .array(z.object({ day: day(), amount: z.number(), count: z.int() }))
        .describe("The last 30 days, oldest first, today's included."),
    }),
    outstanding: figure().describe("Of open invoices, what is due."),
    overdue: figure().describe("Of that, what was due before today."),
    retrying: figure().describe("Of subscriptions' invoices whose collection failed and is tried again, what is due."),
    transfersToReview: figure(),
  })
  .meta({ id: "OverviewMoney" });

/** Interface 14.4: the mandates that are debited next. */
export const NextDebitsObject = figure().extend({ date: day() }).meta({ id: "NextDebits" });

/** Interface 14.4: deliveries that were given up in the last 30 days. */
export const WebhookFailuresObject = z
  .object({ count: z.int(), endpoints: z.int().describe("How many endpoints they were for."), list: z.string() })
  .meta({ id: "WebhookFailures" });
