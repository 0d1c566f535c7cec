import { z } from "zod";
import type { ListFilter } from "../../../domain/lists.ts";
import { customerName, customerReference, exemptMark, LineReasonObject } from "../../../domain/schema.ts";
import {
  currency,
  filter,
  flag,
  frequency,
  listQuery,
  metadata,
  metadataFilter,
  oneOf,
  optional,
  optionalNumber,
  pageQuery,
  recordQuery,
  someOf,
  text,
  timestamp,
  whole,
} from "../../../platform/schema.ts";
import { dateAsked, dayOrTime } from "../../../platform/schema-dates.ts";
import {
  BILLED_METHODS,
  COLLECTION_METHODS,
  CUSTOMER_SUBSCRIPTION_STATUSES,
  EXTERNAL_REFERENCE_MAX,
  MOVEMENT_KINDS,
  QUANTITY_MAX,
  SUBSCRIPTION_SOURCES,
} from "../types.ts";
import { ChangeCharge, newItems, PendingChange, SubscriptionChangePreview, SubscriptionItem } from "./changes.ts";

/** Two years, the same as for a plan. */
const TRIAL_DAYS_MAX = 731;
/** Body of `POST /customer-subscriptions` (interface 4.8). */
export const CustomerSubscriptionCreate = z
  .object({
    customer: customerName(),
    planId: optional(text(1, 100)),
    plan: optional(text(1, 100)),
    collectionMethod: z.enum(BILLED_METHODS, `must be one of ${COLLECTION_METHODS.join(", ")}`),
    currency: optional(currency()).describe("One in which the plan has a price; without it the plan's own."),
    quantity: optionalNumber(whole(1, QUANTITY_MAX)),
    items: newItems(),
    startDate: optional(dayOrTime()),
    paidThrough: optional(dayOrTime()),
    trialDays: optionalNumber(whole(0, TRIAL_DAYS_MAX)),
    billingAnchorDay: optionalNumber(whole(1, 31)),
    externalReference: optional(text(1, EXTERNAL_REFERENCE_MAX)),
    metadata: optional(metadata()),
    dryRun: flag(false),
    couponId: optional(text(1, 100)),
    couponCode: optional(text(1, 50)),
  })
  .refine(({ planId, plan }) => (planId === null) !== (plan === null), {
    path: ["plan"],
    message: "send exactly one of plan (id or code) and planId",
  })
  .refine(({ couponId, couponCode }) => couponId === null || couponCode === null, {
    path: ["couponCode"],
    message: "send couponId or couponCode, not both",
  })
  .refine(({ paidThrough, startDate }) => paidThrough === null || startDate === null, {
    path: ["paidThrough"],
    message: "cannot be sent with startDate: who has paid is subscribed from today",
  })
  .refine(({ paidThrough, trialDays }) => paidThrough === null || !trialDays, {
    path: ["trialDays"],
    message: "cannot be sent with paidThrough: who has paid has no trial",
  });
export type CustomerSubscriptionCreateBody = z.output<typeof CustomerSubscriptionCreate>;

/** Query of `GET /customer-subscriptions` (interface 4.8). */
export const CustomerSubscriptionQuery = recordQuery(["csub"], {
  metadata: metadataFilter(),
  status: someOf(CUSTOMER_SUBSCRIPTION_STATUSES),
  planId: filter(),
  packageId: filter(),
  customerId: filter(),
  customerExternalReference: filter(),
  externalReference: filter(),
  collectionMethod: someOf(COLLECTION_METHODS),
  collectedByService: oneOf(["true", "false"]),
  nextBillingFrom: dateAsked().optional(),
  nextBillingTo: dateAsked().optional(),
  currency: filter(),
  recurring: oneOf(["true"]).describe("Those with monthly recurring revenue, whose sum the overview shows."),
  cardExpiring: oneOf(["true"]).describe("Those whose card expires within 30 days, and before their next bill."),
});
/** As the store receives it. */
export type CustomerSubscriptionQueried = z.output<typeof CustomerSubscriptionQuery>;

/** Query of `GET /customer-subscriptions/{id}/invoices`. */
export const SubscriptionInvoicesQuery = pageQuery(["inv"], {});

/** Query of `GET /customer-subscriptions/{id}/payments`. */
export const SubscriptionPaymentsQuery = pageQuery(["txn"], {});

const shownDay = () => z.string().meta({ format: "date" });

/** Interface 2.13. */
export const CustomerSubscriptionObject = z
  .object({
    object: z.literal("customer_subscription"),
    id: z.string().nullable().describe("Null in a dry run."),
    status: z.enum(CUSTOMER_SUBSCRIPTION_STATUSES),
    customer: customerReference(),
    plan: z.object({ id: z.string(), name: z.string(), packageId: z.string(), packageName: z.string() }),
    collectionMethod: z.enum(COLLECTION_METHODS),
    collectedByService: z.boolean(),
    billedBy: z.string().nullable(),
    billingPeriod: frequency(),
    currency: z.string(),
    amount: z.number().describe("Of a full period, with add-ons; with VAT when the price includes it, else without."),
    quantity: z.int(),
    items: z.array(SubscriptionItem),
    startDate: shownDay(),
    trialEnd: shownDay().nullable().describe("The last day of the trial, until something is billed."),
    billingAnchorDay: z.int().nullable(),
    currentPeriodStart: shownDay().nullable(),
    currentPeriodEnd: shownDay()
      .nullable()
      .describe("Included; of an external subscription the day on which the next period starts."),
    nextBillingAt: timestamp()
      .nullable()
      .describe("Null while paused, while a payment is awaited, and when it ends with its period."),
    cyclesBilled: z.int(),
    pendingChange: PendingChange.nullable(),
    payment: z
      .object({ due: z.boolean(), url: z.string().nullable() })
      .describe("Whether the payer has something to pay by hand now, and the hosted page for it."),
    card: z
      .object({
        id: z.string(),
        brand: z.string(),
        last4: z.string(),
        expiryMonth: z.int().nullable(),
        expiryYear: z.int().nullable(),
      })
      .nullable()
      .describe("The saved card that charges are taken from."),
    mandateId: z.string().nullable().describe("Of the debit order that collects it."),
    lastInvoice: z
      .object({
        id: z.string(),
        number: z.string(),
        status: z.string(),
        total: z.number(),
        amountDue: z.number(),
        dueDate: shownDay().nullable(),
      })
      .nullable()
      .describe("The newest one."),
    cancelAtPeriodEnd: z.boolean(),
    cancelReason: z.string().nullable(),
    pausedAt: timestamp().nullable(),
    cancelledAt: timestamp().nullable(),
    credit: z.number(),
    discounts: z
      .array(z.object({ id: z.string(), percent: z.number(), description: z.string() }))
      .describe("Subtracted from the next bill of a period, once."),
    coupon: z
      .object({
        id: z.string(),
        code: z.string(),
        percent: z.number().nullable(),
        amount: z.number().nullable(),
        chargesLeft: z.int().nullable().describe("The number of charges that it will still lower; null: every one."),
      })
      .nullable(),
    externalReference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    source: z.enum(SUBSCRIPTION_SOURCES),
    createdAt: timestamp().nullable().describe("Null in a dry run."),
  })
  .meta({ id: "CustomerSubscription" });

/** The answer to a create. */
export const CreatedCustomerSubscription = CustomerSubscriptionObject.extend({ created: z.boolean() });

/** A line of a bill, with its reason. */
export const PlannedLine = z.object({
  description: z.string(),
  details: z.string().nullable(),
  taxExempt: exemptMark(),
  amount: z.number(),
  reason: LineReasonObject,
});

const PlannedBill = z
  .object({
    charge: z.enum(["first", "cycle", "proration"]),
    date: shownDay(),
    periodStart: shownDay(),
    periodEnd: shownDay(),
    currency: z.string(),
    lines: z.array(PlannedLine),
    subtotal: z.number(),
    tax: z.number(),
    total: z.number(),
  })
  .meta({ id: "PlannedBill" });

/** The answer to a dry run (interface 4.8). */
export const CustomerSubscriptionDryRun = z.object({
  dryRun: z.literal(true),
  action: z.enum(["create", "exists"]),
  subscription: CustomerSubscriptionObject,
  preview: z
    .object({
      invoice: PlannedBill.nullable().describe("The invoice that is made at once."),
      nextInvoice: PlannedBill.nullable().describe("The next invoice, if nothing changes until then."),
    })
    .describe("For an existing subscription `invoice` is null: nothing is invoiced."),
});

/** The answer to a change of plan: the changed subscription, and the invoice or charge that the change made at once. */
export const ChangedSubscription = CustomerSubscriptionObject.extend({
  change: SubscriptionChangePreview,
  charge: ChangeCharge.nullable(),
});

const CANCEL_REASON_MAX = 500;

/** Body of `POST /customer-subscriptions/{id}/cancel` (interface 4.8): without `when` and `atPeriodEnd` it is cancelled now. */
export const SubscriptionCancel = z
  .object({
    when: optional(z.enum(["now", "period_end"], "must be now or period_end")),
    atPeriodEnd: z.boolean("must be true or false").nullish(),
    reason: optional(text(0, CANCEL_REASON_MAX)).transform((reason) => reason || null),
    sendEmail: flag(true),
  })
  .refine(({ when, atPeriodEnd }) => when === null || atPeriodEnd == null || (when === "period_end") === atPeriodEnd, {
    path: ["atPeriodEnd"],
    message: "contradicts when; send one of them",
  })
  .transform(({ when, atPeriodEnd, ...rest }) => ({
    when: when ?? (atPeriodEnd ? ("period_end" as const) : ("now" as const)),
    ...rest,
  }))
  .prefault({});
export type SubscriptionCancelBody = z.output<typeof SubscriptionCancel>;

/** Body of `POST /customer-subscriptions/{id}/reactivate` (interface 4.8). */
export const SubscriptionReactivate = z
  .object({
    nextBillingAt: optional(dayOrTime()),
    chargeNow: optional(z.boolean("must be true or false")),
  })
  .default({ nextBillingAt: null, chargeNow: null });
export type SubscriptionReactivateBody = z.output<typeof SubscriptionReactivate>;

/** Body of `PATCH /customer-subscriptions/{id}` (interface 4.8). A field that is left out stays. */
export const SubscriptionPatch = z.object({
  nextBillingAt: optional(dayOrTime()),
  billingAnchorDay: optionalNumber(whole(1, 31)),
  metadata: metadata().optional(),
  externalReference: text(1, EXTERNAL_REFERENCE_MAX).nullable().optional(),
});
export type SubscriptionPatchBody = z.output<typeof SubscriptionPatch>;

/** Query of `GET /subscription-movements` (interface 14.2). */
export const MovementQuery = listQuery(["mrm"], {
  kind: oneOf(MOVEMENT_KINDS),
  currency: filter(),
  from: dateAsked().optional(),
  to: dateAsked().optional(),
});
/** As the store receives it, without the days. */
export type MovementQueried = Omit<z.output<typeof MovementQuery>, "from" | "to"> & Pick<ListFilter, "named">;

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

/**
 * Interface 14.4: the monthly recurring revenue of subscriptions in a currency, its movements, and the charges that
 * could not be collected.
 */
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

const counted = () => z.object({ amount: z.number(), count: z.int() });
const revenueSpan = () =>
  z.object({
    from: z.string().meta({ format: "date" }),
    to: z.string().meta({ format: "date" }),
    opening: counted().describe("Before the first day; the number is that of subscriptions."),
    moved: z.object({
      new: counted(),
      expansion: counted(),
      contraction: counted(),
      churn: counted(),
      reactivation: counted(),
    }),
    closing: counted().describe("After the last day: opening with all that moved."),
    churn: z.object({
      subscriptionsPercent: z
        .number()
        .nullable()
        .describe("What stopped, in percent of opening; null when that is nothing."),
      revenuePercent: z.number().nullable(),
    }),
  });

/** Interface 14.4: how monthly recurring revenue moved in some days, whole and by month. */
export const RevenueReportObject = z
  .object({ object: z.literal("revenue_report"), currency: z.string() })
  .extend(revenueSpan().shape)
  .extend({ series: z.array(revenueSpan()).describe("By month, oldest first; the first and the last may be cut.") })
  .meta({ id: "RevenueReport" });

/** Interface 14.4: the subscriptions that started in each month, and what is left of them since. */
export const CohortReportObject = z
  .object({
    object: z.literal("cohort_report"),
    currency: z.string(),
    from: z.string().meta({ format: "date" }),
    to: z.string().meta({ format: "date" }),
    cohorts: z
      .array(
        z.object({
          from: z.string().meta({ format: "date" }),
          to: z.string().meta({ format: "date" }),
          started: counted().describe(
            "How many started in these days, and the monthly recurring revenue with which they did.",
          ),
          months: z
            .array(
              z.object({
                to: z
                  .string()
                  .meta({ format: "date" })
                  .describe("The last day of the month; of the last one, of the report."),
                active: counted().describe("Those that have recurring revenue at the end of that day, and how much."),
                subscriptionsPercent: z.number().describe("Of those that started."),
                revenuePercent: z
                  .number()
                  .describe("Of the revenue with which they started; above 100 where it has grown."),
              }),
            )
            .describe("The month in which they started, and each one after."),
        }),
      )
      .describe("By the month in which they started, oldest first; without months in which none did."),
  })
  .meta({ id: "CohortReport" });
