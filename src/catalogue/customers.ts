import { DEFAULT_CURRENCY } from "../flows/context.ts";
import { payerPurpose } from "../flows/customers/payment-purpose.ts";
import { lockPastDueInvoices, markOverdue, remindOfInvoice } from "../flows/invoices/due-date.ts";
import { lockInvoiceForChange } from "../flows/invoices/lock-invoice.ts";
import { invoicePurpose } from "../flows/invoices/payment-purpose.ts";
import { INVOICE_MAIL, INVOICE_REMINDER_MAIL } from "../flows/mail/invoice-mails.ts";
import { PORTAL_LINK_MAIL } from "../flows/mail/portal-link-mail.ts";
import { QUOTE_MAIL } from "../flows/mail/quote-mail.ts";
import { applyRetention, eraseClosed, lockClosed, lockForRetention } from "../flows/personal-data/apply-retention.ts";
import { eraseAfterRetention, lockErased } from "../flows/personal-data/erase-customer.ts";
import { expireQuote } from "../flows/quotes/quote-steps.ts";
import { PAYER_PAGES } from "../flows/search/payer-page.ts";
import { registerPortal } from "../http/pages/portal/routes.ts";
import { registerQuotePages } from "../http/pages/quote/routes.ts";
import { creditNoteEndpoints } from "../http/resources/credit-notes.ts";
import { creditRefundEndpoints } from "../http/resources/credit-refunds.ts";
import { customerEndpoints } from "../http/resources/customers.ts";
import { invoiceEndpoints } from "../http/resources/invoices.ts";
import { personalDataEndpoints } from "../http/resources/personal-data.ts";
import { quoteEndpoints } from "../http/resources/quotes.ts";
import * as creditNotes from "../modules/credit-notes/declarations.ts";
import { creditNoteExaminations } from "../modules/credit-notes/verify.ts";
import * as creditRefunds from "../modules/credit-refunds/declarations.ts";
import { creditRefundExaminations } from "../modules/credit-refunds/verify.ts";
import * as customers from "../modules/customers/declarations.ts";
import { customerExaminations } from "../modules/customers/verify.ts";
import * as invoices from "../modules/invoices/declarations.ts";
import { invoiceExaminations } from "../modules/invoices/verify.ts";
import * as personalData from "../modules/personal-data/declarations.ts";
import { HELD } from "../modules/personal-data/store.ts";
import { erasureExaminations } from "../modules/personal-data/verify.ts";
import * as quotes from "../modules/quotes/declarations.ts";
import { lockQuote } from "../modules/quotes/store.ts";
import { quoteExaminations } from "../modules/quotes/verify.ts";
import { NAMES } from "../modules/search/store/record-names.ts";
import { ORIGINS } from "../modules/search/store/record-origins.ts";
import { RELATED } from "../modules/search/store/related-records.ts";
import { searchCreditNotes, searchCustomers, searchInvoices, searchQuotes } from "../modules/search/store.ts";
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
    purposes: [invoicePurpose],
    mails: [INVOICE_MAIL, INVOICE_REMINDER_MAIL],
    endpoints: invoiceEndpoints,
    examinations: invoiceExaminations,
    records: [
      {
        prefix: "inv",
        noun: "invoice",
        permission: "invoices:read",
        path: "/invoices",
        names: NAMES.inv,
        search: searchInvoices,
        related: RELATED.inv,
        origin: ORIGINS.inv,
        payerPage: PAYER_PAGES.inv,
      },
      { prefix: "ipm", permission: "invoices:read", path: "/invoices", names: NAMES.ipm },
    ],
  },
  {
    declared: creditNotes,
    endpoints: creditNoteEndpoints,
    examinations: creditNoteExaminations,
    records: [
      {
        prefix: "cn",
        noun: "credit_note",
        permission: "credit_notes:read",
        path: "/credit-notes",
        names: NAMES.cn,
        search: searchCreditNotes,
        related: RELATED.cn,
        origin: ORIGINS.cn,
      },
    ],
  },
  {
    declared: creditRefunds,
    endpoints: creditRefundEndpoints,
    examinations: creditRefundExaminations,
    records: [{ prefix: "crf", permission: "refunds:read", path: "/customers", names: NAMES.crf }],
  },
  {
    declared: customers,
    mails: [PORTAL_LINK_MAIL],
    purposes: [payerPurpose],
    endpoints: customerEndpoints,
    pages: registerPortal,
    examinations: customerExaminations(DEFAULT_CURRENCY, invoices.INVOICE_OVERDUE),
    records: [
      {
        prefix: "cus",
        noun: "customer",
        permission: "customers:read",
        path: "/customers",
        names: NAMES.cus,
        search: searchCustomers,
        related: RELATED.cus,
      },
    ],
  },
  {
    declared: personalData,
    work: [
      acting(personalData.ERASE_KEPT, lockErased, eraseAfterRetention),
      acting(personalData.APPLY_RETENTION, lockForRetention, applyRetention),
      acting(personalData.ERASE_CLOSED, lockClosed, eraseClosed),
    ],
    held: HELD,
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
    records: [
      {
        prefix: "quo",
        noun: "quote",
        permission: "quotes:read",
        path: "/quotes",
        names: NAMES.quo,
        search: searchQuotes,
        related: RELATED.quo,
        payerPage: PAYER_PAGES.quo,
      },
    ],
  },
];
