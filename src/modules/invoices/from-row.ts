import type { LineReason } from "../../domain/line-reason.ts";
import { discountFromRow, type LineRow, lineFromRow } from "../../domain/line-rows.ts";
import type { InvoicesRow } from "../../domain/rows.ts";
import type { PaymentLinkId } from "../../kernel/ids.ts";
import type { Invoice, InvoiceHead, InvoiceLine } from "./types.ts";

/** An invoice with its customer and pay link. */
export interface HeadRow extends InvoicesRow {
  customer_reference: string | null;
  customer_email: string | null;
  pay_link_id: PaymentLinkId | null;
}

/** With the reasons of the lines, in their order; null unless the invoice is of a customer subscription. */
export interface ReasonedRow extends HeadRow {
  reasons: LineReason[] | null;
}

/** With its lines. */
export interface WholeRow extends ReasonedRow {
  lines: LineRow[];
}

/** The invoice of a row. */
export const fromRow = (row: WholeRow): Invoice => ({ ...headFromRow(row), lines: linesOf(row, row.lines) });

/** The lines of an invoice that was read without them. */
export const linesOf = ({ reasons }: ReasonedRow, lines: readonly LineRow[]): InvoiceLine[] =>
  lines.map((line, place) => {
    const reason = reasons?.[place];
    return reason ? { ...lineFromRow(line), reason } : lineFromRow(line);
  });

/** The invoice of a row, without its lines. */
export const headFromRow = (row: HeadRow): InvoiceHead => ({
  id: row.id,
  number: row.number,
  status: row.status,
  externalReference: row.external_reference,
  customer: {
    id: row.customer_id,
    externalReference: row.customer_reference,
    email: row.customer_email,
  },
  currency: row.currency,
  issueDate: row.issue_date,
  dueDate: row.due_date,
  taxInclusive: row.tax_inclusive,
  subtotal: row.subtotal_cents,
  tax: row.tax_cents,
  total: row.total_cents,
  paid: row.paid_cents,
  discount: discountFromRow(row),
  notes: row.notes,
  metadata: row.metadata,
  periodStart: row.period_start,
  periodEnd: row.period_end,
  charge: row.charge,
  cycle: row.cycle,
  quoteId: row.quote_id,
  payLinkId: row.pay_link_id,
  issuedAt: row.issued_at,
  editedAt: row.edited_at,
  sentAt: row.sent_at,
  paidAt: row.paid_at,
  cancelledAt: row.cancelled_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
