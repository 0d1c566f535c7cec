import type { Step } from "./steps.ts";

/*
 * What makes each event happen, by the API and as payers do. Amounts, names and days are those that people of a shop would
 * use; the account numbers and cards are those to which the sandbox gateway answers as it should here (interface 13.6).
 */

const customer: Step = {
  id: "customer",
  path: "/customers",
  body: { email: "thandi@example.co.za", firstName: "Thandi", lastName: "Mokoena" },
};

const link: Step = { id: "link", path: "/payment-links", body: { title: "Order 1042", amount: 349.5 } };
const paid: Step = { id: "payment", pay: "${link.id}" };
const refund = (body: object): Step => ({ path: "/transactions/${payment.reference}/refunds", body });
const notify = (status: string): Step => ({
  path: "/sandbox/notify",
  body: { reference: "${payment.reference}", status },
});
const dispute = [link, paid, notify("disputed")];

const lines = [{ description: "Hosting", quantity: 1, unitPrice: 100 }];
const invoice: Step = { id: "invoice", path: "/invoices", body: { customerId: "${customer.id}", lines } };
const sent: Step = { id: "sent", path: "/invoices/${invoice.id}/send" };
const owed = [customer, invoice, sent];
const payment = (amount: unknown): Step => ({
  path: "/invoices/${invoice.id}/payments",
  body: { amount, method: "eft", reference: "trigger" },
});
const credited: Step = {
  path: "/credit-notes",
  body: { invoiceId: "${invoice.id}", amount: 50, reason: "Returned" },
};

const quote: Step = {
  id: "quote",
  path: "/quotes",
  body: { customerId: "${customer.id}", lineItems: lines, expiryDate: "${today+7d}" },
};
const quoteSent: Step = { path: "/quotes/${quote.id}/send" };
const quoted = [customer, quote, quoteSent];
const accepted: Step = { path: "/quotes/${quote.id}/accept" };
const converted: Step = { path: "/quotes/${quote.id}/convert", body: {} };

const order: Step = { id: "order", path: "/eft-orders", body: { amount: 250, customer: { id: "${customer.id}" } } };
const PDF = "%PDF-1.4\n%${order.reference}\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
const proof: Step = {
  path: "/eft-orders/${order.id}/proof",
  form: { file: { name: "slip.pdf", data: PDF } },
};

const setup: Step = { id: "setup", path: "/customers/${customer.id}/cards/setup", body: {} };
const cardEntered = (card: string, expiry = "${expiry+2y}"): Step => ({
  visit: "${setup.url}",
  forms: [{}, { outcome: "complete", card, expiry, saveCard: "true" }],
});
const carded = (card = "4242424242424242", expiry?: string) => [customer, setup, cardEntered(card, expiry)];
const savedCard: Step = {
  id: "saved",
  method: "GET",
  path: "/customers/${customer.id}/cards/setup/${setup.id}",
};

const product: Step = { id: "product", path: "/products", body: { name: "Coffee, 1 kg", amount: 285 } };
const session: Step = { id: "session", path: "/checkout-sessions", body: { productId: "${product.id}" } };
const checkout = (outcome: string): Step => ({
  visit: "${session.checkoutUrl}",
  forms: [{ email: "sipho@example.co.za", firstName: "Sipho", lastName: "Dlamini" }, { outcome }],
});

const mandate = (accountNumber: string): Step => ({
  id: "mandate",
  path: "/mandates",
  body: {
    customerId: "${customer.id}",
    bank: { branchCode: "250655", accountNumber, accountHolder: "T Mokoena" },
    amount: 199,
    debitDay: 1,
    // She has signed on paper.
    authority: "offline",
    confirmOfflineMandate: true,
  },
});
const mandated = [customer, mandate("62000000001")];
const mandateTo = (status: string): Step => ({ method: "PATCH", path: "/mandates/${mandate.id}", body: { status } });
const unsigned: Step = {
  id: "mandate",
  path: "/mandates",
  body: {
    customerId: "${customer.id}",
    bank: { branchCode: "250655", accountNumber: "62000000001", accountHolder: "T Mokoena" },
    amount: 199,
    debitDay: 1,
  },
};
const agreement: Step = { id: "agreement", path: "/mandates/${mandate.id}/agreement", body: {} };
const signed: Step = {
  visit: "${agreement.signUrl}",
  forms: [{ fullName: "Thandi Mokoena", accept: "yes", action: "sign" }],
};

const catalogue = (terms: object = {}): Step[] => [
  { id: "package", path: "/packages", body: { name: "Hosting" } },
  {
    id: "plan",
    path: "/packages/${package.id}/plans",
    body: { name: "Gold", amount: 460, frequency: "monthly", ...terms },
  },
];
const subscription = (terms: object = {}): Step => ({
  id: "subscription",
  path: "/customer-subscriptions",
  body: { customer: { id: "${customer.id}" }, planId: "${plan.id}", collectionMethod: "invoice", ...terms },
});
const subscribed = (terms?: object, plan?: object) => [customer, ...catalogue(plan), subscription(terms)];
const act = (action: string, body?: object): Step => ({
  path: `/customer-subscriptions/\${subscription.id}/${action}`,
  ...(body === undefined ? {} : { body }),
});
/** Its card is refused when the first renewal is charged. */
const missing = [
  ...carded("4000000000000341"),
  ...catalogue(),
  subscription({ collectionMethod: "gateway", paidThrough: "${today+7d}" }),
  { forward: "12d" },
];

const recurring: Step[] = [
  {
    id: "link",
    path: "/payment-links",
    body: {
      title: "Gym",
      amount: 450,
      recurring: { frequency: "monthly" },
      singleUse: false,
      customerEmail: "thandi@example.co.za",
    },
  },
  { visit: "${link.url}", forms: [{}, { outcome: "complete", card: "4242424242424242", saveCard: "true" }] },
];

const STATEMENT = "Date,Description,Amount\n${today},MONTHLY FEE ${customer.id},-57.00\n";
const endpoint: Step = {
  id: "endpoint",
  path: "/webhook-endpoints",
  body: { url: "http://localhost:3000/tefo-trigger", events: ["endpoint.test"] },
};

/** The steps that lead to each event. Those that move the clock (`forward`) are taken only where the user agrees. */
export const TRIGGERS: Readonly<Record<string, readonly Step[]>> = {
  "payment.complete": [link, paid],
  "payment.failed": [link, { ...paid, outcome: "failed" }],
  "payment.cancelled": [link, { ...paid, outcome: "cancelled" }],
  "payment.refunded": [link, paid, refund({})],
  "payment.partially_refunded": [link, paid, refund({ amount: 100 })],
  "payment.reversed": dispute,
  "refund.created": [link, paid, refund({ amount: 100 })],
  "refund.processed": [link, paid, refund({ amount: 100 })],
  "refund.failed": [
    link,
    paid,
    { path: "/sandbox/outcomes", body: { steps: [{ match: { kind: "refund" }, outcome: "declined" }] } },
    { ...refund({ amount: 100 }), refused: true },
  ],
  "dispute.opened": dispute,
  "dispute.closed": [...dispute, notify("lost")],
  "customer.created": [customer],
  "customer.updated": [
    customer,
    { method: "PATCH", path: "/customers/${customer.id}", body: { firstName: "Thandiwe" } },
  ],
  "customer.standing.changed": owed,
  "customer.credit_refunded": [
    ...owed,
    payment(15),
    { path: "/invoices/${invoice.id}/cancel", body: {} },
    { path: "/customers/${customer.id}/credit-refunds", body: { amount: 15, reason: "Order cancelled" } },
  ],
  "customer.entitlements.changed": subscribed({}, { features: [{ key: "seats", type: "limit", value: 5 }] }),
  "customer.payment_method.added": carded(),
  "customer.payment_method.removed": [
    ...carded(),
    savedCard,
    { method: "DELETE", path: "/customers/${customer.id}/cards/${saved.cardId}" },
  ],
  "customer.payment_method.expiring": [...carded("4242424242424242", "${expiry+2mo}"), { forward: "2mo" }],
  "invoice.sent": owed,
  "invoice.partially_paid": [...owed, payment(15)],
  "invoice.paid": [...owed, payment("${invoice.total}")],
  "invoice.cancelled": [customer, invoice, { path: "/invoices/${invoice.id}/cancel", body: {} }],
  "invoice.created": [...quoted, accepted, converted],
  "invoice.overdue": [...owed, { forward: "3mo" }],
  "invoice.payment_undone": [
    ...owed,
    payment(15),
    { id: "payments", method: "GET", path: "/invoices/${invoice.id}/payments" },
    { method: "DELETE", path: "/invoices/${invoice.id}/payments/${payments.data.0.id}" },
  ],
  "credit_note.created": [...owed, credited],
  "credit_note.issued": [...owed, credited],
  "credit_note.applied": [...owed, credited],
  "quote.created": [customer, quote],
  "quote.updated": [customer, quote, { method: "PATCH", path: "/quotes/${quote.id}", body: { notes: "By Friday" } }],
  "quote.sent": quoted,
  "quote.accepted": [...quoted, accepted],
  "quote.declined": [...quoted, { path: "/quotes/${quote.id}/decline" }],
  "quote.expired": [...quoted, { forward: "9d" }],
  "quote.invoiced": [...quoted, accepted, converted],
  "eft.proof_received": [customer, order, proof],
  "eft.rejected": [
    customer,
    order,
    proof,
    { path: "/eft-orders/${order.id}/reject", body: { reason: "The amount does not match." } },
  ],
  "eft.cancelled": [customer, order, { path: "/eft-orders/${order.id}/cancel" }],
  "eft.expired": [customer, order, { forward: "3mo" }],
  "checkout.completed": [product, session, checkout("complete")],
  "checkout.failed": [product, session, checkout("failed")],
  "mandate.created": mandated,
  "mandate.activated": mandated,
  "mandate.signed": [customer, unsigned, agreement, signed],
  "mandate.paused": [...mandated, mandateTo("paused")],
  "mandate.cancelled": [...mandated, mandateTo("cancelled")],
  "mandate.debit_collected": [...mandated, { forward: "2mo" }],
  "mandate.debit_unpaid": [customer, mandate("62000000002"), { forward: "2mo" }],
  "debit_batch.submitted": [...mandated, { forward: "2mo" }],
  "debit_batch.completed": [...mandated, { forward: "2mo" }],
  "reconciliation.completed": [
    customer,
    { path: "/reconciliation/imports", form: { account: "Cheque", file: { name: "bank.csv", data: STATEMENT } } },
  ],
  "subscription.created": subscribed(),
  "subscription.activated": subscribed(),
  "subscription.updated": [
    ...subscribed(),
    { method: "PATCH", path: "/customer-subscriptions/${subscription.id}", body: { metadata: { seats: "5" } } },
  ],
  "subscription.plan_changed": [
    ...subscribed(),
    { ...catalogue({ name: "Platinum", amount: 920 })[1], id: "other" },
    act("change-plan", { planId: "${other.id}" }),
  ],
  "subscription.paused": [...subscribed(), act("pause")],
  "subscription.resumed": [...subscribed(), act("pause"), act("resume")],
  "subscription.cancelled": [...subscribed(), act("cancel", { when: "now" })],
  "subscription.reactivated": [...subscribed(), act("cancel", { when: "period_end" }), act("reactivate", {})],
  "subscription.renewed": [...subscribed(), { forward: "32d" }],
  "subscription.expired": [...subscribed({}, { cycles: 1 }), { forward: "32d" }],
  "subscription.trial_ending": [...subscribed({ trialDays: 14 }), { forward: "13d" }],
  "subscription.trial_ended": [...subscribed({ trialDays: 14 }), { forward: "15d" }],
  "subscription.payment_failed": missing,
  "subscription.past_due": missing,
  "subscription.charged": [...recurring, { forward: "32d" }],
  "endpoint.test": [
    endpoint,
    { path: "/webhook-endpoints/${endpoint.id}/test" },
    { method: "DELETE", path: "/webhook-endpoints/${endpoint.id}" },
  ],
};

/** Events that no key can make happen, with the reason. */
export const NOT_BY_KEY: Readonly<Record<string, string>> = {
  "customer.erased": "only staff erase personal data: in the dashboard, on the page of a customer",
};

/** Whether an event needs time, so that the organisation's clock is moved. */
export const movesClock = (type: string): boolean =>
  (TRIGGERS[type] ?? []).some(({ forward }) => forward !== undefined);
