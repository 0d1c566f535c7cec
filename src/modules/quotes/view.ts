import { customerReferenceView } from "../../domain/customer-reference.ts";
import { discountFields, documentDiscountFields, partShown } from "../../domain/discount-fields.ts";
import { toNumber } from "../../kernel/decimal.ts";
import { amountShown } from "../../kernel/discounts.ts";
import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { endOfDay, type Instant, startOfDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { statusAt } from "./rules.ts";
import type { Quote } from "./types.ts";

/** A quote as the API and the events show it at `now` (interface 2.6). */
export const quoteView = (quote: Quote, now: Instant) => ({
  object: "quote" as const,
  id: quote.id,
  number: quote.number,
  status: statusAt(quote, now),
  issueDate: toTimestamp(startOfDay(quote.issueDate)),
  expiryDate: quote.expiryDate && toTimestamp(endOfDay(quote.expiryDate)),
  periodStart: quote.periodStart,
  periodEnd: quote.periodEnd,
  currency: quote.currency,
  taxInclusive: quote.taxInclusive,
  ...documentDiscountFields(quote),
  subtotal: toRand(quote.subtotal),
  taxAmount: toRand(quote.tax),
  total: toRand(quote.total),
  ...(quote.deposit && { deposit: partShown(quote.deposit), depositAmount: toRand(quote.depositAmount) }),
  notes: quote.notes,
  customer: customerReferenceView(quote.customer),
  invoice: quote.invoice,
  lineItems: quote.lines.map((line) => ({
    description: line.description,
    details: line.details,
    quantity: toNumber(line.quantity),
    unitPrice: toNumber(line.unitPrice),
    ...discountFields(line.discount),
    amount: toRand(amountShown(line)),
    taxRate: toNumber(line.taxRate),
    ...exemption(line.taxExempt),
    periodStart: line.periodStart,
    periodEnd: line.periodEnd,
  })),
  sentAt: toTimestampOrNull(quote.sentAt),
  acceptedAt: toTimestampOrNull(quote.acceptedAt),
  acceptedBy: quote.acceptedBy,
  declinedAt: toTimestampOrNull(quote.declinedAt),
  createdAt: toTimestamp(quote.createdAt),
  updatedAt: toTimestamp(quote.updatedAt),
});
