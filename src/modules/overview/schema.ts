import { z } from "zod";
import { customerReference } from "../../domain/schema.ts";
import { type CalendarDay, parseCalendarDay } from "../../kernel/time.ts";
import { filter, limit, oneOf, someOf, timestamp } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { DIVISIONS } from "./rules.ts";
import { MONEY_ACCOUNTS, RECEIPT_KINDS, TASK_KINDS } from "./types.ts";

const figure = () => z.object({ amount: z.number(), count: z.int(), list: z.string() });
const day = () => z.string().meta({ format: "date" });

/** Money that came, less what went back. */
const received = {
  gross: z.number().describe("What payers paid."),
  refunded: z.number().describe("What was given back, by the day of the refund."),
  reversed: z.number().describe("What banks took back, by the day on which that was booked."),
  net: z.number().describe("gross less refunded and reversed."),
};
const receivedWhole = () => z.object({ ...received, payments: z.int().describe("The number of payments in gross.") });

/** Interface 14.4: the money received in a currency, whatever the way in which it came. */
export const ReceivedObject = z
  .object({
    currency: z.string(),
    today: receivedWhole(),
    thisMonth: receivedWhole().describe("Up to today."),
    lastMonth: receivedWhole().describe("The whole month before."),
    days: z.array(z.object({ day: day(), ...received })).describe("The last 30 days, oldest first, including today."),
  })
  .meta({ id: "Received" });

const receivedSpan = () => z.object({ from: day(), to: day() }).extend(receivedWhole().shape);
const receivedDivided = () =>
  receivedSpan().extend({
    series: z.array(receivedSpan()).describe("Oldest first; the first and the last may be cut."),
  });

/** Interface 14.4: the money received in some days and in as many before. */
export const ReceivedRangeObject = z
  .object({ object: z.literal("received"), currency: z.string(), by: z.enum(DIVISIONS) })
  .extend(receivedDivided().shape)
  .extend({ before: receivedDivided().describe("As many days before.") })
  .meta({ id: "ReceivedRange" });

/** Interface 14.4: the money received in some days by each method and gateway. */
export const ReceivedByMethodObject = z
  .object({ object: z.literal("received_by_method"), currency: z.string(), from: day(), to: day() })
  .extend(receivedWhole().shape)
  .extend({
    fees: z.number(),
    methods: z
      .array(
        z
          .object({
            method: z.string().describe("As receipts have it."),
            gateway: z.string().nullable().describe("Null where no gateway took the money or gave it back."),
          })
          .extend(receivedWhole().shape)
          .extend({ fees: z.number().describe("What the gateway kept of these payments, as far as it told.") }),
      )
      .describe("The one with the most gross first."),
  })
  .meta({ id: "ReceivedByMethod" });

/** Interface 14.4: where the money is that was ever received. */
export const MoneyPlacesObject = z
  .object({
    object: z.literal("money_places"),
    currencies: z
      .array(
        z.object({
          currency: z.string(),
          total: z.number().describe("All that was ever received, less what was refunded and reversed."),
          places: z
            .array(
              z.object({
                place: z.enum(MONEY_ACCOUNTS).describe("The ledger account."),
                amount: z.number().describe("Below zero where more was taken out than came in."),
                parts: z
                  .array(
                    z.object({
                      name: z.string().nullable().describe("The bank or gateway account; null for the rest."),
                      id: z.string().nullable().describe("The gateway account's; bank accounts have none."),
                      amount: z.number(),
                    }),
                  )
                  .describe(
                    "Of `bank_reconciled` by bank account, of `gateway_clearing` by gateway account; they add up to the amount. " +
                      "Empty for whoever may not read these accounts.",
                  ),
              }),
            )
            .describe("Those that are not zero; they add up to the total."),
        }),
      )
      .describe("One for each currency, ZAR first."),
  })
  .meta({ id: "MoneyPlaces" });

const days = {
  from: dateAsked().optional().describe("The first South African day; default: the first of this month."),
  to: dateAsked().optional().describe("The last day, included; default: today."),
  currency: filter().describe("Default: the organisation's."),
};

/** Query of `GET /overview/received`. */
export const ReceivedQuery = z.object({ ...days, by: oneOf(DIVISIONS) });

/** Query of reports about some days. */
export const DaysQuery = z.object(days);

const cursor = () =>
  z
    .string()
    .optional()
    .transform((value) => value?.trim() || undefined)
    .refine((value) => value === undefined || receiptCursor(value), "must be the nextCursor of this list");

/** Query of `GET /receipts`. */
export const ReceiptQuery = z.object({
  ...days,
  kind: someOf(RECEIPT_KINDS),
  customerId: filter(),
  method: filter(),
  gateway: filter(),
  limit: limit(),
  startingAfter: cursor(),
  endingBefore: cursor(),
});

/** The day and the record of a receipt's id; null when it is none. */
export function receiptCursor(id: string): { readonly day: CalendarDay; readonly record: string } | null {
  const day = parseCalendarDay(id.slice(0, "YYYY-MM-DD".length));
  const record = /^:([a-z]{2,5}_[0-9a-z]{26,32}(?::\d{1,2})?)$/.exec(id.slice("YYYY-MM-DD".length))?.[1];
  return day && record ? { day, record } : null;
}

/** Interface 14.4: money that came from a customer, or went back to one. */
export const ReceiptObject = z
  .object({
    object: z.literal("receipt"),
    id: z.string().describe("Its day and the record's id."),
    kind: z.enum(RECEIPT_KINDS),
    day: day(),
    amount: z.number().describe("Below zero for what went back."),
    currency: z.string(),
    customer: customerReference().nullable(),
    method: z
      .string()
      .nullable()
      .describe("The gateway, or `eft`, `debit_order`, `cash`, `card`, `wallet`, `manual`, `other`."),
    gateway: z.string().nullable().describe("The gateway that took it or gave it back; null where none did."),
    reference: z.string().nullable(),
    path: z.string().describe("The page of its record, below `/dashboard`."),
  })
  .meta({ id: "Receipt" });

/** Interface 14.4: what needs a person. */
export const TaskObject = z
  .object({
    kind: z.enum(TASK_KINDS),
    count: z.int(),
    amounts: z.array(z.object({ currency: z.string(), amount: z.number() })).describe("By currency."),
    since: day().describe(
      "The oldest day; of failures and refused batches the latest, of cards the last valid one of the first, " +
        "of a VAT return the last on which it can be submitted.",
    ),
    list: z.string(),
  })
  .meta({ id: "OverviewTask" });

/** Interface 14.4: the money expected in the thirty days from tomorrow in a currency. */
export const ExpectedObject = z
  .object({
    currency: z.string(),
    from: day(),
    to: day(),
    amount: z.number(),
    invoices: figure().describe("Open invoices on their due dates, without what a pending debit or charge collects."),
    debits: figure().describe("Batches without results, mandates that are debited next, renewals by debit order."),
    cards: figure().describe("Renewals of subscriptions by card."),
    days: z.array(z.object({ day: day(), invoices: z.number(), debits: z.number(), cards: z.number() })),
  })
  .meta({ id: "OverviewExpected" });

/** Interface 14.4: the money owed in a currency. */
export const MoneyObject = z
  .object({
    currency: z.string(),
    outstanding: figure().describe("The amount due of open invoices."),
    overdue: figure().describe("The part of it that was due before today."),
    retrying: figure().describe("Of subscriptions' invoices whose collection failed and is tried again, what is due."),
    transfersToReview: figure(),
  })
  .meta({ id: "OverviewMoney" });

/** Interface 14.4: the mandates that are debited next. */
export const NextDebitsObject = figure().extend({ date: day() }).meta({ id: "NextDebits" });

/** Interface 14.4: debits that were returned unpaid, for which something is still owed. */
export const UnpaidDebitsObject = figure().meta({ id: "OverviewUnpaidDebits" });

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

const reached = {
  created: z.int().describe("How many were created in these days."),
  opened: z.int().describe("Of these, those that a payer has opened."),
  started: z.int().describe("Of these, those on which a payment was started; of checkouts, whose form was sent."),
  paid: z.int().describe("Of these, those that were paid; of checkouts, completed."),
};
const funnelSpan = () =>
  z.object({
    from: day(),
    to: day(),
    paymentLinks: z.object(reached).describe("Those that pay no invoice."),
    checkouts: z.object(reached).describe("Those of packages and products."),
  });

/** Interface 14.4: how many of the payment links and checkouts that were created in some days reached each stage since. */
export const FunnelReportObject = z
  .object({ object: z.literal("funnel_report"), by: z.enum(DIVISIONS) })
  .extend(funnelSpan().shape)
  .extend({ series: z.array(funnelSpan()).describe("Oldest first; the first and the last may be cut.") })
  .meta({ id: "FunnelReport" });

/** Interface 14.4: the currencies in which there are figures. */
export const CurrenciesObject = z.object({ currencies: z.array(z.string()).describe("The organisation's own first.") });
