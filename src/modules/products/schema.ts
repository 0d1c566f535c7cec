import { z } from "zod";
import { exemptMark, oneRate, priceTax, standardRate } from "../../domain/schema.ts";
import { clearable, currency, frequency, money, oneOf, recordQuery, text, timestamp } from "../../platform/schema.ts";

const AMOUNT_MAX_RAND = 10_000_000;

const given = {
  name: text(1, 200),
  description: clearable(1000),
  amount: money(AMOUNT_MAX_RAND),
  currency: currency(),
  ...priceTax,
  recurring: z.object({ frequency: frequency() }, "must be an object with a frequency").nullable(),
  enabled: z.boolean(),
};

/** Body of `POST /products` (interface 14.2). */
export const ProductCreate = oneRate(z.object(given).partial().extend({ name: given.name, amount: given.amount }));
export type ProductCreateBody = z.output<typeof ProductCreate>;

/** Body of `PATCH /products/{id}`. */
export const ProductPatch = oneRate(z.object(given).partial());
export type ProductPatchBody = z.output<typeof ProductPatch>;

/** Query of `GET /products`. */
export const ProductQuery = recordQuery(["prod"], {
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
    standardRate: standardRate(),
    taxExempt: exemptMark(),
    taxInclusive: z.boolean(),
    recurring: z.object({ frequency: frequency() }).nullable(),
    enabled: z.boolean(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Product" });
