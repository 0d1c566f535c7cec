import { z } from "zod";
import { currency, money, optional, optionalNumber, pageQuery, text, timestamp } from "../../platform/schema.ts";

const AMOUNT_MAX_RAND = 100_000_000;

/** Body of `POST /customers/{id}/credit-refunds` (interface 18.1). */
export const CreditRefundCreate = z.object({
  amount: optionalNumber(money(AMOUNT_MAX_RAND)),
  currency: optional(currency()),
  reason: optional(text(0, 500)),
  method: optional(z.enum(["manual"])),
});
export type CreditRefundCreateBody = z.output<typeof CreditRefundCreate>;

/** Query of `GET /customers/{id}/credit-refunds`. */
export const CreditRefundQuery = pageQuery(["crf"], {});

/** Query of `GET /customers/{id}/payable-credit`. */
export const PayableCreditQuery = z.object({ currency: optional(currency()) });

/** The source of the credit: a payment, a payment of an invoice, or a line of a bank statement. */
const Source = z.object({
  transactionReference: z.string().nullable(),
  invoiceId: z.string().nullable(),
  itemId: z.string().nullable().describe("Of a line of a bank statement, a part of which was overpaid."),
  amount: z.number(),
});

/** Interface 18.1: the credit that can be paid out, by the payments from which it comes. */
export const PayableCreditObject = z
  .object({
    object: z.literal("payable_credit"),
    customerId: z.string(),
    currency: z.string(),
    currencies: z.array(z.string()).describe("Those in which the customer has credit."),
    amount: z.number(),
    sources: z.array(Source),
    heldUntil: timestamp().nullable().describe("Until when nothing is paid out, since bank details were changed."),
  })
  .meta({ id: "PayableCredit" });

/** Interface 18.1, credit refund. */
export const CreditRefundObject = z
  .object({
    object: z.literal("credit_refund"),
    id: z.string(),
    customerId: z.string(),
    amount: z.number(),
    currency: z.string(),
    method: z.enum(["manual"]),
    reason: z.string().nullable(),
    sources: z.array(Source),
    createdAt: timestamp(),
  })
  .meta({ id: "CreditRefund" });
