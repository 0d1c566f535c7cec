import { z } from "zod";
import { customerReference } from "../../domain/schema.ts";
import { filter, listQuery, money, oneOf, optional, optionalNumber, text, timestamp } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { FLAGS, RISKS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./types.ts";

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
export const TransactionQuery = listQuery(["txn"], {
  status: oneOf(TRANSACTION_STATUSES),
  paymentLinkId: filter(),
  customerId: filter(),
  externalReference: filter(),
  currency: filter(),
  paidFrom: dateAsked().optional().describe("The first South African day on which it was paid."),
  paidTo: dateAsked().optional().describe("The last one."),
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

/** Answer of `POST /transactions/{reference}/refunds`. */
export const RefundedObject = TransactionObject.extend({
  creditNote: z
    .object({ id: z.string(), number: z.string() })
    .optional()
    .describe("The credit note that was issued; absent while the gateway has not accepted the refund."),
}).meta({ id: "RefundedTransaction" });
