import { z } from "zod";
import { customerName, customerReference, tierFields } from "../../domain/schema.ts";
import type { Issue } from "../../kernel/errors.ts";
import { type CalendarDay, utcDate } from "../../kernel/time.ts";
import {
  currency,
  flag,
  metadata,
  moneyOrZero,
  optional,
  optionalNumber,
  pageQuery,
  quantity,
  text,
  timestamp,
  unitPrice,
  whole,
} from "../../platform/schema.ts";
import { dayOrTime, timeOrDay } from "../../platform/schema-dates.ts";
import { DIFFERENCE_REASONS, type DifferenceReason } from "./rules/difference.ts";
import { REPORTED_STATUSES } from "./types.ts";

const QUANTITY_MAX = 1_000_000;
const ITEMS_MAX = 100;
/** The same as for the items of every customer subscription. */
const UNIT_AMOUNT_MAX = 10_000_000;
const BILLED_MAX = 1_000_000_000;

/** A day in South African time and in UTC; both are the same for a date without a time. */
export interface DayOfTwoZones {
  readonly day: CalendarDay;
  readonly utcDay: string;
}

/** A date, or a date-time with the days on which it falls. */
const dayOfTwoZones = () =>
  timeOrDay().transform(({ day, time }): DayOfTwoZones => ({ day, utcDay: time === null ? day : utcDate(time) }));

/** A field that would ask the service to bill. */
const refused = () =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null, "cannot be sent for an external subscription")
    .optional()
    .meta({ type: "null" });

/** Add-ons are recorded; `metered` and `one_time` are refused as a whole, so their other fields do not matter. */
const item = () =>
  z.discriminatedUnion(
    "kind",
    [
      z.object({
        kind: z.literal("addon"),
        code: optional(text(1, 100)),
        description: text(1, 500),
        unitAmount: optionalNumber(
          unitPrice()
            .refine((price) => Number(price) <= UNIT_AMOUNT_MAX, `must be at most ${UNIT_AMOUNT_MAX}`)
            .meta({ maximum: UNIT_AMOUNT_MAX }),
        ).describe("Required, but of an item with tiers, whose prices these have."),
        quantity: optionalNumber(quantity()),
        ...tierFields(),
      }),
      z.object({ kind: z.literal("metered") }),
      z.object({ kind: z.literal("one_time") }),
    ],
    "kind must be addon",
  );

const haveOwnCodes = (items: readonly object[]): boolean => {
  const codes = items.flatMap((one) => ("code" in one && one.code !== null ? [one.code] : []));
  return new Set(codes).size === codes.length;
};

/** Body of `POST /customer-subscriptions` with `collectionMethod: external` (interface 4.8, mirror mode). */
export const ExternalSubscriptionCreate = z
  .object({
    collectionMethod: z.literal("external"),
    customer: customerName(),
    planId: optional(text(1, 100)),
    plan: optional(text(1, 100)),
    externalReference: text(1, 100),
    status: optional(z.enum(REPORTED_STATUSES, `must be one of ${REPORTED_STATUSES.join(", ")}`)),
    paidThrough: optional(dayOfTwoZones()),
    currentPeriodStart: optional(dayOrTime()),
    trialEnd: optional(dayOfTwoZones()),
    cancelAtPeriodEnd: flag(false),
    currency: optional(currency()),
    quantity: optionalNumber(whole(1, QUANTITY_MAX)),
    items: optional(
      z
        .array(item())
        .max(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`)
        .refine(haveOwnCodes, "must not have two items with one code"),
    ),
    metadata: optional(metadata()),
    sendEmail: optional(z.boolean()),
    dryRun: flag(false),
    couponId: refused(),
    couponCode: refused(),
    providerId: refused(),
    mandateId: refused(),
    startDate: refused(),
    billingAnchorDay: refused(),
    trial: refused(),
    trialDays: refused(),
  })
  .refine(({ planId, plan }) => (planId === null) !== (plan === null), {
    path: ["plan"],
    message: "send exactly one of plan (id or code) and planId",
  })
  .transform((body) => ({ ...body, status: body.status ?? (body.trialEnd === null ? "active" : "trialing") }) as const)
  .refine(({ status, trialEnd }) => status === "trialing" || trialEnd === null, {
    path: ["trialEnd"],
    message: "can only be sent for a subscription that is trialing",
  })
  .refine(({ paidThrough, trialEnd }) => paidThrough !== null || trialEnd !== null, {
    path: ["paidThrough"],
    message: "must be sent: the end of the current period",
  })
  .refine(({ paidThrough, trialEnd }) => paidThrough === null || trialEnd === null || isOneDay(paidThrough, trialEnd), {
    path: ["trialEnd"],
    message: "must fall on the day of paidThrough: the trial's end is the period's",
  });
export type ExternalSubscriptionCreateBody = z.output<typeof ExternalSubscriptionCreate>;

const isOneDay = (one: DayOfTwoZones, other: DayOfTwoZones): boolean =>
  one.day === other.day || one.utcDay === other.utcDay;

/** Body of `POST /customer-subscriptions/{id}/sync-period` (interface 4.8). */
export const SyncPeriod = z
  .object({
    currentPeriodStart: dayOrTime(),
    currentPeriodEnd: dayOrTime(),
    status: optional(z.enum(REPORTED_STATUSES, `must be one of ${REPORTED_STATUSES.join(", ")}`)),
    billedAmount: optionalNumber(moneyOrZero(BILLED_MAX)),
  })
  .refine(({ currentPeriodStart, currentPeriodEnd }) => currentPeriodStart < currentPeriodEnd, {
    path: ["currentPeriodEnd"],
    message: "must be after currentPeriodStart: it is the day on which the next period starts",
  });
export type SyncPeriodBody = z.output<typeof SyncPeriod>;

/** The fields of an import beside its file. */
export const ImportForm = z.object({
  dryRun: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((value) => value === "true"),
});

/** The report of an import, with the outcome of each row, which a dry run only predicts. */
export const SubscriptionImport = z
  .object({
    object: z.literal("subscription_import"),
    dryRun: z.boolean(),
    totals: z.object({ rows: z.int(), create: z.int(), exists: z.int(), error: z.int() }),
    rows: z.array(
      z.object({
        line: z.int().describe("Of the file, from 1."),
        action: z.enum(["create", "exists", "error"]),
        externalReference: z.string().nullable(),
        subscriptionId: z.string().nullable(),
        field: z.string().nullable().describe("The column at fault."),
        error: z.string().nullable(),
        message: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "SubscriptionImport" });

/** Query of `GET /customer-subscriptions/{id}/shadow`. */
export const ExternalPeriodQuery = pageQuery(["rper"], {});
/** Query of `GET /packages/{id}/shadow`. */
export const PackageComparisonQuery = pageQuery(["csub"], {});

const shownDay = () => z.string().meta({ format: "date" });
const reasons = Object.keys(DIFFERENCE_REASONS) as [DifferenceReason, ...DifferenceReason[]];

const difference = () =>
  z.object({
    amount: z
      .number()
      .nullable()
      .describe(
        "The amount that the service would have billed minus the amount that the platform has billed; " +
          "null when the platform did not report it.",
      ),
    reason: z.enum(reasons),
    explanation: z.string(),
  });

/** A recorded period beside the bill that the service would have made for it. */
export const comparedPeriodObject = <Line extends z.ZodType>(line: Line) =>
  z
    .object({
      id: z.string(),
      status: z.enum(REPORTED_STATUSES),
      periodStart: shownDay(),
      periodEnd: shownDay().describe("The day on which the next period starts, as it was sent."),
      currency: z.string(),
      billedAmount: z.number().nullable().describe("With VAT, as the platform has reported it."),
      shadow: z.object({ lines: z.array(line), subtotal: z.number(), tax: z.number(), total: z.number() }),
      difference: difference(),
      recordedAt: timestamp(),
    })
    .meta({ id: "ShadowPeriod" });

/** Counts and sums of recorded periods, with VAT. */
const sums = {
  periods: z.int(),
  reported: z.int().describe("Periods whose billed amount the platform has reported; the sums are of these."),
  differing: z.int().describe("Of these, the periods for which the service would have billed another amount."),
  billedAmount: z.number(),
  shadowAmount: z.number(),
  difference: z.number(),
};

/** An external subscription with the sums of its recorded periods. */
export const ComparedSubscriptionObject = z
  .object({
    subscriptionId: z.string(),
    externalReference: z.string(),
    status: z.string(),
    customer: customerReference(),
    planId: z.string(),
    currency: z.string(),
    ...sums,
  })
  .meta({ id: "ShadowedSubscription" });

/** Sums over all external subscriptions of a package in one currency. */
export const ComparisonTotalsObject = z
  .object({ currency: z.string(), subscriptions: z.int(), ...sums })
  .meta({ id: "ShadowTotals" });

/** A row of an import that was read and checked by itself: what it asks for, or why it is refused. */
export interface ReadRow {
  /** Of the file, from 1. */
  readonly line: number;
  readonly externalReference: string | null;
  readonly body: ExternalSubscriptionCreateBody | RefusedRow;
}

/** Why a row is refused (400). */
export interface RefusedRow {
  readonly refused: string;
  readonly issues: readonly Issue[];
}
