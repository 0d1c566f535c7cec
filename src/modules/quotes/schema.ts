import { z } from "zod";
import {
  customerKey,
  customerReference,
  deposit,
  depositReply,
  discount,
  documentDiscountReply,
  EXEMPT_HAS_NO_RATE,
  exemptMark,
  lineDiscountField,
  NO_NEGATIVE_PRICE,
  taxExempt,
  taxRate,
  viewTimes,
} from "../../domain/schema.ts";
import {
  currency,
  filter,
  nullableNumber,
  oneOf,
  optional,
  optionalNumber,
  quantity,
  recordQuery,
  text,
  textOrNull,
  timestamp,
  unitPrice,
} from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { QUOTE_STATUSES } from "./types.ts";

const LINES_MAX = 200;
const DUE_DAYS_MAX = 365;

const lineItems = () =>
  z
    .array(
      z
        .object({
          description: text(1, 1000),
          quantity: quantity(),
          unitPrice: unitPrice(NO_NEGATIVE_PRICE),
          taxRate: nullableNumber(taxRate()).describe("Percent; left out or null: the organisation's."),
          taxExempt: taxExempt(),
          discount: optional(discount()),
          details: optional(textOrNull(4000)),
          periodStart: optional(date()),
          periodEnd: optional(date()),
        })
        .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told),
    )
    .min(1, "must have at least 1 entry")
    .max(LINES_MAX, `must have at most ${LINES_MAX} entries`);

const customer = {
  customerId: customerKey(),
  customerExternalReference: customerKey(),
};
const named = (body: { customerId: string | null; customerExternalReference: string | null }): number =>
  Number(body.customerId !== null) + Number(body.customerExternalReference !== null);

/** Body of `POST /quotes` (interface 4.6). Unknown fields are ignored. */
export const QuoteCreate = z
  .object({
    ...customer,
    lineItems: lineItems(),
    discount: optional(discount()),
    deposit: optional(deposit()),
    currency: optional(currency()),
    issueDate: optional(date()),
    expiryDate: optional(date()),
    periodStart: optional(date()),
    periodEnd: optional(date()),
    notes: optional(textOrNull(4000)),
    taxInclusive: optional(z.boolean()),
    send: optional(z.boolean()),
  })
  .refine((body) => named(body) === 1, {
    path: ["customerId"],
    error: "Send exactly one of customerId and customerExternalReference",
  });
export type QuoteCreateBody = z.output<typeof QuoteCreate>;

/** Body of `PATCH /quotes/{id}` (interface 4.6): fields left out keep their value; `lineItems` replaces every line. */
export const QuotePatch = z
  .object({
    ...customer,
    lineItems: lineItems().optional(),
    discount: discount().nullable().optional(),
    deposit: deposit().nullable().optional(),
    currency: currency().optional(),
    issueDate: date().optional(),
    expiryDate: date().nullable().optional(),
    periodStart: date().nullable().optional(),
    periodEnd: date().nullable().optional(),
    notes: textOrNull(4000).nullable().optional(),
    taxInclusive: z.boolean().optional(),
  })
  .refine((body) => named(body) <= 1, {
    path: ["customerId"],
    error: "Send one of customerId and customerExternalReference, not both",
  });
export type QuotePatchBody = z.output<typeof QuotePatch>;
export type LineItemBody = QuoteCreateBody["lineItems"][number];

/** Body of `POST /quotes/{id}/convert`, which may be left out. */
export const QuoteConvert = z
  .object({
    dueDays: optionalNumber(
      z
        .int("must be a whole number")
        .min(0, "must be at least 0")
        .max(DUE_DAYS_MAX, `must be at most ${DUE_DAYS_MAX}`)
        .describe("Default: the organisation's."),
    ),
  })
  .default({ dueDays: null });

/** Query of `GET /quotes`; `q` serves the dashboard's list (interface 14.3). */
export const QuoteQuery = recordQuery(["quo"], {
  status: oneOf(QUOTE_STATUSES),
  customerId: filter(),
});

const day = z.string().nullable().meta({ format: "date" });

/** Interface 2.6. */
export const QuoteObject = z
  .object({
    object: z.literal("quote"),
    id: z.string(),
    number: z.string(),
    status: z.enum(QUOTE_STATUSES),
    issueDate: timestamp().describe("Start of the day, South African time."),
    expiryDate: timestamp().nullable().describe("End of the last valid day, South African time."),
    periodStart: day,
    periodEnd: day,
    currency: z.string(),
    taxInclusive: z.boolean(),
    ...documentDiscountReply,
    subtotal: z.number(),
    taxAmount: z.number(),
    total: z.number(),
    ...depositReply,
    notes: z.string().nullable(),
    customer: customerReference(),
    invoice: z
      .object({ id: z.string(), number: z.string(), status: z.string(), externalReference: z.string().nullable() })
      .nullable()
      .describe("The invoice into which it was converted."),
    lineItems: z.array(
      z.object({
        description: z.string(),
        details: z.string().nullable(),
        quantity: z.number(),
        unitPrice: z.number(),
        ...lineDiscountField,
        amount: z.number().describe("After the line's discount."),
        taxRate: z.number(),
        taxExempt: exemptMark(),
        periodStart: day,
        periodEnd: day,
      }),
    ),
    sentAt: timestamp().nullable(),
    acceptedAt: timestamp().nullable(),
    // Optional: the events of a release before this one have none.
    acceptedBy: z
      .string()
      .nullable()
      .optional()
      .describe("The name that the person who accepted it gave on its page; null when staff marked it as accepted."),
    declinedAt: timestamp().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    ...viewTimes(),
  })
  .meta({ id: "Quote" });

/** Answer of `DELETE /quotes/{id}` (interface 4.6). */
export const QuoteDeleted = z
  .object({ object: z.literal("quote"), id: z.string(), number: z.string(), deleted: z.literal(true) })
  .meta({ id: "DeletedQuote" });
