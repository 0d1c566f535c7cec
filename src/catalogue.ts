import type { EventDeclaration } from "./events/event.ts";
import { EVENT_REACT } from "./events/outbox.ts";
import { checkoutCardPurpose } from "./flows/cards/payment-purpose.ts";
import { expireCard, lockCard, tellExpiring } from "./flows/cards/watch-expiry.ts";
import { type Ctx, DEFAULT_CURRENCY } from "./flows/context.ts";
import { payerPurpose } from "./flows/customers/payment-purpose.ts";
import { expireEftOrder, remindOfEftOrder } from "./flows/eft-orders/expiry-and-reminder.ts";
import { eftOrderPurpose } from "./flows/eft-orders/payment-purpose.ts";
import { isManualTransfer } from "./flows/gateways/accounts.ts";
import { lockPastDueInvoices, markOverdue, remindOfInvoice } from "./flows/invoices/due-date.ts";
import { lockInvoiceForChange } from "./flows/invoices/lock-invoice.ts";
import { invoicePurpose } from "./flows/invoices/payment-purpose.ts";
import { EFT_DETAILS_MAIL, EFT_REJECTED_MAIL, EFT_REMINDER_MAIL } from "./flows/mail/eft-mails.ts";
import { INVOICE_MAIL, INVOICE_REMINDER_MAIL } from "./flows/mail/invoice-mails.ts";
import type { MailKind, MailTable } from "./flows/mail/mail.ts";
import { ENDPOINT_DISABLED_MAIL, INVITATION_MAIL } from "./flows/mail/member-mails.ts";
import { mailReceipts, mailRefunds, RECEIPT_MAIL, REFUND_MAIL } from "./flows/mail/payer-mails.ts";
import { PORTAL_LINK_MAIL } from "./flows/mail/portal-link-mail.ts";
import { QUOTE_MAIL } from "./flows/mail/quote-mail.ts";
import { STAFF_ALERT_MAIL } from "./flows/mail/staff-alerts.ts";
import { linkPurpose } from "./flows/payment-links/payment-purpose.ts";
import { checkPayment } from "./flows/payments/check-payment.ts";
import { checkRefund } from "./flows/payments/check-refund.ts";
import type { Purpose } from "./flows/payments/purpose.ts";
import { expireQuote } from "./flows/quotes/quote-steps.ts";
import { settleCharge } from "./flows/sandbox-gateway/settle-charge.ts";
import { ADAPTERS } from "./gateways/registry.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { registerEftPages } from "./http/pages/eft/routes.ts";
import { registerPayPages } from "./http/pages/pay/routes.ts";
import { registerPortal } from "./http/pages/portal/routes.ts";
import { registerQuotePages } from "./http/pages/quote/routes.ts";
import { registerSandboxPages } from "./http/pages/sandbox-gateway/routes.ts";
import type { RegisterPages } from "./http/pages/site.ts";
import { allowedReturnUrlEndpoints } from "./http/resources/allowed-return-urls.ts";
import { apiKeyEndpoints } from "./http/resources/api-keys.ts";
import { auditLogEndpoints } from "./http/resources/audit-log.ts";
import { cardEndpoints } from "./http/resources/cards.ts";
import { creditNoteEndpoints } from "./http/resources/credit-notes.ts";
import { customerEndpoints } from "./http/resources/customers.ts";
import { eftOrderEndpoints } from "./http/resources/eft-orders.ts";
import { emailEndpoints } from "./http/resources/emails.ts";
import { eventEndpoints } from "./http/resources/events.ts";
import { exportEndpoints } from "./http/resources/exports.ts";
import { gatewayEndpoints } from "./http/resources/gateways.ts";
import { invoiceEndpoints } from "./http/resources/invoices.ts";
import { meEndpoints } from "./http/resources/me.ts";
import { memberEndpoints } from "./http/resources/members.ts";
import { paymentLinkEndpoints } from "./http/resources/payment-links.ts";
import { productEndpoints } from "./http/resources/products.ts";
import { quoteEndpoints } from "./http/resources/quotes.ts";
import { sandboxEndpoints } from "./http/resources/sandbox.ts";
import { settingsEndpoints } from "./http/resources/settings.ts";
import { testClockEndpoints } from "./http/resources/test-clock.ts";
import { transactionEndpoints } from "./http/resources/transactions.ts";
import { webhookEndpoints } from "./http/resources/webhooks.ts";
import { bookExaminations } from "./modules/books/verify.ts";
import * as cards from "./modules/cards/declarations.ts";
import { SEALED_CARD_TOKENS } from "./modules/cards/store.ts";
import * as creditNotes from "./modules/credit-notes/declarations.ts";
import { creditNoteExaminations } from "./modules/credit-notes/verify.ts";
import * as customers from "./modules/customers/declarations.ts";
import { customerExaminations } from "./modules/customers/verify.ts";
import { documentNumberExaminations } from "./modules/document-numbers/verify.ts";
import * as eftOrders from "./modules/eft-orders/declarations.ts";
import { lockEftOrder } from "./modules/eft-orders/store.ts";
import { eftOrderExaminations } from "./modules/eft-orders/verify.ts";
import { MAIL_COMPOSE, MAIL_SEND } from "./modules/emails/declarations.ts";
import { SEALED_MAIL_SECRETS } from "./modules/emails/store.ts";
import type { MailFacts } from "./modules/emails/types.ts";
import { emailExaminations } from "./modules/emails/verify.ts";
import { eventExaminations } from "./modules/events/verify.ts";
import { SEALED_CREDENTIALS } from "./modules/gateway-accounts/store.ts";
import * as invoices from "./modules/invoices/declarations.ts";
import { invoiceExaminations } from "./modules/invoices/verify.ts";
import { SEALED_LINK_KEYS } from "./modules/organisations/store.ts";
import { paymentLinkExaminations } from "./modules/payment-links/verify.ts";
import * as payments from "./modules/payments/declarations.ts";
import { SEALED_HANDOFFS } from "./modules/payments/store.ts";
import { paymentExaminations } from "./modules/payments/verify.ts";
import * as quotes from "./modules/quotes/declarations.ts";
import { lockQuote } from "./modules/quotes/store.ts";
import { quoteExaminations } from "./modules/quotes/verify.ts";
import { REFUND_CHECK } from "./modules/refunds/declarations.ts";
import { refundExaminations } from "./modules/refunds/verify.ts";
import { SANDBOX_SETTLE } from "./modules/sandbox-gateway/declarations.ts";
import * as webhooks from "./modules/webhooks/declarations.ts";
import { SEALED_PREVIOUS_SECRETS, SEALED_SECRETS } from "./modules/webhooks/store.ts";
import { webhookExaminations } from "./modules/webhooks/verify.ts";
import type { DueWork } from "./platform/due-work.ts";
import type { Examination } from "./platform/examined.ts";
import { SEALED_REPLIES } from "./platform/idempotency-keys.ts";
import { LOCK_ORDER } from "./platform/locks.ts";
import type { SealedColumn } from "./platform/sealed.ts";
import type { HostedPage } from "./platform/tokens.ts";
import { createComposeMail } from "./worker/compose-mail.ts";
import { createDeliverWebhook } from "./worker/deliver-webhook.ts";
import { acting, actingInSets, asking } from "./worker/handlers.ts";
import type { HandledWork, Reaction } from "./worker/job.ts";
import { createReact, onSubjects } from "./worker/react.ts";
import { createSendMail } from "./worker/send-mail.ts";

/** What a resource brings to the service, declared in its own files; all of it is optional. */
interface Resource {
  readonly events?: readonly EventDeclaration[];
  /** What follows from events, of any resource, beside their deliveries. */
  readonly reactions?: readonly (readonly [EventDeclaration, Reaction])[];
  readonly mails?: readonly MailKind<MailFacts>[];
  /** Due work, each kind with what does it. */
  readonly work?: readonly HandledWork[];
  /** What payments can be for. */
  readonly purposes?: readonly Purpose<Ctx>[];
  /** Each names its audience: clients and staff, or staff alone. */
  readonly endpoints?: readonly Endpoint[];
  /** Hosted pages. */
  readonly pages?: RegisterPages;
  /** What `tefo verify` recomputes of its tables. */
  readonly examinations?: readonly Examination[];
  /** What `tefo secrets rotate` seals again. */
  readonly sealed?: readonly SealedColumn[];
}

/** The events among what a resource declares. */
const eventsOf = (declared: Readonly<Record<string, EventDeclaration | DueWork | HostedPage>>): EventDeclaration[] =>
  Object.values(declared).filter((one) => "data" in one);

/** Gateways whose money goes to the bank itself. */
const TRANSFERS = ADAPTERS.map(({ type }) => type).filter(isManualTransfer);

/** Every resource, once. A new one is a line here. */
const RESOURCES: readonly Resource[] = [
  { endpoints: meEndpoints },
  {
    purposes: [linkPurpose],
    endpoints: paymentLinkEndpoints,
    pages: registerPayPages,
    examinations: paymentLinkExaminations,
  },
  {
    events: eventsOf(payments),
    work: [asking(payments.PAYMENT_CHECK, checkPayment), asking(REFUND_CHECK, checkRefund)],
    reactions: [
      [payments.PAYMENT_COMPLETE, onSubjects(mailReceipts)],
      [payments.PAYMENT_REFUNDED, onSubjects(mailRefunds)],
      [payments.PAYMENT_PARTIALLY_REFUNDED, onSubjects(mailRefunds)],
    ],
    mails: [RECEIPT_MAIL, REFUND_MAIL, STAFF_ALERT_MAIL],
    endpoints: transactionEndpoints,
    examinations: [...paymentExaminations(TRANSFERS), ...refundExaminations, ...bookExaminations],
    sealed: [SEALED_HANDOFFS],
  },
  {
    events: eventsOf(invoices),
    work: [
      actingInSets(invoices.INVOICE_OVERDUE, lockPastDueInvoices, markOverdue),
      acting(invoices.INVOICE_REMIND, lockInvoiceForChange, remindOfInvoice),
    ],
    purposes: [invoicePurpose],
    mails: [INVOICE_MAIL, INVOICE_REMINDER_MAIL],
    endpoints: invoiceEndpoints,
    examinations: invoiceExaminations,
  },
  {
    events: eventsOf(creditNotes),
    endpoints: creditNoteEndpoints,
    examinations: creditNoteExaminations,
  },
  {
    events: eventsOf(customers),
    mails: [PORTAL_LINK_MAIL],
    purposes: [payerPurpose],
    endpoints: customerEndpoints,
    pages: registerPortal,
    examinations: customerExaminations(DEFAULT_CURRENCY, invoices.INVOICE_OVERDUE),
  },
  {
    events: eventsOf(quotes),
    work: [acting(quotes.QUOTE_EXPIRE, lockQuote, expireQuote)],
    mails: [QUOTE_MAIL],
    endpoints: quoteEndpoints,
    pages: registerQuotePages,
    examinations: quoteExaminations,
  },
  {
    events: eventsOf(eftOrders),
    work: [
      acting(eftOrders.EFT_EXPIRE, lockEftOrder, expireEftOrder),
      acting(eftOrders.EFT_REMIND, lockEftOrder, remindOfEftOrder),
    ],
    purposes: [eftOrderPurpose],
    mails: [EFT_DETAILS_MAIL, EFT_REMINDER_MAIL, EFT_REJECTED_MAIL],
    endpoints: eftOrderEndpoints,
    pages: registerEftPages,
    examinations: eftOrderExaminations,
  },
  {
    events: eventsOf(cards),
    work: [acting(cards.CARD_TELL_EXPIRING, lockCard, tellExpiring), acting(cards.CARD_EXPIRE, lockCard, expireCard)],
    purposes: [checkoutCardPurpose],
    endpoints: cardEndpoints,
    sealed: [SEALED_CARD_TOKENS],
  },
  { endpoints: productEndpoints },
  {
    endpoints: settingsEndpoints,
    examinations: documentNumberExaminations,
    sealed: [SEALED_LINK_KEYS, SEALED_REPLIES],
  },
  { endpoints: allowedReturnUrlEndpoints },
  { endpoints: apiKeyEndpoints },
  {
    events: eventsOf(webhooks),
    work: [
      { work: EVENT_REACT, handler: createReact },
      { work: webhooks.WEBHOOK_DELIVER, handler: createDeliverWebhook },
    ],
    mails: [ENDPOINT_DISABLED_MAIL],
    endpoints: eventEndpoints,
    examinations: [...eventExaminations, ...webhookExaminations],
    sealed: [SEALED_SECRETS, SEALED_PREVIOUS_SECRETS],
  },
  { endpoints: gatewayEndpoints, sealed: [SEALED_CREDENTIALS] },
  { mails: [INVITATION_MAIL], endpoints: memberEndpoints },
  {
    work: [
      { work: MAIL_COMPOSE, handler: createComposeMail },
      { work: MAIL_SEND, handler: createSendMail },
    ],
    examinations: emailExaminations,
    sealed: [SEALED_MAIL_SECRETS],
  },
  { endpoints: auditLogEndpoints },
  { endpoints: exportEndpoints },
  { endpoints: testClockEndpoints },
  { work: [asking(SANDBOX_SETTLE, settleCharge)], endpoints: sandboxEndpoints, pages: registerSandboxPages },
];

/** Every event that the service sends. */
export const EVENTS: readonly EventDeclaration[] = RESOURCES.flatMap(({ events = [] }) => events);

/** What follows from each event beside its deliveries, by the event's name. */
export const REACTIONS: ReadonlyMap<string, readonly Reaction[]> = new Map(
  EVENTS.map((event) => [
    event.name,
    RESOURCES.flatMap(({ reactions = [] }) =>
      reactions.filter(([declared]) => declared === event).map(([, reaction]) => reaction),
    ),
  ]),
);

/** Every mail that the service sends. */
export const MAILS: MailTable = new Map(
  RESOURCES.flatMap(({ mails = [] }) => mails).map((mail) => [mail.kind, mail] as const),
);

/** Every kind of due work, with what does it. */
export const WORK: readonly HandledWork[] = RESOURCES.flatMap(({ work = [] }) => work);

/** Everything that payments can be for, in the order in which its records are locked. */
export const PURPOSES: readonly Purpose<Ctx>[] = RESOURCES.flatMap(({ purposes = [] }) => purposes).toSorted(
  (one, other) => LOCK_ORDER.indexOf(one.locks) - LOCK_ORDER.indexOf(other.locks),
);

const ENDPOINTS: readonly Endpoint[] = [
  ...RESOURCES.flatMap(({ endpoints = [] }) => endpoints),
  ...emailEndpoints(MAILS),
  ...webhookEndpoints(EVENTS.map(({ name }) => name)),
];

/** The client API, below `/api/v1`. */
export const CLIENT_ENDPOINTS: readonly Endpoint[] = ENDPOINTS.filter(({ audience }) => audience === "clients");

/** The dashboard's API, below `/dashboard/api`: the same resources by the same code, and what only staff may do. */
export const DASHBOARD_ENDPOINTS: readonly Endpoint[] = [
  ...CLIENT_ENDPOINTS,
  ...ENDPOINTS.filter(({ audience }) => audience === "staff"),
];

/** Everything that `tefo verify` recomputes. */
export const EXAMINATIONS: readonly Examination[] = RESOURCES.flatMap(({ examinations = [] }) => examinations);

/** Every column of the tenants' tables that holds a secret. A test compares it with the columns that are named `_sealed`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = RESOURCES.flatMap(({ sealed = [] }) => sealed);

/** Mounts the hosted pages of every resource. */
export const registerPages: RegisterPages = (app, services, options) => {
  for (const { pages } of RESOURCES) pages?.(app, services, options);
};
