import { z } from "zod";
import { filter, listQuery, oneOf, timestamp } from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { DEBIT_BATCH_STATUSES, LAST_RESULTS } from "./types.ts";

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
  completedAt: timestamp().nullable().describe("When the last of its debits had a result."),
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
      z.object({
        reference: z.string(),
        mandateId: z.string(),
        amount: z.number(),
        reason: z.string(),
        customerName: z.string(),
      }),
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
    unpaidCode: z.string().nullable().describe("The bank's code, such as `02`."),
    customerId: z.string(),
    customerName: z.string(),
    lastResult: z.enum(LAST_RESULTS).nullable().describe("How the mandate's debit before this one ended."),
    unpaidInARow: z.int().describe("The number of dates in a row, up to now, whose debits were returned unpaid."),
  })
  .meta({ id: "BatchDebit" });

/** Query of `GET /unpaid-debits`. */
export const UnpaidDebitQuery = listQuery(["txn"], {
  customerId: filter(),
  mandateId: filter(),
  open: oneOf(["true", "false"]).describe(
    "`true`: only those for which something is still owed; `false`: only the others.",
  ),
});

/** A debit that a bank returned unpaid (interface 14.2). */
export const UnpaidDebitObject = z
  .object({
    reference: z.string(),
    customerId: z.string(),
    customerName: z.string(),
    mandateId: z.string(),
    debitBatchId: z.string(),
    actionDate: z.string(),
    amount: z.number(),
    currency: z.literal("ZAR"),
    code: z.string().nullable(),
    reason: z.string(),
    unpaidAt: timestamp(),
    invoiceId: z.string().nullable().describe("The invoice that is open again; null for a debit of a fixed amount."),
    paymentLinkId: z.string().nullable().describe("The link on which such a debit can still be paid."),
    payUrl: z.string().nullable(),
    settled: z.boolean().describe("Nothing is owed for it any more: it was paid since, or its link was deactivated."),
  })
  .meta({ id: "UnpaidDebit" });

/** A batch that staff have made, with all batches that the request made. */
export const MadeDebitBatch = DebitBatchObject.extend({ batches: z.array(DebitBatchSummary) }).meta({
  id: "MadeDebitBatch",
});
