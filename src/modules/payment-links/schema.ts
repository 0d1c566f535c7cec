import { z } from "zod";
import { STAGES } from "../../domain/funnel.ts";
import { customerKey, EXEMPT_HAS_NO_RATE, includedTax, includedTaxShown } from "../../domain/schema.ts";
import {
  currency,
  email,
  filter,
  flag,
  frequency,
  metadata,
  metadataFilter,
  money,
  oneOf,
  optional,
  optionalNumber,
  recordQuery,
  text,
  textAsGiven,
  timestamp,
} from "../../platform/schema.ts";
import { dateTime } from "../../platform/schema-dates.ts";

const AMOUNT_MAX_RAND = 10_000_000;

/** Body of `POST /payment-links` (interface 4.2). Unknown fields are ignored. */
export const PaymentLinkCreate = z
  .object({
    title: text(1, 100),
    amount: money(AMOUNT_MAX_RAND),
    currency: optional(currency()),
    externalReference: optional(text(1, 100)),
    description: optional(textAsGiven(255)),
    returnUrl: optional(z.string()).meta({ type: "string", format: "uri", maxLength: 1000 }),
    metadata: optional(metadata()),
    recurring: optional(z.object({ frequency: frequency(), amount: optionalNumber(money(AMOUNT_MAX_RAND)) })),
    customerId: customerKey(),
    customerEmail: optional(email()),
    customerFirstName: optional(text(0, 100)),
    customerLastName: optional(text(0, 100)),
    productId: optional(text(1, 100)),
    invoiceId: optional(text(1, 100)),
    ...includedTax,
    singleUse: flag(true),
    expiresAt: optional(dateTime()),
  })
  .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told);
export type PaymentLinkCreateBody = z.output<typeof PaymentLinkCreate>;

/** Query of `GET /payment-links`; `q` and `startingAfter` serve the dashboard's list (interface 14.3). */
export const PaymentLinkQuery = recordQuery(["plink"], {
  metadata: metadataFilter(),
  externalReference: filter(),
  customerId: filter(),
  active: oneOf(["true", "false"]),
  ofInvoice: oneOf(["true", "false"]).describe("Whether they pay an invoice."),
  reached: oneOf(STAGES).describe("Those that a payer has opened, on which a payment was started, or that were paid."),
});

const link = {
  id: z.string(),
  url: z.url(),
  shortUrl: z.url().describe("A shorter address that leads to `url`, for messages and QR codes."),
  title: z.string(),
  description: z.string().nullable(),
  amount: z.number(),
  currency: z.string(),
  externalReference: z.string().nullable(),
  returnUrl: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  recurring: z.object({ frequency: frequency(), amount: z.number() }).nullable(),
  singleUse: z.boolean(),
  active: z.boolean(),
  expiresAt: timestamp().nullable(),
  ...includedTaxShown,
  paidCount: z.int(),
  createdAt: timestamp(),
};

/** Interface 2.3, from create. */
export const PaymentLinkObject = z.object(link).meta({ id: "PaymentLink" });

const withPayments = {
  ...link,
  payments: z.array(
    z.object({
      reference: z.string(),
      status: z.string(),
      amount: z.number(),
      currency: z.string(),
      paidAt: timestamp().nullable(),
      createdAt: timestamp(),
    }),
  ),
  subscription: z.object({ id: z.string(), status: z.string() }).nullable(),
};

/** Interface 2.3, from list and get. */
export const PaymentLinkWithPayments = z.object(withPayments).meta({ id: "PaymentLinkWithPayments" });

/** As staff see it, with the invoice that it pays. */
export const StaffPaymentLink = z
  .object({
    ...withPayments,
    invoiceId: z.string().nullable().describe("The invoice that it pays."),
    collectsBalance: z
      .boolean()
      .describe("Whether it is the invoice's own pay link, which is deactivated with the invoice."),
  })
  .meta({ id: "StaffPaymentLink" });

/** Query of `GET /payment-links/{id}/qr.png`. */
export const QrCodeQuery = z.object({
  size: z.coerce
    .number("must be a number of pixels")
    .int("must be a whole number of pixels")
    .min(64, "must be at least 64")
    .max(2048, "must be at most 2048")
    .default(512)
    .describe("Pixels, wide and high."),
});
