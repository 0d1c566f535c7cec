import { z } from "zod";
import { filter, listQuery, oneOf, timestamp } from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { DEBIT_BATCH_STATUSES } from "./types.ts";

/** Body of `POST /debit-batches` (interface 14.2). */
export const DebitBatchCreate = z.object({ actionDate: date() });

/** Body of `POST /debit-batches/{id}/send-again`: the person who sends it has checked the gateway's own pages. */
export const DebitBatchSendAgain = z.object({ notAtGateway: z.literal(true) });

/** Query of `GET /debit-batches`. */
export const DebitBatchQuery = listQuery(["dbat"], { status: oneOf(DEBIT_BATCH_STATUSES) }).extend({
  q: filter().describe(
    "The beginning of the date (`2026-11`), the batch's id, the gateway's reference of it, or the reference of a debit in it.",
  ),
});

const summary = {
  id: z.string(),
  object: z.literal("debit_batch"),
  actionDate: z.string(),
  movedFrom: z.string().nullable(),
  status: z.enum(DEBIT_BATCH_STATUSES),
  gateway: z.string(),
  count: z.number(),
  amount: z.number(),
  currency: z.literal("ZAR"),
  problem: z.string().nullable(),
  submittedAt: timestamp().nullable(),
  createdAt: timestamp(),
};

/** A batch in a list. */
export const DebitBatchSummary = z.object(summary).meta({ id: "DebitBatchSummary" });

/** A batch with its results and its forecast (interface 14.2). */
export const DebitBatchObject = z
  .object({
    ...summary,
    results: z.object({ collected: z.number(), unpaid: z.number(), pending: z.number() }),
    unpaidDebits: z.array(
      z.object({ reference: z.string(), mandateId: z.string(), amount: z.number(), reason: z.string() }),
    ),
    forecast: z.object({
      count: z.number(),
      amount: z.number(),
      expectedUnpaid: z.number(),
      unpaidPercent: z.number(),
      unpaidLimitPercent: z.number(),
      disputedPercent: z.number(),
      disputedLimitPercent: z.number(),
    }),
  })
  .meta({ id: "DebitBatch" });

/** Query of `GET /debit-batches/{id}/debits` and `GET /mandates/{id}/debits`. */
export const BatchDebitQuery = listQuery(["txn"], {});

/** A debit: `status` is that of its payment. */
export const BatchDebitObject = z
  .object({
    reference: z.string(),
    mandateId: z.string(),
    debitBatchId: z.string(),
    debitDate: z.string().describe("Before it was moved to a business day."),
    status: z.string(),
    amount: z.number(),
    currency: z.literal("ZAR"),
    unpaidReason: z.string().nullable().describe("In the bank's words."),
  })
  .meta({ id: "BatchDebit" });

/** A batch that staff have made, with all batches that the request made. */
export const MadeDebitBatch = DebitBatchObject.extend({ batches: z.array(DebitBatchSummary) }).meta({
  id: "MadeDebitBatch",
});
