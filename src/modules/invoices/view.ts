import { customerReferenceView } from "../../domain/customer-reference.ts";
import { discountFields, documentDiscountFields } from "../../domain/discount-fields.ts";
import { lineReasonView } from "../../domain/line-reason.ts";
import { toNumber } from "../../kernel/decimal.ts";
import { amountShown } from "../../kernel/discounts.ts";
import { inRand } from "../../kernel/exchange.ts";
import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { startOfDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { amountDue } from "./rules.ts";
import { isPayable } from "./states.ts";
import type { Invoice, InvoiceLine } from "./types.ts";

/**
 * An invoice as the API shows it (interface 2.5). `payUrl` is the page of its pay link; it is null in the view when the invoice
 * cannot be paid.
 */
export const invoiceView = (invoice: Invoice, payUrl: string | null) => ({
  id: invoice.id,
  number: invoice.number,
  status: invoice.status,
  externalReference: invoice.externalReference,
  customer: customerReferenceView(invoice.customer),
  currency: invoice.currency,
  issueDate: toTimestamp(startOfDay(invoice.issueDate)),
  dueDate: invoice.dueDate && toTimestamp(startOfDay(invoice.dueDate)),
  ...(invoice.periodStart && invoice.periodEnd
    ? { periodStart: invoice.periodStart, periodEnd: invoice.periodEnd }
    : {}),
  ...(invoice.charge ? { charge: invoice.charge, cycle: invoice.cycle ?? 0 } : {}),
  lines: invoice.lines.map((line) => lineView(line, invoice.charge !== null)),
  ...documentDiscountFields(invoice),
  subtotal: toRand(invoice.subtotal),
  taxAmount: toRand(invoice.tax),
  total: toRand(invoice.total),
  ...(invoice.deposit > 0 && { depositAmount: toRand(invoice.deposit) }),
  ...exchangeFields(invoice),
  amountPaid: toRand(invoice.paid),
  amountDue: toRand(amountDue(invoice)),
  paidAt: toTimestampOrNull(invoice.paidAt),
  payUrl: isPayable(invoice.status) ? payUrl : null,
  notes: invoice.notes,
  metadata: invoice.metadata,
  createdAt: toTimestamp(invoice.createdAt),
  updatedAt: toTimestamp(invoice.updatedAt),
});

/** The amounts in rand of an invoice in another currency. */
const exchangeFields = ({ currency, exchange, tax, total }: Invoice) =>
  currency === "ZAR"
    ? {}
    : {
        exchange: exchange && { ...exchange, rate: toNumber(exchange.rate) },
        taxAmountZar: exchange && toRand(inRand(tax, exchange)),
        totalZar: exchange && toRand(inRand(total, exchange)),
      };

/** Lines of a subscription's invoice always have `details`, which may be null. */
const lineView = (line: InvoiceLine, isOfSubscription: boolean) => ({
  description: line.description,
  ...(line.details === null && !isOfSubscription ? {} : { details: line.details }),
  quantity: toNumber(line.quantity),
  unitPrice: toNumber(line.unitPrice),
  taxRate: toNumber(line.taxRate),
  ...exemption(line.taxExempt),
  ...discountFields(line.discount),
  amount: toRand(amountShown(line)),
  ...(line.periodStart && line.periodEnd ? { periodStart: line.periodStart, periodEnd: line.periodEnd } : {}),
  ...(line.reason ? { reason: lineReasonView(line.reason) } : {}),
});
