import { z } from "zod";
import { toDecimal, toNumber } from "../kernel/decimal.ts";
import { type Discount, type Discounted, discountTotal, type TakenFrom } from "../kernel/discounts.ts";
import { toRand } from "../kernel/money.ts";
import { money, nullableNumber, percent } from "../platform/schema.ts";

/* Discounts of lines and documents in bodies and replies (interface 2.5, 2.6). */

const AMOUNT_MAX_RAND = 1_000_000_000;
const ONE_OF_BOTH = "must have exactly one of percent and amount";

/** In a body: what is taken off before VAT, in percent or in major units in the terms of the prices. */
export const discount = () =>
  z
    .object(
      {
        percent: nullableNumber(
          percent()
            .refine((value) => value !== 0, "must be greater than 0")
            .describe("Above 0, at most 100."),
        ),
        amount: nullableNumber(money(AMOUNT_MAX_RAND).describe("In major units, as the prices are: with VAT where they include it.")),
      },
      ONE_OF_BOTH,
    )
    .transform((given, context): Discount => {
      if (given.percent !== null && given.amount === null) return { percent: toDecimal(given.percent) };
      if (given.amount !== null && given.percent === null) return { amount: given.amount };
      context.addIssue({ code: "custom", input: given, message: ONE_OF_BOTH });
      return z.NEVER;
    });

/** Says, of a negative price, what takes something off. */
export const NO_NEGATIVE_PRICE = "must be at least 0: to take something off, use discount, of the line or of the whole document";

const DiscountObject = z.union([z.object({ percent: z.number() }), z.object({ amount: z.number() })]);

/** Replies: the discount of a line, present when it was given. */
export const lineDiscountField = { discount: DiscountObject.optional().describe("Off the line, before VAT.") };

/** Replies: the discount of a document, present when it was given, and what all discounts take off. */
export const documentDiscountReply = {
  discount: DiscountObject.optional().describe("Off the sum of the lines, before VAT."),
  discountTotal: z
    .number()
    .optional()
    .describe("What all discounts take off, in the terms of the prices. Only where there is a discount."),
};

const shown = (given: Discount) =>
  "percent" in given ? { percent: toNumber(given.percent) } : { amount: toRand(given.amount) };

/** The field `discount` of an object that has one. */
export const discountFields = (given: Discount | null | undefined) => (given ? { discount: shown(given) } : {});

/** The fields `discount` and `discountTotal` of a document that has discounts. */
export function documentDiscountFields(document: {
  readonly discount: Discount | null;
  readonly lines: readonly (Discounted & TakenFrom)[];
}) {
  const total = discountTotal(document);
  return { ...discountFields(document.discount), ...(total === null ? {} : { discountTotal: toRand(total) }) };
}
