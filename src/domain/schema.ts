import { z } from "zod";
import { decimal, toDecimal } from "../kernel/decimal.ts";
import type { Deposit } from "../kernel/deposits.ts";
import type { Discount } from "../kernel/discounts.ts";
import type { Exchange } from "../kernel/exchange.ts";
import { TIER_MODES, type Tier } from "../kernel/tiers.ts";
import {
  money,
  nullableNumber,
  optional,
  optionalNumber,
  percent,
  quantity,
  text,
  timestamp,
  unitPrice,
} from "../platform/schema.ts";
import { date } from "../platform/schema-dates.ts";

/* Pieces of requests and replies that several resources have. */

/** A rate of VAT, as `percent`. One between 0 and 1, such as 0.15, is refused: whoever sends it means a fraction. */
export const taxRate = () =>
  percent().refine((value) => value <= 0 || value >= 1, "is in percent: send 15 for 15 %, not 0.15");

const TAX_EXEMPT = "Exempt from VAT, which a rate of 0 alone does not say: taxRate is 0, or left out.";

/**
 * Beside the `taxRate` of a line: whether it is exempt from VAT (interface 2.5, `taxExempt`). Null when it is left out
 * or null.
 */
export const taxExempt = () => optional(z.boolean()).describe(TAX_EXEMPT);

/** Refuses a price that is exempt and has a rate above zero. */
export const EXEMPT_HAS_NO_RATE = {
  isMet: ({ taxRate, taxExempt }: { taxRate?: number | null | undefined; taxExempt?: boolean | null | undefined }) =>
    !(taxExempt && taxRate),
  told: {
    path: ["taxExempt"],
    error: "must not be true beside a taxRate above 0: send taxRate 0, or leave taxRate out",
  },
};

/** Replies: whether it is exempt from VAT. The field is left out when it is not. */
export const exemptMark = () =>
  z.literal(true).optional().describe("Only of what is exempt from VAT; what is zero-rated has taxRate 0 without it.");

/** Fields of a body for the VAT of a product or plan (interface 2.14). */
export const priceTax = {
  taxRate: taxRate().describe("Its own rate, in percent. Left out: it follows the standard rate."),
  standardRate: z
    .boolean()
    .describe("True makes it follow the standard rate of the day of each supply; false keeps the rate of today."),
  taxExempt: z.boolean().describe(TAX_EXEMPT),
  /** Null means the organisation's present setting. */
  taxInclusive: z.boolean().nullable(),
};

/**
 * Fields of a body for the VAT that an amount includes where no invoice states it (interface 2.3, 2.8). Refused beside
 * an exemption by `EXEMPT_HAS_NO_RATE`.
 */
export const includedTax = {
  taxRate: optionalNumber(taxRate()).describe(
    "The rate of VAT that the amount includes, in percent. Left out: its product's, else as the settings say.",
  ),
  taxExempt: taxExempt(),
};

/** Fields of a reply for the same; left out where nothing is stated. */
export const includedTaxShown = {
  taxRate: z.number().optional().describe("The rate of VAT that the amount includes, where it was stated."),
  taxExempt: exemptMark(),
};

/** Replies: whether `taxRate` follows the standard rate. */
export const standardRate = () =>
  z.boolean().describe("Whether it follows the standard rate, of which taxRate is today's; else taxRate is its own.");

type Asked = { [K in "taxRate" | "standardRate" | "taxExempt"]?: z.output<(typeof priceTax)[K]> | undefined };

/** Refuses a rate beside an exemption, and either of them beside the standard rate. */
export const oneRate = <T extends z.ZodType<Asked>>(body: T) =>
  body
    .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told)
    .refine(({ standardRate: follows, taxRate, taxExempt }) => !(follows && (taxRate !== undefined || taxExempt)), {
      path: ["standardRate"],
      error: "must not be true beside a taxRate, nor for what is exempt: leave these out",
    });

const EXCHANGE_RATE_MAX = 1_000_000;

/** Rand for one unit of another currency: above zero, at most 6 decimals (interface 2.5, `exchange`). */
const exchangeRate = () =>
  z
    .number("must be a JSON number: rand for one unit of the currency")
    .gt(0, "must be greater than 0")
    .max(EXCHANGE_RATE_MAX, `must be at most ${EXCHANGE_RATE_MAX}`)
    .refine((value) => value <= 0 || decimal(value, 6) !== null, "must have at most 6 decimals");

/** Fields of an exchange rate in a body. */
export const exchangeFields = { rate: exchangeRate(), date: date(), source: text(1, 200) };

/** The exchange of a document in a body. */
export const exchange = () =>
  z
    .object(exchangeFields, "must be an object with rate, date and source")
    .transform(({ rate, ...rest }): Exchange => ({ rate: toDecimal(rate), ...rest }));

/** Replies: the exchange of a document in another currency than the rand, and its amounts in rand. Left out of one in rand. */
export const exchangeReply = {
  exchange: z
    .object({
      rate: z.number().describe("Rand for one unit of the currency."),
      date: z.string().meta({ format: "date" }),
      source: z.string(),
    })
    .nullable()
    .optional()
    .describe("Only in another currency than the rand; null while no rate is known."),
  taxAmountZar: z.number().nullable().optional().describe("The VAT in rand, by `exchange`."),
  totalZar: z.number().nullable().optional().describe("The total in rand, by `exchange`."),
};

/** A field that names a customer in a body: an id, or the merchant's own reference. Null when it is left out. */
export const customerKey = () => optional(text(1, 100));

/** A customer named in a body, by exactly one of id and reference. */
export const customerName = () => {
  const exists = "must name an existing customer by id or externalReference";
  return z
    .object({ id: customerKey(), externalReference: customerKey() }, exists)
    .refine(({ id, externalReference }) => (id === null) !== (externalReference === null), exists);
};

/** Replies: the short object of a customer that other objects embed. */
export const customerReference = () =>
  z.object({ id: z.string(), externalReference: z.string().nullable(), email: z.string().nullable() });

const TIERS_MAX = 100;
const TIER_AMOUNT_MAX = 10_000_000;
const tierAmount = () =>
  unitPrice().refine((amount) => Number(amount) <= TIER_AMOUNT_MAX, `must be at most ${TIER_AMOUNT_MAX}`);

const tier = () =>
  z
    .object({
      upTo: nullableNumber(quantity()).describe("Its last unit, after those that are included; null: it has no end."),
      unitAmount: tierAmount().describe("In major units."),
      flatAmount: optionalNumber(tierAmount()).describe("In major units: due once the tier is reached."),
    })
    .transform(
      ({ flatAmount, ...rest }): Tier =>
        flatAmount === null || Number(flatAmount) === 0 ? rest : { ...rest, flatAmount },
    );

/** In a body, the fields of a price with tiers (interface 16.23). */
export const tierFields = () => ({
  tiers: z
    .array(tier(), "must be a list of tiers, or null")
    .min(1, "must have at least one tier")
    .max(TIERS_MAX, `must have at most ${TIERS_MAX} tiers`)
    .nullish()
    .describe("Ascending by upTo; the last one has none. Null removes them."),
  tierMode: z
    .enum(TIER_MODES, `must be one of ${TIER_MODES.join(", ")}`)
    .nullish()
    .describe("Default graduated. A package has one tier, whose upTo is its size."),
  includedUnits: unitPrice().optional().describe("Free of charge; tiers are of what is left. 0: none."),
  minimumAmount: tierAmount()
    .optional()
    .describe("In major units: the least that the quantity costs in a full period. 0: none."),
});

/** Replies: the fields of a price with tiers. */
export const tierReply = () => ({
  tiers: z
    .array(z.object({ upTo: z.number().nullable(), unitAmount: z.number(), flatAmount: z.number() }))
    .optional()
    .describe("Only of a price with tiers."),
  tierMode: z.enum(TIER_MODES).optional().describe("Only of a price with tiers."),
  includedUnits: z.number().optional().describe("Only where some are."),
  minimumAmount: z
    .number()
    .optional()
    .describe("The least that the quantity costs in a full period. Only where there is one."),
});

/** The minimum that a line or a part makes up to (interface 16.23). */
const minimumOfLine = () =>
  z
    .object({
      amount: z.number().describe("Of a full period, in major units."),
      days: z
        .object({ billed: z.int(), of: z.int() })
        .nullable()
        .describe("The days for which it is due, where these are not a full period."),
    })
    .optional()
    .describe("Only of what a price is short of its minimum.");

/** The tier of a price that a line or a part is of (interface 16.23). */
const tierOfLine = () =>
  z
    .object({
      number: z.int().describe("From 1; 0 for the units that are included."),
      mode: z.enum(TIER_MODES).nullable(),
      over: z.number().describe("The tier is of the units over this, after those that are included."),
      upTo: z.number().nullable().describe("Its last unit, or the size of a package; null: it has no end."),
      flat: z.boolean().describe("Whether it is the amount that is due once the tier is reached."),
    })
    .optional()
    .describe("Only of a price with tiers or included units.");

/** Replies: a mail as its recipient would get it. */
export const mailPreview = () =>
  z.object({ fromName: z.string(), replyTo: z.string().nullable(), subject: z.string(), html: z.string() });

/** Replies: the title of an invoice's PDF, and what it lacks to be a tax invoice. */
export const taxInvoiceReply = () =>
  z.object({
    title: z.string(),
    problems: z.array(z.object({ section: z.string(), what: z.string(), where: z.string() })),
  });

/** What the customer would get of a document that is not saved (interface 14.3). */
export const DocumentPreviewObject = z
  .object({
    number: z.string().describe("The number that it would get now."),
    page: z.string().nullable().describe("The customer's page, as HTML. Null: it could not be paid online."),
    mail: mailPreview(),
    pdf: z.string().describe("The PDF, in base64."),
    taxInvoice: taxInvoiceReply().nullable().describe("What an invoice lacks to be a tax invoice; null of a quote."),
  })
  .meta({ id: "DocumentPreview" });

/** Why a line of a customer subscription's bill has its amount (interface 2.13). */
export const LineReasonObject = z
  .object({
    kind: z.enum(["plan", "addon", "usage", "one_time", "setup_fee", "change"]),
    id: z.string().describe("Of the price's version, or of the item."),
    name: z.string(),
    quantity: z.number().nullable(),
    unitAmount: z.number().nullable(),
    tier: tierOfLine(),
    minimum: minimumOfLine(),
    late: z
      .object({ events: z.int(), quantity: z.number().nullable().describe("Null where quantities are not added up.") })
      .optional()
      .describe("Only of usage some of which was reported after its own period was billed (16.24)."),
    replaces: z.string().nullable().describe("Of a change: the plan before, which may be the same."),
    parts: z
      .array(
        z.object({
          kind: z.enum(["plan", "addon"]),
          name: z.string(),
          quantity: z.number(),
          unitAmount: z.number(),
          tier: tierOfLine(),
          minimum: minimumOfLine(),
        }),
      )
      .nullable()
      .describe("Of a change: what the price consists of."),
    days: z
      .object({ billed: z.int(), of: z.int() })
      .nullable()
      .describe("Days that are charged, of those of a full period."),
    full: z
      .number()
      .describe("Less all of `less` it is the line's amount in the price's own terms: with VAT when prices have it."),
    less: z.array(
      z.object({
        by: z.enum(["coupon", "discount", "unused_days", "credit", "tax_terms"]),
        name: z
          .string()
          .nullable()
          .describe("The coupon's code, the discount's or credit's description, the plan's name."),
        percent: z.number().nullable(),
        amount: z.number(),
      }),
    ),
  })
  .meta({ id: "LineReason" });

const PART_MAX_RAND = 1_000_000_000;
const ONE_OF_BOTH = "must have exactly one of percent and amount";

/** In a body, a part of something: in percent, or as an amount in major units, which `amount` describes. */
const percentOrAmount = (amount: string) =>
  z
    .object(
      {
        percent: optionalNumber(
          percent()
            .refine((value) => value !== 0, "must be greater than 0")
            .describe("Above 0, at most 100."),
        ),
        amount: optionalNumber(money(PART_MAX_RAND).describe(amount)),
      },
      ONE_OF_BOTH,
    )
    .transform((given, context): Discount | Deposit => {
      if (given.percent !== null && given.amount === null) return { percent: toDecimal(given.percent) };
      if (given.amount !== null && given.percent === null) return { amount: given.amount };
      context.addIssue({ code: "custom", input: given, message: ONE_OF_BOTH });
      return z.NEVER;
    });

/** In a body, a discount of a line or a document: what is taken off before VAT, in percent or in major units in the terms of the prices. */
export const discount = () => percentOrAmount("In major units, as the prices are: with VAT where they include it.");

/** In a body, a deposit of a quote: a part of its total, VAT included. */
export const deposit = () => percentOrAmount("In major units, of the total with VAT.");

/** Says, of a negative price, what takes something off. */
export const NO_NEGATIVE_PRICE =
  "must be at least 0: to take something off, use discount, of the line or of the whole document";

const PartObject = z.union([z.object({ percent: z.number() }), z.object({ amount: z.number() })]);

/** Replies: the deposit of a quote, as it was given and as an amount, present when it has one. */
export const depositReply = {
  deposit: PartObject.optional().describe(
    "What the customer is asked to pay first, of the total. Only where there is one.",
  ),
  depositAmount: z.number().optional().describe("What the deposit comes to, VAT included."),
};

/** Replies: the discount of a line, present when it was given. */
export const lineDiscountField = { discount: PartObject.optional().describe("Off the line, before VAT.") };

/** Replies: the discount of a document, present when it was given, and what all discounts take off. */
export const documentDiscountReply = {
  discount: PartObject.optional().describe("Off the sum of the lines, before VAT."),
  discountTotal: z
    .number()
    .optional()
    .describe("What all discounts take off, in the terms of the prices. Only where there is a discount."),
};

/** When the payer saw a document on its page; shown to staff alone. */
export const viewTimes = () => ({
  viewedAt: timestamp().optional().describe("In the dashboard, once the payer has seen its page: when first."),
  lastViewedAt: timestamp().optional().describe("In the dashboard, once the payer has seen its page: when last."),
});
