import { DEFAULT_CURRENCY } from "../flows/context.ts";
import { creditNotePurpose } from "../flows/credit-notes/refund-credit-note.ts";
import { lockPastDueInvoices, markOverdue, remindOfInvoice } from "../flows/invoices/due-date.ts";
import { fillExchanges } from "../flows/invoices/exchange.ts";
import { INVOICE_MAIL, INVOICE_REMINDER_MAIL } from "../flows/invoices/invoice-mails.ts";
import { invoicePage } from "../flows/invoices/invoice-object.ts";
import { lockInvoiceForChange } from "../flows/invoices/lock-invoice.ts";
import { invoicePurpose } from "../flows/invoices/payment-purpose.ts";
import { scheduleDueInvoices } from "../flows/invoices/schedule-due-invoices.ts";
import { creditPurpose } from "../flows/invoices/use-credit.ts";
import { SETTINGS_CHANGED } from "../flows/organisations/settings.ts";
import { payerPurpose } from "../flows/payments/lock-purposes.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import {
  applyRetention,
  eraseClosed,
  lockClosed,
  lockForRetention,
  scheduleRetention,
} from "../flows/personal-data/apply-retention.ts";
import { eraseAfterRetention, lockErased } from "../flows/personal-data/erase-customer.ts";
import { PORTAL_LINK_MAIL } from "../flows/portal-access/portal-link-mail.ts";
import { QUOTE_MAIL } from "../flows/quotes/quote-mail.ts";
import { expireQuote } from "../flows/quotes/quote-steps.ts";
import { quotePage } from "../flows/quotes/read-quote-page.ts";
import { registerPortal } from "../http/pages/portal/routes.ts";
import { registerQuotePages } from "../http/pages/quote/routes.ts";
import { creditNoteEndpoints } from "../http/resources/credit-notes.ts";
import { creditRefundEndpoints } from "../http/resources/credit-refunds.ts";
import { customerEndpoints } from "../http/resources/customers.ts";
import { invoiceEndpoints } from "../http/resources/invoices.ts";
import { personalDataEndpoints } from "../http/resources/personal-data.ts";
import { quoteEndpoints } from "../http/resources/quotes.ts";
import * as creditNotes from "../modules/credit-notes/declarations.ts";
import { CREDIT_NOTE_RECORD } from "../modules/credit-notes/record.ts";
import { creditNoteExaminations } from "../modules/credit-notes/verify.ts";
import * as creditRefunds from "../modules/credit-refunds/declarations.ts";
import { CREDIT_REFUND_RECORD } from "../modules/credit-refunds/record.ts";
import { creditRefundExaminations } from "../modules/credit-refunds/verify.ts";
import * as customers from "../modules/customers/declarations.ts";
import { CUSTOMER_RECORD } from "../modules/customers/record.ts";
import { customerExaminations } from "../modules/customers/verify.ts";
import { DOCUMENT_RECORD } from "../modules/documents/record.ts";
import * as invoices from "../modules/invoices/declarations.ts";
import { INVOICE_RECORD } from "../modules/invoices/record.ts";
import { invoiceExaminations } from "../modules/invoices/verify.ts";
import * as personalData from "../modules/personal-data/declarations.ts";
import { erasureExaminations } from "../modules/personal-data/verify.ts";
import { PORTAL_RECORD } from "../modules/portal/record.ts";
import * as quotes from "../modules/quotes/declarations.ts";
import { QUOTE_RECORD } from "../modules/quotes/record.ts";
import { lockQuote } from "../modules/quotes/store.ts";
import { quoteExaminations } from "../modules/quotes/verify.ts";
import { acting, actingInSets } from "../worker/handlers.ts";
import type { Resource } from "./merged.ts";

/** Customers and their documents. */
export const CUSTOMERS: readonly Resource[] = [
  {
    declared: invoices,
    work: [
      actingInSets(invoices.INVOICE_OVERDUE, lockPastDueInvoices, markOverdue),
      acting(invoices.INVOICE_REMIND, lockInvoiceForChange, remindOfInvoice),
    ],
    extensions: [
      PURPOSES.with(creditPurpose),
      PURPOSES.with(invoicePurpose),
      SETTINGS_CHANGED.with(scheduleDueInvoices),
      SETTINGS_CHANGED.with(fillExchanges),
    ],
    mails: [INVOICE_MAIL, INVOICE_REMINDER_MAIL],
    endpoints: invoiceEndpoints,
    examinations: invoiceExaminations,
    record: INVOICE_RECORD,
    payerPage: invoicePage,
  },
  {
    declared: creditNotes,
    extensions: [PURPOSES.with(creditNotePurpose)],
    endpoints: creditNoteEndpoints,
    examinations: creditNoteExaminations,
    record: CREDIT_NOTE_RECORD,
  },
  {
    declared: creditRefunds,
    endpoints: creditRefundEndpoints,
    examinations: creditRefundExaminations,
    record: CREDIT_REFUND_RECORD,
  },
  {
    declared: customers,
    mails: [PORTAL_LINK_MAIL],
    extensions: [PURPOSES.with(payerPurpose)],
    endpoints: customerEndpoints,
    pages: registerPortal,
    examinations: customerExaminations(DEFAULT_CURRENCY, invoices.INVOICE_OVERDUE),
    record: CUSTOMER_RECORD,
  },
  {
    declared: personalData,
    work: [
      acting(personalData.ERASE_KEPT, lockErased, eraseAfterRetention),
      acting(personalData.APPLY_RETENTION, lockForRetention, applyRetention),
      acting(personalData.ERASE_CLOSED, lockClosed, eraseClosed),
    ],
    extensions: [SETTINGS_CHANGED.with(scheduleRetention)],
    endpointsOver: ({ held }) => personalDataEndpoints(held),
    examinations: erasureExaminations,
  },
  {
    declared: quotes,
    work: [acting(quotes.QUOTE_EXPIRE, lockQuote, expireQuote)],
    mails: [QUOTE_MAIL],
    endpoints: quoteEndpoints,
    pages: registerQuotePages,
    examinations: quoteExaminations,
    record: QUOTE_RECORD,
    payerPage: quotePage,
  },
  { record: DOCUMENT_RECORD },
  { record: PORTAL_RECORD },
];
