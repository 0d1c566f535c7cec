import { z } from "zod";
import { pageQuery, timestamp } from "../../platform/schema.ts";
import { ATTEMPT_CAUSES, ATTEMPT_STATUSES } from "./types.ts";

/** Query of `GET /customer-subscriptions/{id}/attempts`. */
export const AttemptsQuery = pageQuery(["att"], {});

/** Interface 16.16. */
export const CollectionAttemptObject = z
  .object({
    object: z.literal("collection_attempt"),
    id: z.string(),
    invoice: z.object({ id: z.string(), number: z.string() }),
    cause: z.enum(ATTEMPT_CAUSES),
    status: z.enum(ATTEMPT_STATUSES),
    reference: z.string().nullable().describe("Of the transaction; null when no gateway could be asked."),
    reason: z.string().nullable().describe("Why it failed or was cancelled."),
    hard: z.boolean().describe("Whether its card will never pay."),
    nextAttemptAt: timestamp()
      .nullable()
      .describe("When the next attempt follows by itself; null once none comes. Of the newest attempt of an invoice."),
    reversal: z
      .object({ amount: z.number(), reason: z.string(), reversedAt: timestamp() })
      .nullable()
      .describe("The last amount of its payment that the payer's bank reversed."),
    createdAt: timestamp(),
  })
  .meta({ id: "CollectionAttempt" });

const counted = () => z.object({ amount: z.number(), count: z.int() });

/** Interface 14.4: the collections that failed first in some days, and what became of them. */
export const RecoveryReportObject = z
  .object({
    object: z.literal("recovery_report"),
    currency: z.string(),
    from: z.string().meta({ format: "date" }),
    to: z.string().meta({ format: "date" }),
    failed: counted().describe("All of them, with the totals of their invoices: recovered, retrying and lost."),
    retried: counted().describe("Those of them that were retried at least once."),
    recovered: counted().describe("Paid since."),
    retrying: counted().describe("Not paid, and still collected."),
    lost: counted().describe("Not paid, and collected no more."),
  })
  .meta({ id: "RecoveryReport" });
