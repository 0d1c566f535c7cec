import { z } from "zod";
import { timestamp } from "../../platform/schema.ts";

/** Interface 18.3, accounting month; `totals` of a single one only. */
export const AccountingMonthObject = z
  .object({
    object: z.literal("accounting_month"),
    month: z.string(),
    status: z.enum(["open", "closed"]),
    closedAt: timestamp().nullable(),
    closedBy: z.string().nullable(),
    totals: z
      .array(z.object({ account: z.string(), currency: z.string(), debit: z.number(), credit: z.number() }))
      .optional(),
  })
  .meta({ id: "AccountingMonth" });
