import { z } from "zod";
import { CARD_BRANDS } from "../../domain/card-brands.ts";
import { DECLINE_REASONS } from "../../domain/decline-reasons.ts";
import { customerReference } from "../../domain/schema.ts";
import {
  filter,
  metadataFilter,
  money,
  oneOf,
  optional,
  optionalNumber,
  recordQuery,
  text,
  timestamp,
} from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { ATTEMPT_METHODS, ATTEMPT_OUTCOMES, FLAGS, RISKS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./types.ts";

const REFUND_MAX_RAND = 10_000_000;

/** Interface 2.7. */
export const TransactionObject = z
  .object({
    reference: z.string(),
    status: z.enum(TRANSACTION_STATUSES),
    amount: z.number(),
    fee: z.number().nullable(),
    net: z.number().nullable(),
    currency: z.string(),
    type: z.enum(TRANSACTION_TYPES),
    gateway: z.string(),
    description: z.string().nullable(),
    providerRef: z.string().nullable(),
    payerEmail: z.string().nullable(),
    paymentLinkId: z.string().nullable(),
    externalReference: z.string().nullable(),
    eftOrderId: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    renewal: z.boolean(),
    parentReference: z.string().nullable(),
    subscriptionId: z.string().nullable(),
    refundedAmount: z.number(),
    refunds: z.array(
      z.object({
        refundNumber: z.string(),
        amount: z.number(),
        currency: z.string(),
        status: z.enum(["pending", "processed"]),
        madeElsewhere: z.literal(true).optional().describe("Made in the gateway's own dashboard."),
        processedAt: timestamp().nullable(),
        createdAt: timestamp(),
      }),
    ),
    reversals: z
      .array(z.object({ amount: z.number(), reason: z.string(), code: z.string().nullable(), reversedAt: timestamp() }))
      .optional(),
    invoice: z
      .object({
        id: z.string(),
        number: z.string(),
        invoiceNumber: z.string(),
        status: z.string(),
        externalReference: z.string().nullable(),
      })
      .nullable(),
    disputableUntil: z
      .string()
      .meta({ format: "date" })
      .optional()
      .describe("Of a collected debit order: the last day on which its payer can dispute it at the bank."),
    declineReason: z
      .enum(DECLINE_REASONS)
      .optional()
      .describe("Of a payment that failed, or a debit order that came back unpaid: why, as far as the gateway told."),
    card: z
      .object({ brand: z.enum(CARD_BRANDS), last4: z.string() })
      .optional()
      .describe("The card that paid, where its gateway told."),
    flags: z.array(z.enum(FLAGS)),
    sandbox: z.literal(true).optional(),
    paidAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Transaction" });

/** Data of `payment.*` events: the transaction and its customer. */
export const PaymentEventData = z
  .object({ ...TransactionObject.shape, customer: customerReference().nullable() })
  .meta({ id: "PaymentEventData" });
export type PaymentEvent = z.output<typeof PaymentEventData>;

/** Data of `refund.*` events: the transaction, its customer and the refund. */
export const RefundEventData = z
  .object({
    ...PaymentEventData.shape,
    refund: z.object({
      refundNumber: z.string(),
      amount: z.number(),
      currency: z.string(),
      status: z.enum(["pending", "processed", "failed"]),
      processedAt: timestamp().nullable(),
      createdAt: timestamp(),
    }),
  })
  .meta({ id: "RefundEventData" });

/** Query of the dashboard's `GET /transactions`. */
export const TransactionQuery = recordQuery(["txn"], {
  metadata: metadataFilter(),
  status: oneOf(TRANSACTION_STATUSES),
  type: oneOf(TRANSACTION_TYPES),
  paymentLinkId: filter(),
  invoiceId: filter(),
  customerId: filter(),
  externalReference: filter(),
  currency: filter(),
  paidFrom: dateAsked().optional().describe("The first South African day on which it was paid."),
  paidTo: dateAsked().optional().describe("The last one."),
  method: oneOf(ATTEMPT_METHODS).describe("How it was attempted: on a page by the payer, or without one."),
  gateway: filter().describe("The type of its gateway."),
  outcome: oneOf(ATTEMPT_OUTCOMES).describe(
    "How the attempt ended; a debit order that came back unpaid is `declined`, also after it was collected.",
  ),
  declineReason: oneOf(DECLINE_REASONS).describe("Declined ones with this reason."),
  flag: oneOf(FLAGS).describe("Payments with this flag."),
  risk: oneOf(RISKS).describe(
    "Collected debit orders alone, of which something is left: those that can still be disputed, or can not.",
  ),
});

/** A figure: an amount, the number of payments in it, and the path of the list that shows them. */
const figure = () => z.object({ amount: z.number(), count: z.int(), list: z.string() });
const day = () => z.string().meta({ format: "date" });

/** Interface 14.4: what was collected by debit order in a currency, by whether it can still be disputed. */
export const MoneyAtRiskObject = z
  .object({
    currency: z.string(),
    safe: figure(),
    atRisk: figure().extend({
      until: day().nullable(),
      days: z.array(z.object({ until: day(), amount: z.number(), count: z.int() })),
    }),
  })
  .meta({ id: "MoneyAtRisk" });

/** Body of `POST /transactions/{reference}/give-up`: the person who sends it has checked the gateway's own pages. */
export const ChargeGiveUp = z.object({ notAtGateway: z.literal(true) });

/** Body of `POST /transactions/{reference}/accept`. */
export const RenewalAccept = z.object({
  asNewAmount: z.boolean().default(false).describe("The subscription has this amount from now on."),
});

/** Body of `POST /transactions/{reference}/give-back`. */
export const RenewalGiveBack = z.object({ reason: optional(text(0, 255)) });

/** Body of `POST /transactions/{reference}/refunds` (interface 14.2). */
export const RefundCreate = z.object({
  amount: optionalNumber(money(REFUND_MAX_RAND)),
  reason: optional(text(0, 255)),
  method: optional(z.enum(["gateway", "manual"])),
  madeElsewhere: z
    .boolean()
    .default(false)
    .describe("It was made in the gateway's own dashboard already: it is booked, and not asked for."),
  creditNote: z
    .boolean()
    .default(false)
    .describe("Also issues a credit note of the payment's invoice for the same amount, which the refund settles."),
});

/** Answer of `GET /transactions/{reference}/refund-limits` (interface 14.2). */
export const RefundLimitsObject = z
  .object({
    limit: z.number().describe("The most that can be refunded, through the gateway or by hand; 0: nothing."),
    limitElsewhere: z
      .number()
      .describe("The most that can be recorded of what was refunded in the gateway's own dashboard."),
    why: z.string().nullable().describe("Why less can be refunded than the payment leaves, in a sentence."),
  })
  .meta({ id: "RefundLimits" });
export type RefundLimits = z.output<typeof RefundLimitsObject>;

/** Answer of `POST /transactions/{reference}/refunds`. */
export const RefundedObject = TransactionObject.extend({
  creditNote: z
    .object({ id: z.string(), number: z.string() })
    .optional()
    .describe("The credit note that was issued; absent while the gateway has not accepted the refund."),
}).meta({ id: "RefundedTransaction" });

const counted = () => z.object({ amount: z.number(), count: z.int() });
const attempts = {
  attempts: counted(),
  succeeded: counted().describe("Paid, whatever was refunded or disputed since."),
  declined: counted().describe("Declined by a bank or gateway, and debit orders that came back unpaid."),
  abandoned: counted().describe("The payer left or cancelled, or never finished."),
  pending: counted().describe("Not decided yet."),
  successPercent: z
    .number()
    .nullable()
    .describe("succeeded, in percent of succeeded and declined by their number; null where there are none."),
};
const attemptSpan = () =>
  z.object({ from: z.string().meta({ format: "date" }), to: z.string().meta({ format: "date" }), ...attempts });

/** Query of `GET /overview/attempts-report`, beside its days. */
export const ATTEMPTS_QUERY = {
  method: oneOf(ATTEMPT_METHODS).describe("Attempts of this method alone."),
  gateway: filter().describe("Attempts at gateways of this type alone."),
};

/** Interface 14.4: how attempts to pay ended in some days, and why they were declined. */
export const AttemptsReportObject = z
  .object({ object: z.literal("attempts_report"), currency: z.string(), by: z.enum(["day", "week", "month"]) })
  .extend(attemptSpan().shape)
  .extend({
    reasons: z
      .array(z.object({ reason: z.enum(DECLINE_REASONS), ...counted().shape }))
      .describe("Of declined ones, the most frequent first."),
    methods: z
      .array(z.object({ method: z.enum(ATTEMPT_METHODS), gateway: z.string(), ...attempts }))
      .describe("The one with the most attempts first."),
    series: z.array(attemptSpan()).describe("Oldest first; the first and the last may be cut."),
  })
  .meta({ id: "AttemptsReport" });
