import { STAFF_ALERT_MAIL } from "../flows/mail/staff-alerts.ts";
import { linkPurpose } from "../flows/payment-links/payment-purpose.ts";
import { linkPage } from "../flows/payment-links/read-pay-page.ts";
import { checkPayment } from "../flows/payments/check-payment.ts";
import { mailReceipts, mailRefunds, RECEIPT_MAIL, REFUND_MAIL } from "../flows/payments/payer-mails.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import { checkRefund } from "../flows/payments/refund-payment.ts";
import { applyRefundReports } from "../flows/payments/refund-reports.ts";
import { MANUAL_TRANSFER_TYPES } from "../gateways/registry.ts";
import { registerPayPages } from "../http/pages/pay/routes.ts";
import { disputeEndpoints } from "../http/resources/disputes.ts";
import { paymentLinkEndpoints } from "../http/resources/payment-links.ts";
import { reconciliationEndpoints } from "../http/resources/reconciliation.ts";
import { transactionEndpoints } from "../http/resources/transactions.ts";
import { BOOK_RECORD } from "../modules/books/record.ts";
import { bookExaminations } from "../modules/books/verify.ts";
import * as disputes from "../modules/disputes/declarations.ts";
import { DISPUTE_RECORD } from "../modules/disputes/record.ts";
import { disputeExaminations } from "../modules/disputes/verify.ts";
import { GATEWAY_NOTIFICATION_RECORD } from "../modules/gateway-notifications/record.ts";
import { PAYMENT_LINK_RECORD } from "../modules/payment-links/record.ts";
import { paymentLinkExaminations } from "../modules/payment-links/verify.ts";
import * as payments from "../modules/payments/declarations.ts";
import { PAYMENT_RECORD } from "../modules/payments/record.ts";
import { SEALED_HANDOFFS } from "../modules/payments/store/handoffs.ts";
import { paymentExaminations } from "../modules/payments/verify.ts";
import * as reconciliation from "../modules/reconciliation/declarations.ts";
import { RECONCILIATION_RECORD } from "../modules/reconciliation/record.ts";
import { reconciliationExaminations } from "../modules/reconciliation/verify.ts";
import * as refunds from "../modules/refunds/declarations.ts";
import { REFUND_RECORD } from "../modules/refunds/record.ts";
import { refundExaminations } from "../modules/refunds/verify.ts";
import { REVERSAL_RECORD } from "../modules/reversals/record.ts";
import { reversalExaminations } from "../modules/reversals/verify.ts";
import { asking } from "../worker/handlers.ts";
import { onSubjects } from "../worker/react.ts";
import { GATEWAY_SUBSCRIPTIONS } from "./gateway-subscriptions.ts";
import type { Resource } from "./merged.ts";

/** Payments, payment links, refunds and reversals, and the books. */
export const PAYMENTS: readonly Resource[] = [
  {
    extensions: [PURPOSES.with(linkPurpose)],
    endpoints: paymentLinkEndpoints,
    pages: registerPayPages,
    examinations: paymentLinkExaminations,
    record: PAYMENT_LINK_RECORD,
    payerPage: linkPage,
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
    examinations: paymentExaminations(MANUAL_TRANSFER_TYPES),
    sealed: [SEALED_HANDOFFS],
    record: PAYMENT_RECORD,
  },
  ...GATEWAY_SUBSCRIPTIONS,
  {
    declared: refunds,
    work: [asking(refunds.REFUND_CHECK, checkRefund), asking(refunds.REFUND_REPORTS, applyRefundReports)],
    examinations: refundExaminations,
    record: REFUND_RECORD,
  },
  {
    examinations: reversalExaminations,
    record: REVERSAL_RECORD,
  },
  {
    declared: disputes,
    endpoints: disputeEndpoints,
    examinations: disputeExaminations,
    record: DISPUTE_RECORD,
  },
  {
    declared: reconciliation,
    endpoints: reconciliationEndpoints,
    examinations: reconciliationExaminations(MANUAL_TRANSFER_TYPES),
    record: RECONCILIATION_RECORD,
  },
  { examinations: bookExaminations, record: BOOK_RECORD },
  { record: GATEWAY_NOTIFICATION_RECORD },
];
