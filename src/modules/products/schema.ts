import { z } from "zod";
import {
  clearable,
  currency,
  EXEMPT_HAS_NO_RATE,
  exemptMark,
  frequency,
  listQuery,
  money,
  oneOf,
  TAX_EXEMPT,
  taxRate,
  text,
  timestamp,
} from "../../platform/schema.ts";

const AMOUNT_MAX_RAND = 10_000_000;

const given = {
  name: text(1, 200),
  description: clearable(1000),
  amount: money(AMOUNT_MAX_RAND),
  currency: currency(),
  taxRate: taxRate(),
  taxExempt: z.boolean().describe(TAX_EXEMPT),
  /** Null means the organisation's present setting. */
  taxInclusive: z.boolean().nullable(),
  recurring: z.object({ frequency: frequency() }, "must be an object with a frequency").nullable(),
  enabled: z.boolean(),
};

/** Body of `POST /products` (interface 14.2). */
export const ProductCreate = z
  .object(given)
  .partial()
  .extend({ name: given.name, amount: given.amount })
  .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told);
export type ProductCreateBody = z.output<typeof ProductCreate>;

/** Body of `PATCH /products/{id}`. */
export const ProductPatch = z.object(given).partial().refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told);
export type ProductPatchBody = z.output<typeof ProductPatch>;

/** Query of `GET /products`. */
export const ProductQuery = listQuery(["prod"], {
  recurring: oneOf(["true"]).describe("Those that are billed again and again."),
});

/** Interface 14.2. */
export const ProductObject = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    amount: z.number(),
    currency: z.string(),
    taxRate: z.number(),
    taxExempt: exemptMark(),
    taxInclusive: z.boolean(),
    recurring: z.object({ frequency: frequency() }).nullable(),
    enabled: z.boolean(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Product" });
