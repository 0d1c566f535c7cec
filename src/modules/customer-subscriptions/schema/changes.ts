import { z } from "zod";
import type { SignedDecimal } from "../../../domain/line-reason.ts";
import { exemptMark, LineReasonObject, tierFields, tierReply } from "../../../domain/schema.ts";
import { type Decimal, decimal } from "../../../kernel/decimal.ts";
import {
  flag,
  frequency,
  money,
  optional,
  optionalNumber,
  percent,
  text,
  timestamp,
  unitPrice,
  whole,
} from "../../../platform/schema.ts";
import { AGGREGATIONS, ITEM_KINDS, ITEMS_MAX, QUANTITY_MAX } from "../types.ts";

const UNIT_AMOUNT_MAX = 10_000_000;
const CREDIT_MAX_RAND = 10_000_000;
const DESCRIPTION_MAX = 500;
const PROPERTY_MAX = 100;

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

const kind = () => z.enum(ITEM_KINDS, "must be addon, metered or one_time");
const code = () => optional(text(1, 100));
const description = () => text(1, DESCRIPTION_MAX);
const quantity = () => optionalNumber(unitPrice());

/** Fields of items that are priced by tiers or metered. */
const pricing = () => ({
  ...tierFields(),
  aggregation: optional(z.enum(AGGREGATIONS, `must be one of ${AGGREGATIONS.join(", ")}`)).describe(
    "Of a metered item: how usage events become its quantity. Default sum.",
  ),
  uniqueBy: optional(text(1, PROPERTY_MAX)).describe("Of unique: the property of events whose values are counted."),
});

const PRICED = "Required, but of an item with tiers, whose prices these have.";

/** A new item, with all fields that it needs. */
const newItem = () =>
  z.object({
    code: code(),
    kind: kind(),
    description: description(),
    unitAmount: optionalNumber(unitAmount()).describe(PRICED),
    quantity: quantity(),
    ...pricing(),
  });

/** An existing item by its changed fields; a field that is left out keeps the value of the item with this code. */
const someItem = () =>
  z.object({
    code: code(),
    kind: optional(kind()),
    description: optional(description()),
    unitAmount: optionalNumber(unitAmount()),
    quantity: quantity(),
    ...pricing(),
  });

/** An item in a body; a field that is left out is null. */
export type AskedItem = z.output<ReturnType<typeof someItem>>;

const listed = <T extends z.ZodType<{ readonly code: string | null }>>(item: T) =>
  z
    .array(item)
    .max(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`)
    .refine(haveOwnCodes, "must not have two items with one code");

function haveOwnCodes(items: readonly { readonly code: string | null }[]): boolean {
  const codes = items.flatMap((one) => one.code ?? []);
  return new Set(codes).size === codes.length;
}

/** The items of `POST /customer-subscriptions`. */
export const newItems = () => optional(listed(newItem()));

/** Body of `POST /customer-subscriptions/{id}/change-plan` and `/preview-change` (interface 4.8). */
export const SubscriptionChange = z
  .object({
    planId: optional(text(1, 100)),
    plan: optional(text(1, 100)),
    quantity: optionalNumber(whole(1, QUANTITY_MAX)),
    items: optional(listed(someItem())),
    proration: optional(z.enum(["none", "now", "next_renewal"], "must be none, now or next_renewal")),
    invoiceNow: flag(true),
  })
  .refine(({ planId, plan }) => planId === null || plan === null, {
    path: ["plan"],
    message: "send plan (id or code) or planId, not both",
  })
  .refine(({ planId, plan, quantity: count, items }) => [planId, plan, count, items].some((one) => one !== null), {
    path: ["plan"],
    message: "send what is to change: a plan, a quantity or items",
  });
export type SubscriptionChangeBody = z.output<typeof SubscriptionChange>;

/** Body of `POST /customer-subscriptions/{id}/items`. */
export const SubscriptionItemCreate = newItem();

/** Body of `PATCH /customer-subscriptions/{id}/items/{item}`. */
export const SubscriptionItemPatch = someItem();

/** Body of `POST /customer-subscriptions/{id}/items/{item}/usage`. */
export const SubscriptionUsage = z.object({
  quantity: unitPrice(),
  action: z.enum(["set", "increment"], "must be set or increment").default("increment"),
});
export type SubscriptionUsageBody = z.output<typeof SubscriptionUsage>;

/** Body of `POST /customer-subscriptions/{id}/credit` (interface 4.8). */
export const SubscriptionCredit = z.object({ amount: money(CREDIT_MAX_RAND), description: description() });

/** Body of `POST /customer-subscriptions/{id}/discount` (interface 4.8). */
export const SubscriptionDiscount = z.object({
  percent: percent()
    .refine((value) => value !== 0, "must be greater than 0")
    .transform((value) => String(value) as Decimal),
  description: description(),
});

const shownDay = () => z.string().meta({ format: "date" });

/** An item of a subscription (interface 2.13). */
export const SubscriptionItem = z
  .object({
    id: z.string(),
    code: z.string().nullable(),
    kind: z.enum(ITEM_KINDS),
    description: z.string(),
    unitAmount: z.number(),
    quantity: z.number().describe("Of a metered item, the usage since the last bill."),
    ...tierReply(),
    aggregation: z.enum(AGGREGATIONS).optional().describe("Only of a metered item."),
    uniqueBy: z.string().optional().describe("Only of one whose aggregation is unique."),
  })
  .meta({ id: "SubscriptionItem" });

/** A change that takes effect at the next renewal (interface 2.13). */
export const PendingChange = z.object({
  effectiveAt: timestamp(),
  plan: z.object({ id: z.string(), name: z.string() }),
  quantity: z.int(),
  items: z.array(SubscriptionItem),
  amount: z.number(),
});

/** An item that does not exist yet has no id. */
const PreviewedReason = LineReasonObject.omit({ id: true });

const PlannedTerms = z.object({
  planId: z.string(),
  planName: z.string(),
  quantity: z.int(),
  frequency: frequency(),
  amount: z.number().describe("Of a full period, with add-ons, in the price's own terms."),
  subtotal: z.number(),
  tax: z.number(),
  total: z.number(),
});

const sums = { subtotal: z.number(), tax: z.number(), total: z.number() };

/** The effect of a change (interface 2.13). */
export const SubscriptionChangePreview = z
  .object({
    object: z.literal("subscription_change_preview"),
    subscriptionId: z.string(),
    requestedProration: z.enum(["none", "now", "next_renewal"]),
    proration: z.enum(["none", "now", "next_renewal"]),
    note: z.string().nullable().describe("Why `proration` differs from the requested one."),
    effectiveAt: timestamp(),
    currency: z.string(),
    current: PlannedTerms,
    next: PlannedTerms.extend({ items: z.array(SubscriptionItem.omit({ id: true })) }),
    prorationInvoice: z
      .object({
        lines: z.array(
          z.object({
            description: z.string(),
            details: z.string().nullable(),
            taxExempt: exemptMark(),
            amount: z.number(),
            periodStart: shownDay(),
            periodEnd: shownDay(),
            reason: PreviewedReason,
          }),
        ),
        dueNow: z.number().describe("With VAT; 0 when it waits for the next renewal."),
        creditToNextRenewal: z.number().describe("In the price's own terms."),
        periodStart: shownDay(),
        periodEnd: shownDay(),
        resetsPeriod: z.boolean().describe("Whether a new period begins today."),
        ...sums,
      })
      .nullable(),
    nextInvoice: z
      .object({
        date: shownDay(),
        periodStart: shownDay(),
        periodEnd: shownDay(),
        lines: z.array(
          z.object({
            description: z.string(),
            details: z.string().nullable(),
            taxExempt: exemptMark(),
            amount: z.number(),
            reason: PreviewedReason,
          }),
        ),
        ...sums,
      })
      .nullable()
      .describe("What is billed next after the change, if nothing else changes; null when nothing is."),
  })
  .meta({ id: "SubscriptionChangePreview" });

/** The invoice or charge that a change made at once. */
export const ChangeCharge = z.object({
  invoiceId: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.string().describe("Of the invoice."),
});
