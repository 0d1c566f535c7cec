import { z } from "zod";
import { currency, filter, optional } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";

const day = (what: string) => filter().pipe(dateAsked().optional()).describe(what);

/** Query of a customer's statement. */
export const StatementQuery = z.object({
  from: day("The first day, South African; the first of the month before `to` unless given."),
  to: day("The last day, included; today unless given."),
  currency: optional(currency()).describe("ZAR unless given."),
});

/** Interface 18.6. */
export const StatementObject = z
  .object({
    object: z.literal("statement"),
    customerId: z.string(),
    from: z.string(),
    to: z.string(),
    currency: z.string(),
    currencies: z
      .array(z.string())
      .describe("Those in which the customer ever owed or paid anything; ZAR when there is none."),
    opening: z.number(),
    closing: z.number(),
    movements: z.array(
      z.object({ date: z.string(), description: z.string(), amount: z.number(), balance: z.number() }),
    ),
    unpaidDebits: z
      .array(z.object({ date: z.string(), description: z.string(), amount: z.number() }))
      .describe("Debit orders that were returned unpaid and are owed today without an invoice; in no balance."),
  })
  .meta({ id: "Statement" });
