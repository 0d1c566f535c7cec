import { z } from "zod";
import { timestamp } from "../../platform/schema.ts";

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

/** What a new organisation sets up, in order. */
const FIRST_STEPS = ["business", "vat", "bank_details", "gateway", "email", "team", "first_invoice"] as const;

/** Answer of `GET /first-steps`. */
export const FirstStepsObject = z
  .object({
    steps: z.array(z.object({ key: z.enum(FIRST_STEPS), done: z.boolean() })),
    mail: z.object({
      configured: z.boolean().describe("Whether this installation sends mail; without it mails are only kept."),
      lastFailure: z
        .object({ at: timestamp(), error: z.string().nullable() })
        .nullable()
        .describe("The newest mail that could not be sent."),
    }),
  })
  .meta({ id: "FirstSteps" });
export type FirstSteps = z.output<typeof FirstStepsObject>;
