import { z } from "zod";
import { EXEMPT_HAS_NO_RATE, TAX_EXEMPT, taxRate } from "../platform/schema.ts";

/* The VAT of a product or plan (interface 2.14). */

/** Fields of a body. */
export const priceTax = {
  taxRate: taxRate().describe("Its own rate, in percent. Left out: it follows the standard rate."),
  standardRate: z
    .boolean()
    .describe("True makes it follow the standard rate of the day of each supply; false keeps the rate of today."),
  taxExempt: z.boolean().describe(TAX_EXEMPT),
  /** Null means the organisation's present setting. */
  taxInclusive: z.boolean().nullable(),
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
