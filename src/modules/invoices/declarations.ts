import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { InvoiceObject } from "./schema.ts";

export const INVOICE_PAID = event("invoice.paid", {
  about: "The invoice, whose whole balance is paid.",
  data: InvoiceObject,
  reacts: true,
});
export const INVOICE_PARTIALLY_PAID = event("invoice.partially_paid", {
  about: "The invoice after a payment of less than its balance.",
  data: InvoiceObject,
});
export const INVOICE_PAYMENT_UNDONE = event("invoice.payment_undone", {
  about: "The invoice, open again after a payment that was recorded by mistake was undone.",
  data: InvoiceObject,
});
export const INVOICE_CANCELLED = event("invoice.cancelled", {
  about: "The invoice that was cancelled.",
  data: InvoiceObject,
  reacts: true,
});
export const INVOICE_CREATED = event("invoice.created", {
  about: "The invoice that a quote was converted into, or that a customer subscription made.",
  data: InvoiceObject,
});
export const INVOICE_SENT = event("invoice.sent", {
  about: "The invoice that was sent to its customer, each time it is.",
  data: InvoiceObject,
});
export const INVOICE_PAST_DUE = event("invoice.overdue", {
  about: "The invoice, open on the day after its due date; once an invoice.",
  data: InvoiceObject,
});

/** Marks an invoice overdue on the day after its due date. Many are due on the same day, at the end of a month. */
export const INVOICE_OVERDUE = dueWork("invoice.overdue", { together: 250, perProcess: 1000 });
/** Reminds the customer of an open invoice before or after its due date. */
export const INVOICE_REMIND = dueWork("invoice.remind");
