import { z } from "zod";
import { currency, filter, listQuery, optional } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { AGES, type Age } from "./rules.ts";

const asked = {
  asAt: filter()
    .pipe(dateAsked().optional())
    .describe("The day at whose end the amounts were open, South African; today unless given."),
  currency: optional(currency()).describe("ZAR unless given."),
};

/** Query of the totals. */
export const AgedQuery = z.object(asked);

/** Query of the customers. */
export const AgedListQuery = listQuery(["cus"], asked);

/** Query of the file. */
export const AgedFileQuery = AgedListQuery.omit({ limit: true, startingAfter: true, endingBefore: true });

const amounts = {
  ...(Object.fromEntries(AGES.map((age) => [age, z.number()])) as Record<Age, z.ZodNumber>),
  total: z.number(),
  credit: z.number(),
};

/** Interface 18.5, totals. */
export const AgedTotalsObject = z
  .object({
    object: z.literal("aged_debtors"),
    asAt: z.string(),
    currency: z.string(),
    debtors: z.number(),
    ...amounts,
  })
  .meta({ id: "AgedDebtors" });

/** Interface 18.5, customer. */
export const AgedDebtorObject = z
  .object({
    object: z.literal("aged_debtor"),
    id: z.string(),
    name: z.string().nullable(),
    currency: z.string(),
    ...amounts,
  })
  .meta({ id: "AgedDebtor" });
