import { z } from "zod";
import { type Decimal, decimal } from "../../kernel/decimal.ts";
import { type BusinessDay, businessDay, parseBusinessDay, parseDateTime } from "../../kernel/time.ts";
import {
  customerName,
  customerReference,
  date,
  filter,
  flag,
  frequency,
  listQuery,
  metadata,
  optional,
  optionalNumber,
  percent,
  quantity,
  text,
  timestamp,
  whole,
} from "../../platform/schema.ts";
import type { SignedDecimal } from "./rules/planner/types.ts";
import { COLLECTION_METHODS, CUSTOMER_SUBSCRIPTION_STATUSES, SUBSCRIPTION_SOURCES } from "./types.ts";

const QUANTITY_MAX = 1_000_000;
const ITEMS_MAX = 100;
/** Two years, as a plan's. */
const TRIAL_DAYS_MAX = 731;
const UNIT_AMOUNT_MAX = 10_000_000;
const NOT_SERVED = "is not served yet";

/** A South African day, as a date or as a date-time that falls on it. */
const day = () =>
  z
    .string()
    .transform((value, context): BusinessDay => {
      const instant = parseDateTime(value);
      const parsed = parseBusinessDay(value) ?? (instant && businessDay(instant));
      if (parsed) return parsed;
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be a date that exists, such as 2026-12-31, or a date-time with Z or an offset",
      });
      return z.NEVER;
    })
    .meta({ examples: ["2026-12-31", "2026-12-31T00:00:00+02:00"] });

/** What may not be sent, since it would silently do nothing. */
const notServed = () =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null, NOT_SERVED)
    .optional()
    .meta({ type: "null" });

const unitAmount = () =>
  z
    .number("must be a JSON number in major units")
    .min(-UNIT_AMOUNT_MAX, `must be at least ${-UNIT_AMOUNT_MAX}`)
    .max(UNIT_AMOUNT_MAX, `must be at most ${UNIT_AMOUNT_MAX}`)
    .transform((value, context): SignedDecimal => {
      const size = decimal(Math.abs(value), 6);
      if (size !== null) return value < 0 ? (`-${size}` as SignedDecimal) : size;
      context.addIssue({ code: "custom", input: value, message: "must have at most 6 decimals" });
      return z.NEVER;
    });

const item = () =>
  z
    .object({
      code: optional(text(1, 100)),
      kind: z
        .enum(["addon", "metered", "one_time"], "must be addon or one_time")
        .refine((kind) => kind !== "metered", NOT_SERVED),
      description: text(1, 500),
      unitAmount: unitAmount(),
      quantity: optionalNumber(quantity()),
    })
    .refine(({ kind, unitAmount: price }) => kind === "one_time" || !price.startsWith("-"), {
      path: ["unitAmount"],
      message: "must be at least 0; only a one_time item may be a credit",
    });

const method = () =>
  z
    .enum(COLLECTION_METHODS, "must be invoice or manual")
    .refine(
      (given) => given === "invoice" || given === "manual",
      `${NOT_SERVED}: collectionMethod may be invoice or manual`,
    );

/** Body of `POST /customer-subscriptions` (interface 4.8). */
export const CustomerSubscriptionCreate = z
  .object({
    customer: customerName(),
    planId: optional(text(1, 100)),
    plan: optional(text(1, 100)),
    collectionMethod: method(),
    quantity: optionalNumber(whole(1, QUANTITY_MAX)),
    items: optional(
      z
        .array(item())
        .max(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`)
        .refine(haveOwnCodes, "must not have two items with one code"),
    ),
    startDate: optional(day()),
    paidThrough: optional(day()),
    trialDays: optionalNumber(whole(0, TRIAL_DAYS_MAX)),
    billingAnchorDay: optionalNumber(whole(1, 31)),
    externalReference: optional(text(1, 100)),
    metadata: optional(metadata()),
    dryRun: flag(false),
    couponId: notServed(),
    couponCode: notServed(),
  })
  .refine(({ planId, plan }) => (planId === null) !== (plan === null), {
    path: ["plan"],
    message: "send exactly one of plan (id or code) and planId",
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

function haveOwnCodes(items: readonly { readonly code: string | null }[]): boolean {
  const codes = items.flatMap(({ code }) => code ?? []);
  return new Set(codes).size === codes.length;
}

/** A query filter that takes several values, with commas between them: 400 for a value that does not exist. */
const someOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  filter()
    .transform((given) => given?.split(",").map((value) => value.trim()))
    .pipe(z.array(z.enum(values, `must be some of ${values.join(", ")}, with commas between them`)).optional())
    .meta({ type: "string" });

/** Query of `GET /customer-subscriptions` (interface 4.8). */
export const CustomerSubscriptionQuery = listQuery(["csub"], {
  status: someOf(CUSTOMER_SUBSCRIPTION_STATUSES),
  planId: filter(),
  packageId: filter(),
  customerId: filter(),
  customerExternalReference: filter(),
  externalReference: filter(),
  collectionMethod: someOf(COLLECTION_METHODS),
  nextBillingFrom: date().optional(),
  nextBillingTo: date().optional(),
});
/** As the store receives it. */
export type CustomerSubscriptionQueried = z.output<typeof CustomerSubscriptionQuery>;

/** Body of `POST /customer-subscriptions/{id}/discount` (interface 4.8). */
export const SubscriptionDiscount = z.object({
  percent: percent()
    .refine((value) => value !== 0, "must be greater than 0")
    .transform((value) => String(value) as Decimal),
  description: text(1, 500),
});

/** Query of `GET /customer-subscriptions/{id}/invoices`. */
export const SubscriptionInvoicesQuery = listQuery(["inv"], {});

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
    amount: z.number().describe("Of a full period, with add-ons, in the price's own terms."),
    quantity: z.int(),
    items: z.array(
      z.object({
        id: z.string(),
        code: z.string().nullable(),
        kind: z.enum(["addon", "metered", "one_time"]),
        description: z.string(),
        unitAmount: z.number(),
        quantity: z.number(),
      }),
    ),
    startDate: shownDay(),
    trialEnd: shownDay().nullable().describe("The last day of the trial, until it is over."),
    billingAnchorDay: z.int().nullable(),
    currentPeriodStart: shownDay().nullable(),
    currentPeriodEnd: shownDay().nullable().describe("Included."),
    nextBillingAt: timestamp().nullable(),
    cyclesBilled: z.int(),
    pendingChange: z.null(),
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
    credit: z.number(),
    discounts: z
      .array(z.object({ id: z.string(), percent: z.number(), description: z.string() }))
      .describe("Taken off the next bill of a period, once."),
    externalReference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    source: z.enum(SUBSCRIPTION_SOURCES),
    createdAt: timestamp().nullable().describe("Null in a dry run."),
  })
  .meta({ id: "CustomerSubscription" });

/** The answer to a create. */
export const CreatedCustomerSubscription = CustomerSubscriptionObject.extend({ created: z.boolean() });

/** Why a line is what it is, as data. */
export const LineReason = z
  .object({
    kind: z.enum(["plan", "addon", "usage", "one_time", "setup_fee", "change"]),
    id: z.string().describe("Of the price's version, or of the item."),
    name: z.string(),
    quantity: z.number().nullable(),
    unitAmount: z.number().nullable(),
    days: z
      .object({ billed: z.int(), of: z.int() })
      .nullable()
      .describe("Days that are charged, of those of a full period."),
    full: z.number().describe("Less all of `less` it is the line's amount."),
    less: z.array(
      z.object({ by: z.enum(["coupon", "discount", "unused_days", "credit", "tax_terms"]), amount: z.number() }),
    ),
  })
  .meta({ id: "LineReason" });

const PlannedBill = z
  .object({
    charge: z.enum(["first", "cycle", "proration"]),
    date: shownDay(),
    periodStart: shownDay(),
    periodEnd: shownDay(),
    currency: z.string(),
    lines: z.array(z.object({ description: z.string(), amount: z.number(), reason: LineReason })),
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
      invoice: PlannedBill.nullable().describe("What is invoiced at once."),
      nextInvoice: PlannedBill.nullable().describe("What is invoiced next, if nothing changes until then."),
    })
    .describe("For an existing subscription `invoice` is null: nothing is invoiced."),
});

/** A decimal of an item's quantity when none is given. */
export const ONE = "1" as Decimal;
