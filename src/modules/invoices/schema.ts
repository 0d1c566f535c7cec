import { z } from "zod";
import {
  customerKey,
  customerName,
  customerReference,
  discount,
  documentDiscountReply,
  EXEMPT_HAS_NO_RATE,
  exchange,
  exchangeReply,
  exemptMark,
  LineReasonObject,
  lineDiscountField,
  NO_NEGATIVE_PRICE,
  taxExempt,
  taxRate,
  viewTimes,
} from "../../domain/schema.ts";
import { PAYMENT_METHODS } from "../../kernel/payment-methods.ts";
import {
  currency,
  filter,
  metadata,
  metadataFilter,
  money,
  oneOf,
  optional,
  optionalNumber,
  quantity,
  recordQuery,
  text,
  textAsGiven,
  textOrNull,
  timestamp,
  unitPrice,
} from "../../platform/schema.ts";
import { date, dateTime } from "../../platform/schema-dates.ts";
import { INVOICE_CHARGES, INVOICE_STATUSES, MISSED_OUTCOMES } from "./types.ts";

const LINES_MAX = 200;
const PAYMENT_MAX_RAND = 100_000_000;

const lines = () =>
  z
    .array(
      z
        .object({
          description: text(1, 1000),
          quantity: quantity(),
          unitPrice: unitPrice(NO_NEGATIVE_PRICE),
          taxRate: optionalNumber(taxRate()),
          taxExempt: taxExempt(),
          discount: optional(discount()),
          details: optional(textOrNull(4000)),
          periodStart: optional(date()),
          periodEnd: optional(date()),
        })
        .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told),
    )
    .min(1, "must have at least 1 line")
    .max(LINES_MAX, `must have at most ${LINES_MAX} lines`);

const customer = {
  customerId: customerKey(),
  customer: optional(customerName()),
};

/** Body of `POST /invoices` (interface 4.5). */
export const InvoiceCreate = z.object({
  ...customer,
  lines: lines(),
  discount: optional(discount()),
  externalReference: optional(text(1, 190)),
  currency: optional(currency()),
  exchange: optional(exchange()).describe(
    "Of an invoice in another currency than the rand: how it is reckoned in rand. Without it the settings' rate is used.",
  ),
  issueDate: optional(date()),
  dueDate: optional(date()),
  notes: optional(textAsGiven(4000)),
  metadata: optional(metadata()),
  send: optional(z.boolean()),
});
export type InvoiceCreateBody = z.output<typeof InvoiceCreate>;
export type InvoiceLineBody = InvoiceCreateBody["lines"][number];

/** Body of `PATCH /invoices/{id}` (interface 4.5): fields left out keep their value; `lines` replaces every line. */
export const InvoicePatch = z
  .object({
    ...customer,
    lines: lines().optional(),
    discount: discount().nullable().optional(),
    externalReference: text(1, 190).nullable().optional(),
    currency: currency().optional(),
    exchange: exchange().nullable().optional().describe("Null: the settings' rate."),
    issueDate: date().optional(),
    dueDate: date().nullable().optional(),
    notes: textOrNull(4000).nullable().optional(),
    metadata: metadata()
      .meta({ type: ["object", "null"] })
      .optional(),
  })
  .refine(({ customerId, customer: named }) => customerId === null || named === null, {
    path: ["customerId"],
    error: "Send one of customerId and customer, not both",
  });
export type InvoicePatchBody = z.output<typeof InvoicePatch>;

/** Query of `GET /invoices`; `q` and `startingAfter` serve the dashboard's list (interface 14.3). */
export const InvoiceQuery = recordQuery(["inv"], {
  metadata: metadataFilter(),
  customerId: filter(),
  externalReference: filter(),
  status: oneOf(INVOICE_STATUSES),
  currency: filter(),
  owing: oneOf(["open", "overdue"]).describe("Of which something is due, or was due before today."),
  missed: oneOf(MISSED_OUTCOMES).describe(
    "Invoices of subscriptions whose collection failed, as the overview counts them: unpaid still, recovered, or being tried again.",
  ),
});

/** Body of `POST /invoices/{id}/payments` (interface 4.5). */
export const OfflinePaymentCreate = z.object({
  amount: money(PAYMENT_MAX_RAND),
  method: z.enum(PAYMENT_METHODS, `must be one of ${PAYMENT_METHODS.join(", ")}`),
  reference: optional(text(0, 190)),
  paidAt: optional(dateTime()),
});
export type OfflinePaymentBody = z.output<typeof OfflinePaymentCreate>;

/** Body of `POST /invoices/{id}/credit-applications` (interface 4.5), which may be left out. */
export const CreditApplicationCreate = z.object({
  amount: optionalNumber(money(PAYMENT_MAX_RAND)).describe("As much as there is and as is due, unless given."),
});
export type CreditApplicationBody = z.output<typeof CreditApplicationCreate>;

/** Whether a draft is dated today when it is sent (interface 4.5). */
const ISSUE_TODAY =
  "Whether a draft gets today as its issue date, with its due date moved so that there is as long to pay. " +
  "Not for the bill of a subscription, nor across a change of the VAT rate.";

/** Body of `POST /invoices/{id}/send`, which may be left out. */
export const InvoiceSend = z.object({ issueToday: z.boolean().default(false).describe(ISSUE_TODAY) });
export type InvoiceSendBody = z.output<typeof InvoiceSend>;

/** Query of `GET /invoices/{id}/send-preview`. */
export const InvoiceSendPreviewQuery = z.object({
  issueToday: filter()
    .refine((value) => value === undefined || value === "true" || value === "false", "must be true or false")
    .describe(ISSUE_TODAY),
});

/** Body of `POST /invoices/{id}/cancel` (interface 4.5), which may be left out. */
export const InvoiceCancel = z.object({ reason: optional(text(0, 500)) }).default({ reason: null });

const day = () => z.string().meta({ format: "date" });

/** An invoice (interface 2.5). Periods and details are present when the invoice bills a period. */
export const InvoiceObject = z
  .object({
    id: z.string(),
    number: z.string(),
    status: z.enum(INVOICE_STATUSES),
    externalReference: z.string().nullable(),
    customer: customerReference(),
    currency: z.string(),
    issueDate: timestamp(),
    dueDate: timestamp().nullable(),
    periodStart: day().optional(),
    periodEnd: day().optional(),
    charge: z.enum(INVOICE_CHARGES).optional().describe("Of a customer subscription's invoice: what it bills."),
    cycle: z.int().optional().describe("Of a customer subscription's invoice: which of its bills this is, from 1."),
    lines: z.array(
      z.object({
        description: z.string(),
        details: z.string().nullable().optional().describe("Null only of a customer subscription's invoice."),
        quantity: z.number(),
        unitPrice: z.number().describe("Excluding VAT."),
        taxRate: z.number().describe("Percent."),
        taxExempt: exemptMark(),
        ...lineDiscountField,
        amount: z.number().describe("Excluding VAT, after the line's discount."),
        periodStart: day().optional(),
        periodEnd: day().optional(),
        reason: LineReasonObject.optional().describe(
          "Of a customer subscription's invoice: why the line is what it is.",
        ),
      }),
    ),
    ...documentDiscountReply,
    subtotal: z.number().describe("Excluding VAT, after all discounts."),
    taxAmount: z.number(),
    total: z.number(),
    depositAmount: z
      .number()
      .optional()
      .describe("What the payer is asked to pay first: the deposit of the quote that it was. Only where there is one."),
    ...exchangeReply,
    amountPaid: z.number(),
    amountDue: z.number(),
    paidAt: timestamp().nullable(),
    payUrl: z.url().nullable(),
    notes: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    ...viewTimes(),
  })
  .meta({ id: "Invoice" });

/** Answer of `GET /invoices/{id}/send-preview`: what sending would do. */
export const InvoiceSendPreviewObject = z
  .object({
    to: z.string().nullable().describe("The address that gets the email; null: the customer has none."),
    mailEnabled: z.boolean().describe("Whether this installation sends mail."),
    total: z.number(),
    creditUsed: z.number().describe("The customer's credit notes that are applied to it first."),
    amountDue: z.number().describe("What the payer is then asked to pay."),
    canBePaidOnline: z.boolean().describe("Whether the email has a link to pay."),
    issueDate: timestamp(),
    dueDate: timestamp().nullable(),
  })
  .meta({ id: "InvoiceSendPreview" });
export type InvoiceSendPreview = z.output<typeof InvoiceSendPreviewObject>;

/** Answer of `GET /invoices/{id}/payments` (interface 4.5). */
export const InvoicePaymentsObject = z
  .object({
    amountPaid: z.number(),
    safe: z.number().describe("Of the amount paid, what no payer can dispute any more."),
    atRisk: z.number().describe("Of the amount paid, what was collected by debit order and can still be disputed."),
    atRiskUntil: day().nullable().describe("The last day on which some of it can be disputed."),
    data: z.array(
      z.object({
        object: z.literal("invoice_payment"),
        id: z.string(),
        source: z.enum(["offline", "transaction", "credit_note", "credit", "reversal"]),
        amount: z
          .number()
          .describe("Below zero for a reversal, and for credit that a bank took back with its payment."),
        method: z.enum(PAYMENT_METHODS).nullable().describe("Of an offline payment."),
        reference: z.string().nullable().describe("Of an offline payment."),
        transactionReference: z.string().nullable().describe("Of a transaction, and of the reversal of one."),
        creditNoteId: z.string().nullable(),
        atRisk: z.number(),
        disputableUntil: day().nullable(),
        paidAt: timestamp(),
      }),
    ),
    amountRefunded: z.number().describe("What was refunded of the payments; amountPaid stays as it was."),
    refunds: z.array(
      z.object({
        refundNumber: z.string(),
        transactionReference: z.string(),
        amount: z.number(),
        status: z.enum(["pending", "processed"]),
        processedAt: timestamp().nullable(),
        createdAt: timestamp(),
      }),
    ),
  })
  .meta({ id: "InvoicePayments" });
