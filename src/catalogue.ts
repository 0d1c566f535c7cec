import { CUSTOMER_SUBSCRIPTIONS } from "./catalogue/customer-subscriptions.ts";
import { DEBIT_ORDERS } from "./catalogue/debit-orders.ts";
import { GATEWAY_SUBSCRIPTIONS } from "./catalogue/gateway-subscriptions.ts";
import { merged, type Resource } from "./catalogue/merged.ts";
import { EVENT_REACT } from "./events/outbox.ts";
import { chargeDueInvoice, findDueInvoices, lockForDueInvoices } from "./flows/card-charges/charge-due-invoices.ts";
import { cardChargePurpose } from "./flows/card-charges/payment-purpose.ts";
import { expireCardSetup } from "./flows/card-setups/expire-card-setup.ts";
import { cardSetupPurpose } from "./flows/card-setups/payment-purpose.ts";
import { announceExpiring, expireCard, lockCard } from "./flows/cards/card-expiry.ts";
import { checkoutCardPurpose } from "./flows/cards/payment-purpose.ts";
import { expireCheckoutSession } from "./flows/checkout/expire-session.ts";
import { endOtherSubscriptions } from "./flows/checkout/other-subscriptions.ts";
import { checkoutPurpose } from "./flows/checkout/payment-purpose.ts";
import { DEFAULT_CURRENCY } from "./flows/context.ts";
import { payerPurpose } from "./flows/customers/payment-purpose.ts";
import { expireEftOrder, remindOfEftOrder } from "./flows/eft-orders/expiry-and-reminder.ts";
import { eftOrderPurpose } from "./flows/eft-orders/payment-purpose.ts";
import { isManualTransfer } from "./flows/gateways/accounts.ts";
import { reconnect } from "./flows/gateways/reconnect.ts";
import { lockPastDueInvoices, markOverdue, remindOfInvoice } from "./flows/invoices/due-date.ts";
import { lockInvoiceForChange } from "./flows/invoices/lock-invoice.ts";
import { invoicePurpose } from "./flows/invoices/payment-purpose.ts";
import { BANK_DETAILS_MAIL } from "./flows/mail/bank-details-mail.ts";
import { EFT_DETAILS_MAIL, EFT_REJECTED_MAIL, EFT_REMINDER_MAIL } from "./flows/mail/eft-mails.ts";
import { INVOICE_MAIL, INVOICE_REMINDER_MAIL } from "./flows/mail/invoice-mails.ts";
import { ENDPOINT_DISABLED_MAIL, INVITATION_MAIL } from "./flows/mail/member-mails.ts";
import { MISSED_COLLECTION_MAIL } from "./flows/mail/missed-collection-mail.ts";
import { mailReceipts, mailRefunds, RECEIPT_MAIL, REFUND_MAIL } from "./flows/mail/payer-mails.ts";
import { PORTAL_LINK_MAIL } from "./flows/mail/portal-link-mail.ts";
import { QUOTE_MAIL } from "./flows/mail/quote-mail.ts";
import { STAFF_ALERT_MAIL } from "./flows/mail/staff-alerts.ts";
import { WELCOME_MAIL } from "./flows/mail/welcome-mail.ts";
import { linkPurpose } from "./flows/payment-links/payment-purpose.ts";
import { checkPayment } from "./flows/payments/check-payment.ts";
import { checkRefund } from "./flows/payments/refund-payment.ts";
import { applyRetention, eraseClosed, lockClosed, lockForRetention } from "./flows/personal-data/apply-retention.ts";
import { eraseAfterRetention, lockErased } from "./flows/personal-data/erase-customer.ts";
import { expireQuote } from "./flows/quotes/quote-steps.ts";
import { renewSubscription } from "./flows/sandbox-gateway/renew-subscription.ts";
import { settleCharge } from "./flows/sandbox-gateway/settle-charge.ts";
import { settleDebits } from "./flows/sandbox-gateway/settle-debits.ts";
import { collectInvoice } from "./flows/subscription-collections/collect-invoice.ts";
import { tryNewCard } from "./flows/subscription-collections/try-new-card.ts";
import { ADAPTERS } from "./gateways/registry.ts";
import { registerCardPages } from "./http/pages/card/routes.ts";
import { registerCheckoutPages } from "./http/pages/checkout/routes.ts";
import { registerEftPages } from "./http/pages/eft/routes.ts";
import { registerGatewayReturn } from "./http/pages/gateway-return/routes.ts";
import { registerPayPages } from "./http/pages/pay/routes.ts";
import { registerPortal } from "./http/pages/portal/routes.ts";
import { registerQuotePages } from "./http/pages/quote/routes.ts";
import { registerReferralPages } from "./http/pages/refer/routes.ts";
import { registerSandboxPages } from "./http/pages/sandbox-gateway/routes.ts";
import { accountingMonthEndpoints } from "./http/resources/accounting-months.ts";
import { accountingSoftwareEndpoints } from "./http/resources/accounting-software.ts";
import { agedDebtorEndpoints } from "./http/resources/aged-debtors.ts";
import { allowedReturnUrlEndpoints } from "./http/resources/allowed-return-urls.ts";
import { apiKeyEndpoints } from "./http/resources/api-keys.ts";
import { auditLogEndpoints } from "./http/resources/audit-log.ts";
import { cardChargeEndpoints } from "./http/resources/card-charges.ts";
import { cardSetupEndpoints } from "./http/resources/card-setups.ts";
import { cardEndpoints } from "./http/resources/cards.ts";
import { checkoutPageEndpoints } from "./http/resources/checkout-pages.ts";
import { checkoutSessionEndpoints } from "./http/resources/checkout-sessions.ts";
import { couponEndpoints } from "./http/resources/coupons.ts";
import { creditNoteEndpoints } from "./http/resources/credit-notes.ts";
import { creditRefundEndpoints } from "./http/resources/credit-refunds.ts";
import { customerStatementEndpoints } from "./http/resources/customer-statements.ts";
import { subscriptionCollectionEndpoints } from "./http/resources/customer-subscription-collections.ts";
import { customerEndpoints } from "./http/resources/customers.ts";
import { deferredRevenueEndpoints } from "./http/resources/deferred-revenue.ts";
import { eftOrderEndpoints } from "./http/resources/eft-orders.ts";
import { emailEndpoints } from "./http/resources/emails.ts";
import { eventEndpoints } from "./http/resources/events.ts";
import { exportEndpoints } from "./http/resources/exports.ts";
import { gatewayEndpoints } from "./http/resources/gateways.ts";
import { invoiceEndpoints } from "./http/resources/invoices.ts";
import { meEndpoints } from "./http/resources/me.ts";
import { memberEndpoints } from "./http/resources/members.ts";
import { overviewEndpoints } from "./http/resources/overview.ts";
import { packageEndpoints } from "./http/resources/packages.ts";
import { paymentLinkEndpoints } from "./http/resources/payment-links.ts";
import { payoutHoldEndpoints } from "./http/resources/payout-hold.ts";
import { personalDataEndpoints } from "./http/resources/personal-data.ts";
import { productEndpoints } from "./http/resources/products.ts";
import { quoteEndpoints } from "./http/resources/quotes.ts";
import { reconciliationEndpoints } from "./http/resources/reconciliation.ts";
import { referralLinkEndpoints } from "./http/resources/referral-links.ts";
import { requestLogEndpoints } from "./http/resources/request-log.ts";
import { sandboxEndpoints } from "./http/resources/sandbox.ts";
import { searchEndpoints } from "./http/resources/search.ts";
import { settingsEndpoints } from "./http/resources/settings.ts";
import { testClockEndpoints } from "./http/resources/test-clock.ts";
import { timelineEndpoints } from "./http/resources/timeline.ts";
import { transactionEndpoints } from "./http/resources/transactions.ts";
import { vatReturnEndpoints } from "./http/resources/vat-returns.ts";
import { webhookEndpoints } from "./http/resources/webhooks.ts";
import { bookExaminations } from "./modules/books/verify.ts";
import * as cardCharges from "./modules/card-charges/declarations.ts";
import { cardChargeExaminations } from "./modules/card-charges/verify.ts";
import * as cardSetups from "./modules/card-setups/declarations.ts";
import { lockCardSetup } from "./modules/card-setups/store.ts";
import { cardSetupExaminations } from "./modules/card-setups/verify.ts";
import * as cards from "./modules/cards/declarations.ts";
import { SEALED_CARD_TOKENS } from "./modules/cards/store.ts";
import { cardExaminations } from "./modules/cards/verify.ts";
import * as checkoutSessions from "./modules/checkout-sessions/declarations.ts";
import { lockCheckoutSession } from "./modules/checkout-sessions/store.ts";
import { checkoutSessionExaminations } from "./modules/checkout-sessions/verify.ts";
import { couponExaminations } from "./modules/coupons/verify.ts";
import * as creditNotes from "./modules/credit-notes/declarations.ts";
import { creditNoteExaminations } from "./modules/credit-notes/verify.ts";
import * as creditRefunds from "./modules/credit-refunds/declarations.ts";
import { creditRefundExaminations } from "./modules/credit-refunds/verify.ts";
import * as customers from "./modules/customers/declarations.ts";
import { customerExaminations } from "./modules/customers/verify.ts";
import { documentNumberExaminations } from "./modules/document-numbers/verify.ts";
import * as eftOrders from "./modules/eft-orders/declarations.ts";
import { lockEftOrder } from "./modules/eft-orders/store.ts";
import { eftOrderExaminations } from "./modules/eft-orders/verify.ts";
import * as emails from "./modules/emails/declarations.ts";
import { SEALED_MAIL_SECRETS } from "./modules/emails/store.ts";
import { emailExaminations } from "./modules/emails/verify.ts";
import { eventExaminations } from "./modules/events/verify.ts";
import * as gatewayAccounts from "./modules/gateway-accounts/declarations.ts";
import { SEALED_CREDENTIALS } from "./modules/gateway-accounts/store.ts";
import * as invoices from "./modules/invoices/declarations.ts";
import { invoiceExaminations } from "./modules/invoices/verify.ts";
import { SEALED_LINK_KEYS } from "./modules/organisations/store.ts";
import { overviewExaminations } from "./modules/overview/verify.ts";
import { packageExaminations } from "./modules/packages/verify.ts";
import { paymentLinkExaminations } from "./modules/payment-links/verify.ts";
import * as payments from "./modules/payments/declarations.ts";
import { SEALED_HANDOFFS } from "./modules/payments/store.ts";
import { paymentExaminations } from "./modules/payments/verify.ts";
import * as personalData from "./modules/personal-data/declarations.ts";
import { erasureExaminations } from "./modules/personal-data/verify.ts";
import * as quotes from "./modules/quotes/declarations.ts";
import { lockQuote } from "./modules/quotes/store.ts";
import { quoteExaminations } from "./modules/quotes/verify.ts";
import * as reconciliation from "./modules/reconciliation/declarations.ts";
import { reconciliationExaminations } from "./modules/reconciliation/verify.ts";
import * as referralLinks from "./modules/referral-links/declarations.ts";
import * as refunds from "./modules/refunds/declarations.ts";
import { refundExaminations } from "./modules/refunds/verify.ts";
import { reversalExaminations } from "./modules/reversals/verify.ts";
import * as sandboxGateway from "./modules/sandbox-gateway/declarations.ts";
import { sandboxExaminations } from "./modules/sandbox-gateway/verify.ts";
import * as subscriptionCollections from "./modules/subscription-collections/declarations.ts";
import { collectionExaminations } from "./modules/subscription-collections/verify.ts";
import * as webhooks from "./modules/webhooks/declarations.ts";
import { SEALED_PREVIOUS_SECRETS, SEALED_SECRETS } from "./modules/webhooks/store.ts";
import { webhookExaminations } from "./modules/webhooks/verify.ts";
import { SEALED_REPLIES } from "./platform/idempotency-keys.ts";
import { createComposeMail } from "./worker/compose-mail.ts";
import { createDeliverWebhook } from "./worker/deliver-webhook.ts";
import { acting, actingInSets, asking } from "./worker/handlers.ts";
import { createReact, onSubjects } from "./worker/react.ts";
import { createSendMail } from "./worker/send-mail.ts";

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
    declared: payments,
    work: [asking(payments.PAYMENT_CHECK, checkPayment)],
    reactions: [
      [payments.PAYMENT_COMPLETE, onSubjects(mailReceipts)],
      [payments.PAYMENT_REFUNDED, onSubjects(mailRefunds)],
      [payments.PAYMENT_PARTIALLY_REFUNDED, onSubjects(mailRefunds)],
    ],
    mails: [RECEIPT_MAIL, REFUND_MAIL, STAFF_ALERT_MAIL],
    endpoints: transactionEndpoints,
    examinations: paymentExaminations(TRANSFERS),
    sealed: [SEALED_HANDOFFS],
  },
  ...GATEWAY_SUBSCRIPTIONS,
  {
    declared: refunds,
    work: [asking(refunds.REFUND_CHECK, checkRefund)],
    examinations: refundExaminations,
  },
  { examinations: reversalExaminations },
  {
    declared: reconciliation,
    endpoints: reconciliationEndpoints,
    examinations: reconciliationExaminations(TRANSFERS),
  },
  { examinations: bookExaminations },
  {
    declared: invoices,
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
    declared: creditNotes,
    endpoints: creditNoteEndpoints,
    examinations: creditNoteExaminations,
  },
  {
    declared: creditRefunds,
    endpoints: creditRefundEndpoints,
    examinations: creditRefundExaminations,
  },
  {
    declared: customers,
    mails: [PORTAL_LINK_MAIL],
    purposes: [payerPurpose],
    endpoints: customerEndpoints,
    pages: registerPortal,
    examinations: customerExaminations(DEFAULT_CURRENCY, invoices.INVOICE_OVERDUE),
  },
  {
    declared: personalData,
    work: [
      acting(personalData.ERASE_KEPT, lockErased, eraseAfterRetention),
      acting(personalData.APPLY_RETENTION, lockForRetention, applyRetention),
      acting(personalData.ERASE_CLOSED, lockClosed, eraseClosed),
    ],
    endpoints: personalDataEndpoints,
    examinations: erasureExaminations,
  },
  {
    declared: quotes,
    work: [acting(quotes.QUOTE_EXPIRE, lockQuote, expireQuote)],
    mails: [QUOTE_MAIL],
    endpoints: quoteEndpoints,
    pages: registerQuotePages,
    examinations: quoteExaminations,
  },
  {
    declared: eftOrders,
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
    declared: cardSetups,
    work: [acting(cardSetups.CARD_SETUP_EXPIRE, lockCardSetup, expireCardSetup)],
    purposes: [cardSetupPurpose],
    endpoints: cardSetupEndpoints,
    pages: registerCardPages,
    examinations: cardSetupExaminations,
  },
  {
    declared: cards,
    work: [
      acting(cards.CARD_ANNOUNCE_EXPIRING, lockCard, announceExpiring),
      acting(cards.CARD_EXPIRE, lockCard, expireCard),
    ],
    purposes: [checkoutCardPurpose],
    endpoints: cardEndpoints,
    examinations: cardExaminations,
    sealed: [SEALED_CARD_TOKENS],
  },
  {
    declared: checkoutSessions,
    work: [
      acting(checkoutSessions.CHECKOUT_EXPIRE, lockCheckoutSession, expireCheckoutSession),
      acting(checkoutSessions.CHECKOUT_END_OTHERS, lockCheckoutSession, endOtherSubscriptions),
    ],
    purposes: [checkoutPurpose],
    mails: [WELCOME_MAIL],
    endpoints: [...checkoutPageEndpoints, ...checkoutSessionEndpoints],
    pages: registerCheckoutPages,
    examinations: checkoutSessionExaminations,
  },
  ...DEBIT_ORDERS,
  {
    declared: cardCharges,
    work: [
      acting(cardCharges.CHARGE_DUE_INVOICES, lockForDueInvoices, findDueInvoices),
      asking(cardCharges.CHARGE_DUE_INVOICE, chargeDueInvoice),
    ],
    purposes: [cardChargePurpose],
    endpoints: cardChargeEndpoints,
    examinations: cardChargeExaminations,
  },
  {
    declared: subscriptionCollections,
    work: [
      asking(subscriptionCollections.SUBSCRIPTION_COLLECT, collectInvoice),
      asking(subscriptionCollections.SUBSCRIPTION_NEW_CARD, tryNewCard),
    ],
    mails: [MISSED_COLLECTION_MAIL],
    endpoints: subscriptionCollectionEndpoints,
    examinations: collectionExaminations,
  },
  { endpoints: productEndpoints },
  { endpoints: packageEndpoints, examinations: packageExaminations },
  { endpoints: couponEndpoints, examinations: couponExaminations },
  ...CUSTOMER_SUBSCRIPTIONS,
  {
    endpoints: settingsEndpoints,
    examinations: documentNumberExaminations,
    sealed: [SEALED_LINK_KEYS, SEALED_REPLIES],
  },
  { endpoints: allowedReturnUrlEndpoints },
  { endpoints: [...apiKeyEndpoints, ...requestLogEndpoints] },
  { work: [{ work: EVENT_REACT, handler: createReact }], endpoints: eventEndpoints, examinations: eventExaminations },
  {
    declared: gatewayAccounts,
    work: [asking(gatewayAccounts.GATEWAY_RECONNECT, reconnect)],
    mails: [BANK_DETAILS_MAIL],
    endpoints: [...gatewayEndpoints, ...payoutHoldEndpoints],
    pages: registerGatewayReturn,
    sealed: [SEALED_CREDENTIALS],
  },
  { mails: [INVITATION_MAIL], endpoints: memberEndpoints },
  { endpoints: accountingMonthEndpoints },
  { endpoints: accountingSoftwareEndpoints },
  { endpoints: vatReturnEndpoints },
  { endpoints: deferredRevenueEndpoints },
  { endpoints: agedDebtorEndpoints },
  { endpoints: customerStatementEndpoints },
  { declared: referralLinks, endpoints: referralLinkEndpoints, pages: registerReferralPages },
  { endpoints: overviewEndpoints, examinations: overviewExaminations },
  { endpoints: searchEndpoints },
  { endpoints: timelineEndpoints },
  { endpoints: auditLogEndpoints },
  { endpointsOver: ({ mails }) => exportEndpoints(mails) },
  { endpoints: testClockEndpoints },
  {
    declared: sandboxGateway,
    work: [
      asking(sandboxGateway.SANDBOX_SETTLE, settleCharge),
      asking(sandboxGateway.SANDBOX_RENEW, renewSubscription),
      asking(sandboxGateway.SANDBOX_DEBIT, settleDebits),
    ],
    endpoints: sandboxEndpoints,
    pages: registerSandboxPages,
    examinations: sandboxExaminations,
  },
  {
    declared: emails,
    work: [
      { work: emails.MAIL_COMPOSE, handler: createComposeMail },
      { work: emails.MAIL_SEND, handler: createSendMail },
    ],
    endpointsOver: ({ mails }) => emailEndpoints(mails),
    examinations: emailExaminations,
    sealed: [SEALED_MAIL_SECRETS],
  },
  {
    declared: webhooks,
    work: [{ work: webhooks.WEBHOOK_DELIVER, handler: createDeliverWebhook }],
    mails: [ENDPOINT_DISABLED_MAIL],
    endpointsOver: ({ events }) => webhookEndpoints(events),
    examinations: webhookExaminations,
    sealed: [SEALED_SECRETS, SEALED_PREVIOUS_SECRETS],
  },
];

export const {
  events: EVENTS,
  reactions: REACTIONS,
  mails: MAILS,
  work: WORK,
  purposes: PURPOSES,
  clientEndpoints: CLIENT_ENDPOINTS,
  dashboardEndpoints: DASHBOARD_ENDPOINTS,
  examinations: EXAMINATIONS,
  sealed: SEALED_COLUMNS,
  registerPages,
} = merged(RESOURCES);
