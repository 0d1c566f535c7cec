import { z } from "zod";
import { timestamp } from "../../platform/schema.ts";

/** Interface 18.7, erasure. */
export const ErasureObject = z
  .object({
    object: z.literal("erasure"),
    customerId: z.string(),
    erasedAt: timestamp(),
    erased: z.record(z.string(), z.int()),
    kept: z.array(z.object({ what: z.string(), count: z.int(), until: z.string(), why: z.string() })),
    elsewhere: z.string(),
  })
  .meta({ id: "Erasure" });

/** The erasure of a customer, if there is one. */
export const ErasureList = z.object({ object: z.literal("list"), data: z.array(ErasureObject) });

/** Interface 18.7: how long data are kept. */
export const RetentionObject = z
  .object({
    object: z.literal("retention"),
    settings: z.array(
      z.object({
        what: z.string(),
        months: z.int().nullable(),
        least: z.int(),
        most: z.int(),
        about: z.string(),
        removed: z.int(),
        appliedAt: timestamp().nullable(),
      }),
    ),
    byLaw: z.array(z.object({ what: z.string(), years: z.int(), why: z.string() })),
  })
  .meta({ id: "Retention" });
