import { z } from "zod";
import { currency, listQuery, optional } from "../../platform/schema.ts";

const asked = { currency: optional(currency()).describe("ZAR unless given.") };

/** Query of the totals, and of the file. */
export const DeferredQuery = z.object(asked);

/** Query of the invoices. */
export const DeferredListQuery = listQuery(["inv"], asked);

const movement = {
  opening: z.number().describe("The amount not earned at the end of the month before."),
  deferred: z.number().describe("Of the revenue posted in the month, the part for days after it."),
  recognised: z.number().describe("Of the revenue posted before, the part for days of the month."),
  reversed: z.number().describe("Of what was posted before, taken back by credit notes and cancellations unearned."),
  closing: z.number().describe("The amount not earned at the end of the month."),
};

/** Interface 18.9, totals. */
export const DeferredTotalsObject = z
  .object({
    object: z.literal("deferred_revenue"),
    month: z.string(),
    currency: z.string(),
    currencies: z.array(z.string()).describe("Currencies other than ZAR in which the organisation has invoices."),
    invoices: z.number().describe("How many invoices have deferred revenue."),
    ...movement,
    posted: z.number().describe("The sum posted in the month to the ledger account revenue."),
    earned: z.number().describe("posted, less deferred, with recognised and reversed."),
  })
  .meta({ id: "DeferredRevenue" });

/** Interface 18.9, invoice. */
export const DeferredInvoiceObject = z
  .object({
    object: z.literal("deferred_invoice"),
    id: z.string(),
    number: z.string(),
    customerId: z.string(),
    customerName: z.string().nullable(),
    currency: z.string(),
    ...movement,
    lines: z.array(
      z.object({
        line: z.number().describe("Its place on the invoice, from 1."),
        description: z.string(),
        periodStart: z.string(),
        periodEnd: z.string(),
        amount: z.number().describe("Excluding VAT."),
        ...movement,
      }),
    ),
  })
  .meta({ id: "DeferredInvoice" });
