import { z } from "zod";
import { filter, oneOf, pageQuery, timestamp } from "../../platform/schema.ts";
import { OTHER_VAT_FIELDS, UNTAXED_KINDS, VAT_BASES, VAT_FIELDS } from "./types.ts";

const months = () =>
  oneOf(["1", "2"] as const).describe("The number of months in the tax period; `period` is its last month.");

const basis = () =>
  oneOf(VAT_BASES).describe("invoice counts documents when they are issued; payments counts what was paid.");
const untaxed = () =>
  oneOf(UNTAXED_KINDS).describe(
    "The field for supplies without VAT that are not marked as exempt: field 2 or field 3 of the form.",
  );

/** Query of a return. */
export const VatReturnQuery = z.object({ months: months(), basis: basis(), untaxed: untaxed() });

/** Query of the records of a field. */
export const VatRecordQuery = pageQuery(["jrn"], {
  months: months(),
  basis: basis(),
  untaxed: untaxed(),
  field: filter()
    .pipe(z.enum(VAT_FIELDS, `must be one of ${VAT_FIELDS.join(", ")}`))
    .meta({ enum: VAT_FIELDS }),
});

/** Interface 18.4, VAT return. */
export const VatReturnObject = z
  .object({
    object: z.literal("vat_return"),
    period: z.string(),
    from: z.string(),
    to: z.string(),
    basis: z.enum(VAT_BASES),
    untaxed: z.enum(UNTAXED_KINDS),
    currency: z.literal("ZAR"),
    otherCurrencies: z.array(z.string()),
    figures: z.array(
      z.object({
        field: z.enum([...VAT_FIELDS, ...OTHER_VAT_FIELDS]),
        description: z.string(),
        amount: z.number(),
        list: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "VatReturn" });

/** Interface 18.4, record of a field. */
export const VatRecordObject = z
  .object({
    object: z.literal("vat_record"),
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    occurredAt: timestamp(),
    description: z.string(),
    amount: z.number(),
  })
  .meta({ id: "VatRecord" });
