import type { Step } from "./steps.ts";

/** What makes an event happen: the last step's answer is the event's subject. */
const customer: Step = {
  id: "customer",
  path: "/customers",
  body: { email: "thandi@example.co.za", firstName: "Thandi", lastName: "Mokoena" },
};
const link: Step = { id: "link", path: "/payment-links", body: { title: "Order 1042", amount: 349.5 } };
const paid: Step = { id: "payment", pay: "${link.id}" };
const lines = [{ description: "Hosting", quantity: 1, unitPrice: 100 }];
const invoice: Step = { id: "invoice", path: "/invoices", body: { customerId: "${customer.id}", lines } };
const sent: Step = { id: "sent", path: "/invoices/${invoice.id}/send" };
const payment = (amount: unknown): Step => ({
  path: "/invoices/${invoice.id}/payments",
  body: { amount, method: "eft", reference: "trigger" },
});
const quote: Step = { id: "quote", path: "/quotes", body: { customerId: "${customer.id}", lineItems: lines } };

/** Events that `tefo trigger` makes happen in a sandbox, by the steps that lead to them. */
export const TRIGGERS: Readonly<Record<string, readonly Step[]>> = {
  "customer.created": [customer],
  "customer.updated": [
    customer,
    { method: "PATCH", path: "/customers/${customer.id}", body: { firstName: "Thandiwe" } },
  ],
  "payment.complete": [link, paid],
  "payment.failed": [link, { ...paid, outcome: "failed" }],
  "payment.cancelled": [link, { ...paid, outcome: "cancelled" }],
  "payment.refunded": [link, paid, { path: "/transactions/${payment.reference}/refunds", body: {} }],
  "refund.processed": [link, paid, { path: "/transactions/${payment.reference}/refunds", body: { amount: 100 } }],
  "dispute.opened": [
    link,
    paid,
    { path: "/sandbox/notify", body: { reference: "${payment.reference}", status: "disputed" } },
  ],
  "invoice.sent": [customer, invoice, sent],
  "invoice.partially_paid": [customer, invoice, sent, payment(15)],
  "invoice.paid": [customer, invoice, sent, payment("${invoice.total}")],
  "invoice.cancelled": [customer, invoice, { path: "/invoices/${invoice.id}/cancel", body: {} }],
  "credit_note.issued": [
    customer,
    invoice,
    sent,
    { path: "/credit-notes", body: { invoiceId: "${invoice.id}", amount: 50, reason: "Returned" } },
  ],
  "quote.created": [customer, quote],
  "quote.sent": [customer, quote, { path: "/quotes/${quote.id}/send" }],
};
