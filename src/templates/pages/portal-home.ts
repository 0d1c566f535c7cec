import { type Cents, formatMoney } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, type Instant } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { areFree, type ChargesInWords, chargesInWords, dayInWords } from "../wording.ts";
import { page } from "./layout.ts";
import { type Brand, contact, formToken, money, name, ownPath, safeHref, type Tone } from "./parts.ts";
import type { ResultStatus } from "./result.ts";

interface Sum {
  readonly amount: Cents;
  readonly currency: string;
}

/** An amount that the customer has to pay: an open invoice, or a payment link without an invoice. */
export interface OwedItem extends Sum {
  readonly title: string;
  /** Null for a link. */
  readonly invoice: {
    readonly issueDay: CalendarDay;
    readonly dueDay: CalendarDay | null;
    readonly overdue: boolean;
    readonly total: Cents;
    readonly paid: Cents;
    /** A path on our own host. */
    readonly pdfPath: string;
  } | null;
  /** URL of its pay page; null when it cannot be paid online. */
  readonly payUrl: string | null;
}

/** A quote that can be accepted. */
export interface PortalQuote extends Sum {
  readonly number: string;
  readonly lastDay: CalendarDay | null;
  readonly url: string;
}

/** A credit note; `remaining` is the part that no invoice has used. */
export interface PortalCreditNote extends Sum {
  readonly number: string;
  readonly day: CalendarDay;
  /** Why it was issued. */
  readonly description: string;
  readonly remaining: Cents;
  readonly pdfPath: string;
}

/** A paid or cancelled invoice. */
export interface PortalPastInvoice extends Sum {
  readonly number: string;
  readonly issueDay: CalendarDay;
  readonly status: "paid" | "cancelled";
  readonly pdfPath: string;
}

export interface PortalPayment extends Sum {
  readonly title: string;
  readonly reference: string;
  readonly status: ResultStatus;
  readonly at: Instant;
}

/** A subscription of the customer. */
export interface PortalHomeSubscription {
  readonly planName: string;
  readonly currency: string;
  /** The status, such as `Active` or `Ends on 28 February 2027`. */
  readonly standing: string;
  /** What is charged from now on, as the planner promises; empty when nothing is. */
  readonly charges: readonly ChargesInWords[];
  /** Its page, a path on this host. */
  readonly path: string;
}

export interface PortalHomeModel {
  readonly brand: Brand;
  /** Name for the greeting: first name, else company, else email. */
  readonly customerName: string;
  /** The earliest due first. */
  readonly owed: readonly OwedItem[];
  /** Sums of what is owed, one for each currency. */
  readonly totals: readonly Sum[];
  readonly quotes: readonly PortalQuote[];
  /** Newest first; `amount` is the price of a period, with VAT. */
  readonly subscriptions: readonly PortalHomeSubscription[];
  /** Unused credit, one sum for each currency. */
  readonly credits: readonly Sum[];
  readonly creditNotes: readonly PortalCreditNote[];
  /** Newest first. */
  readonly pastInvoices: readonly PortalPastInvoice[];
  /** Newest first. */
  readonly payments: readonly PortalPayment[];
  /** Paths on this host; `signOutPath` accepts a POST of `formToken`. */
  readonly statementPath: string;
  /** The page of saved cards; null when the merchant's plan has none. */
  readonly cardsPath: string | null;
  /** The page of debit orders; null when the customer has none. */
  readonly debitOrdersPath: string | null;
  readonly signOutPath: string;
  readonly formToken: string;
}

/** The portal's home page: what a customer owes, open quotes, credit and payments. */
export function portalHomePage(model: PortalHomeModel): Html {
  return page({
    title: `Your account – ${model.brand.name}`,
    brand: model.brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1>Hello, ${name(model.customerName)}</h1>
<form method="post" action="${safeHref(model.signOutPath) ?? ""}"><button type="submit" \
class="plain-button">Sign out</button>${formToken(model.formToken)}</form></div>
${owedSection(model)}${subscriptionsSection(model)}${quotesSection(model)}
${creditSection(model)}${paymentsSection(model)}${pastSection(model)}
<p class="center"><a href="${ownPath(model.statementPath) ?? ""}">Statement of your account</a></p>
${model.cardsPath === null ? "" : html`<p class="center"><a href="${ownPath(model.cardsPath) ?? ""}">Your cards</a></p>`}${
  model.debitOrdersPath === null
    ? ""
    : html`<p class="center"><a href="${ownPath(model.debitOrdersPath) ?? ""}">Your debit orders</a></p>`
}</main>`,
  });
}

const total = (sums: readonly Sum[]): Html =>
  html`<p class="total">${sums.map(({ amount, currency }, index) => [index > 0 && " and ", money(amount, currency)])}</p>`;

/** The link to a PDF. It names the document, since screen readers list links without their context. */
const pdfLink = (path: string, of: string): Html =>
  html`<a href="${ownPath(path) ?? ""}">PDF<span class="unseen"> of ${of}</span></a>`;

function owedSection({ owed, totals }: PortalHomeModel): Html {
  if (owed.length === 0) {
    return html`<section class="sheet"><h2>Nothing to pay</h2><p class="muted">You are up to date.</p></section>`;
  }
  const only = owed.length === 1;
  return html`<section class="sheet"><div class="bar"><h2>To pay</h2>${total(totals)}</div>
<ul class="rows">${owed.map((item) => owedRow(item, only))}</ul></section>`;
}

function owedRow(item: OwedItem, only: boolean): Html {
  const pay = safeHref(item.payUrl);
  // Screen readers list links without their context, so each names what it pays.
  const button = html`<a class="button short${only ? "" : " quiet"}" href="${pay}">Pay<span class="unseen"> ${item.title}</span></a>`;
  return html`<li><span class="name" dir="auto">${item.title}</span>${money(item.amount, item.currency)}
${item.invoice && invoiceBits(item.title, item.currency, item.invoice)}
${pay && button}</li>`;
}

function invoiceBits(title: string, currency: string, invoice: NonNullable<OwedItem["invoice"]>): Html {
  const { issueDay, dueDay, overdue, paid } = invoice;
  const due =
    dueDay &&
    html`<span${overdue && html` class="bad-text"`}>${overdue ? "Was due" : "Due"} ${dayInWords(dueDay)}</span>`;
  const part = html`<span>${formatMoney(paid, currency)} of ${formatMoney(invoice.total, currency)} is paid</span>`;
  return html`<span class="small bits"><span>${dayInWords(issueDay)}</span>${due}${
    paid > 0 ? part : ""
  }${pdfLink(invoice.pdfPath, title)}</span>`;
}

function quotesSection({ quotes }: PortalHomeModel): Html | null {
  if (quotes.length === 0) return null;
  const rows = quotes.map((quote) => {
    const until = quote.lastDay ? html`<span>Valid until ${dayInWords(quote.lastDay)}</span>` : "";
    return html`<li><span class="name" dir="auto">Quote ${quote.number}</span>${money(quote.amount, quote.currency)}
<span class="small bits">${until}</span>
<a class="button short quiet" href="${safeHref(quote.url)}">View<span class="unseen"> quote ${quote.number}</span></a></li>`;
  });
  return html`<section class="sheet"><h2>Quotes to answer</h2><ul class="rows">${rows}</ul></section>`;
}

function subscriptionsSection({ subscriptions }: PortalHomeModel): Html | null {
  if (subscriptions.length === 0) return null;
  const rows = subscriptions.map(
    (one) => html`<li><span class="name" dir="auto">${one.planName}</span>
<span class="small bits">${
      one.charges.length === 0
        ? ""
        : html`<span>${areFree(one.charges) ? "Free" : chargesInWords(one.charges, one.currency)}</span>`
    }<span>${one.standing}</span></span>
<a class="button short quiet" href="${ownPath(one.path) ?? ""}">View<span \
class="unseen"> your subscription to ${one.planName}</span></a></li>`,
  );
  return html`<section class="sheet"><h2>Subscriptions</h2><ul class="rows">${rows}</ul></section>`;
}

function creditSection({ brand, credits, creditNotes }: PortalHomeModel): Html | null {
  if (credits.length === 0 && creditNotes.length === 0) return null;
  const rows = creditNotes.map((note) => {
    const left =
      note.remaining === 0
        ? "Used"
        : note.remaining === note.amount
          ? "Not used yet"
          : `${formatMoney(note.remaining, note.currency)} left`;
    const title = `Credit note ${note.number}`;
    return html`<li><span class="name" dir="auto">${title}</span>${money(note.amount, note.currency)}
<span class="small bits"><span>${dayInWords(note.day)}</span><span \
dir="auto">${note.description}</span>${pdfLink(note.pdfPath, title)}</span>
<span class="state small muted">${left}</span></li>`;
  });
  // Credit from an overpayment belongs to no credit note; the merchant decides about it.
  const howCreditIsUsed = creditNotes.some(({ remaining }) => remaining > 0)
    ? "What is left of a credit note comes off your next invoice by itself."
    : html`It is held for you. To use it or have it back, contact ${contact(brand)}.`;
  return html`<section class="sheet"><div class="bar"><h2>Credit</h2>${credits.length === 0 ? "" : total(credits)}</div>
${credits.length === 0 ? "" : html`<p class="muted small">${howCreditIsUsed}</p>`}
${rows.length === 0 ? "" : html`<ul class="rows">${rows}</ul>`}</section>`;
}

const PAYMENT_WORDS: Readonly<Record<ResultStatus, { text: string; tone: Tone }>> = {
  pending: { text: "Waiting", tone: "wait" },
  complete: { text: "Paid", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
  cancelled: { text: "Cancelled", tone: "plain" },
  refunded: { text: "Refunded", tone: "plain" },
  partially_refunded: { text: "Partly refunded", tone: "plain" },
};

const state = ({ text, tone }: { text: string; tone: Tone }): Html =>
  html`<span class="state small ${tone === "plain" ? "muted" : `${tone}-text`}">${text}</span>`;

function paymentsSection({ payments }: PortalHomeModel): Html | null {
  if (payments.length === 0) return null;
  const rows = payments.map(
    (
      payment,
    ) => html`<li><span class="name" dir="auto">${payment.title}</span>${money(payment.amount, payment.currency)}
<span class="small bits"><span>${dayInWords(calendarDay(payment.at))}</span><span>${name(payment.reference)}</span></span>
${state(PAYMENT_WORDS[payment.status])}</li>`,
  );
  return html`<section class="sheet"><h2>Payments</h2><ul class="rows">${rows}</ul></section>`;
}

function pastSection({ pastInvoices }: PortalHomeModel): Html | null {
  if (pastInvoices.length === 0) return null;
  const rows = pastInvoices.map((invoice) => {
    const title = `Invoice ${invoice.number}`;
    return html`<li><span class="name" dir="auto">${title}</span>${money(invoice.amount, invoice.currency)}
<span class="small bits"><span>${dayInWords(invoice.issueDay)}</span>${pdfLink(invoice.pdfPath, title)}</span>
${state(invoice.status === "paid" ? PAYMENT_WORDS.complete : PAYMENT_WORDS.cancelled)}</li>`;
  });
  return html`<section class="sheet"><h2>Past invoices</h2><ul class="rows">${rows}</ul></section>`;
}
