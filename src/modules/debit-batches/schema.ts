import { z } from "zod";
import { filter, listQuery, oneOf, recordQuery, text, timestamp } from "../../platform/schema.ts";
import { date, dateAsked } from "../../platform/schema-dates.ts";
import { DEBIT_BATCH_STATUSES, LAST_RESULTS } from "./types.ts";

/** Body of `POST /debit-batches` (interface 14.2). */
export const DebitBatchCreate = z.object({ actionDate: date() });

const references = () =>
  z
    .array(text(1, 100))
    .min(1, "must name a debit")
    .max(500, "must have at most 500 debits")
    .describe("The references of debits in the batch.");

/** Body of `POST /debit-batches/{id}/hold-back`. */
export const DebitsHoldBack = z.object({
  references: references(),
  reason: text(1, 500).describe("Why they are held back, for whoever looks at the batch later."),
});

/** Body of `POST /debit-batches/{id}/release`. */
export const DebitsRelease = z.object({ references: references() });

/** Body of `POST /debit-batches/{id}/send-again`: the person who sends it has checked the gateway's own pages. */
export const DebitBatchSendAgain = z.object({ notAtGateway: z.literal(true) });

/** Query of `GET /debit-batches`. */
export const DebitBatchQuery = recordQuery(["dbat"], { status: oneOf(DEBIT_BATCH_STATUSES) }).extend({
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
    heldBack: z
      .object({ count: z.int(), amount: z.number() })
      .describe(
        "Debits that staff hold back: they are not submitted, and `count` and `amount` of the batch leave them out.",
      ),
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
      expectedUnpaidAmount: z.number().describe("The sum that past debits make likely to come back, in rand."),
      allUnpaidPercent: z.number().describe("`unpaidPercent` if nothing were held back."),
    }),
    settlement: z
      .array(
        z.object({
          day: z.string().meta({ format: "date" }),
          expectedAmount: z
            .number()
            .describe("What is expected to be paid, in rand: all on the day on which the debits settle."),
          paidAmount: z.number().describe("What banks paid, in rand."),
          returnedAmount: z.number().describe("What came back unpaid, in rand, also after it was paid."),
        }),
      )
      .describe("What was expected, what banks paid and what came back, by day."),
  })
  .meta({ id: "DebitBatch" });

/** Query of `GET /debit-batches/{id}/debits` and `GET /mandates/{id}/debits`. */
export const BatchDebitQuery = listQuery(["txn"], {
  held: oneOf(["true", "false"]).describe("`true`: only those that are held back; `false`: only the others."),
});

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
    nextDebitDate: z
      .string()
      .nullable()
      .describe("The mandate's next date, on which a debit that is held back is collected."),
    heldBack: z
      .object({
        at: timestamp().describe("Since when."),
        by: z.string().nullable().describe("The name of the person or key that holds it back."),
        reason: z.string().nullable(),
      })
      .nullable()
      .describe("Who holds it back, since when and why; null when nobody does."),
    heldFrom: z
      .string()
      .nullable()
      .describe("The reference of the debit that was held back, for which this one makes up."),
  })
  .meta({ id: "BatchDebit" });

/** Query of `GET /unpaid-debits`. */
export const UnpaidDebitQuery = listQuery(["txn"], {
  customerId: filter(),
  mandateId: filter(),
  from: dateAsked().optional().describe("The first action date."),
  to: dateAsked().optional().describe("The last action date, included."),
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

const counted = () => z.object({ amount: z.number(), count: z.int() });
const unpaidSpan = () =>
  z.object({
    from: z.string().meta({ format: "date" }),
    to: z.string().meta({ format: "date" }),
    presented: counted().describe("Debits that banks decided."),
    unpaid: counted().describe("Those of them that were returned unpaid."),
    disputed: counted().describe("Those that were collected and taken back later."),
    unpaidPercent: z.number().describe("Unpaid of presented by number, which the limit is about."),
    unpaidAmountPercent: z.number(),
    disputedPercent: z.number(),
  });

/** Interface 14.4: debits that were returned unpaid, beside the scheme's limits. */
export const UnpaidDebitsReportObject = z
  .object({ object: z.literal("unpaid_debits_report"), currency: z.literal("ZAR") })
  .extend(unpaidSpan().shape)
  .extend({
    unpaidLimitPercent: z.number(),
    disputedLimitPercent: z.number(),
    reasons: z
      .array(z.object({ code: z.string().nullable(), reason: z.string().nullable() }).extend(counted().shape))
      .describe("Why debits were unpaid, the most frequent first."),
    series: z.array(unpaidSpan()).describe("By week from Monday, oldest first; the first and the last may be cut."),
  })
  .meta({ id: "UnpaidDebitsReport" });
