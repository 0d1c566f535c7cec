import { isManualTransfer } from "../flows/gateways/accounts.ts";
import { mailReceipts, mailRefunds, RECEIPT_MAIL, REFUND_MAIL } from "../flows/mail/payer-mails.ts";
import { STAFF_ALERT_MAIL } from "../flows/mail/staff-alerts.ts";
import { linkPurpose } from "../flows/payment-links/payment-purpose.ts";
import { checkPayment } from "../flows/payments/check-payment.ts";
import { checkRefund } from "../flows/payments/refund-payment.ts";
import { applyRefundReports } from "../flows/payments/refund-reports.ts";
import { PAYER_PAGES } from "../flows/search/payer-page.ts";
import { ADAPTERS } from "../gateways/registry.ts";
import { registerPayPages } from "../http/pages/pay/routes.ts";
import { paymentLinkEndpoints } from "../http/resources/payment-links.ts";
import { reconciliationEndpoints } from "../http/resources/reconciliation.ts";
import { transactionEndpoints } from "../http/resources/transactions.ts";
import { bookExaminations } from "../modules/books/verify.ts";
import { paymentLinkExaminations } from "../modules/payment-links/verify.ts";
import * as payments from "../modules/payments/declarations.ts";
import { SEALED_HANDOFFS } from "../modules/payments/store.ts";
import { paymentExaminations } from "../modules/payments/verify.ts";
import * as reconciliation from "../modules/reconciliation/declarations.ts";
import { reconciliationExaminations } from "../modules/reconciliation/verify.ts";
import * as refunds from "../modules/refunds/declarations.ts";
import { refundExaminations } from "../modules/refunds/verify.ts";
import { reversalExaminations } from "../modules/reversals/verify.ts";
import { NAMES } from "../modules/search/store/record-names.ts";
import { ORIGINS } from "../modules/search/store/record-origins.ts";
import { RELATED } from "../modules/search/store/related-records.ts";
import { searchPaymentLinks, searchRefunds, searchTransactions } from "../modules/search/store.ts";
import { asking } from "../worker/handlers.ts";
import { onSubjects } from "../worker/react.ts";
import { GATEWAY_SUBSCRIPTIONS } from "./gateway-subscriptions.ts";
import type { Resource } from "./merged.ts";

/** Gateway types whose payments go directly to the merchant's bank account. */
const TRANSFERS = ADAPTERS.map(({ type }) => type).filter(isManualTransfer);

/** Payments, payment links, refunds and reversals, and the books. */
export const PAYMENTS: readonly Resource[] = [
  {
    purposes: [linkPurpose],
    endpoints: paymentLinkEndpoints,
    pages: registerPayPages,
    examinations: paymentLinkExaminations,
    records: [
      {
        prefix: "plink",
        noun: "payment_link",
        permission: "payment_links:read",
        path: "/payment-links",
        names: NAMES.plink,
        search: searchPaymentLinks,
        related: RELATED.plink,
        origin: ORIGINS.plink,
        payerPage: PAYER_PAGES.plink,
      },
    ],
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
    records: [
      {
        prefix: "txn",
        noun: "transaction",
        permission: "transactions:read",
        path: "/transactions",
        names: NAMES.txn,
        search: searchTransactions,
        related: RELATED.txn,
        origin: ORIGINS.txn,
      },
    ],
  },
  ...GATEWAY_SUBSCRIPTIONS,
  {
    declared: refunds,
    work: [asking(refunds.REFUND_CHECK, checkRefund), asking(refunds.REFUND_REPORTS, applyRefundReports)],
    examinations: refundExaminations,
    records: [
      {
        prefix: "ref",
        noun: "refund",
        permission: "transactions:read",
        path: "/transactions",
        names: NAMES.ref,
        search: searchRefunds,
      },
    ],
  },
  {
    examinations: reversalExaminations,
    records: [{ prefix: "rev", permission: "transactions:read", path: "/transactions", names: NAMES.rev }],
  },
  {
    declared: reconciliation,
    endpoints: reconciliationEndpoints,
    examinations: reconciliationExaminations(TRANSFERS),
    records: [
      {
        prefix: "rci",
        noun: "reconciliation_item",
        permission: "reconciliation:read",
        path: "/reconciliation/items",
        names: NAMES.rci,
        related: RELATED.rci,
      },
      { prefix: "rcm", permission: "reconciliation:read", path: "/reconciliation/items", names: NAMES.rcm },
      { prefix: "rcn", permission: "reconciliation:read", path: "/reconciliation/runs", names: NAMES.rcn },
      { prefix: "rcr", permission: "reconciliation:read", path: "/reconciliation/rules", list: true, names: NAMES.rcr },
    ],
  },
  { examinations: bookExaminations },
];
