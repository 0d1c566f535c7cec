import { html } from "ghtml";
import type { Cents } from "../../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../../kernel/time.ts";
import { businessDay } from "../../../kernel/time.ts";
import { dayInWords } from "../../../kernel/wording.ts";
import { inputField, type Problem, problemSummary } from "../fields.ts";
import { page } from "../layout.ts";
import { type Brand, contact, formToken, type Html, money, name, safeHref, sign, slip, type Tone } from "../parts.ts";
import type { ResultStatus } from "../pay/result.ts";

export interface PortalSignInModel {
  readonly brand: Brand;
  /** Why the customer is here: the link was opened before, is over 15 minutes old, or there was none (contract 7). */
  readonly reason: "used" | "expired" | "none";
  readonly formToken: string;
  readonly email: string;
  readonly emailError: string | null;
  /** What else went wrong, as sentences, such as too many attempts. */
  readonly problems: readonly string[];
}

const SIGN_IN_WORDS = {
  used: { heading: "This link has been used", sentence: "A sign-in link works once. We mail you a new one." },
  expired: {
    heading: "This link has expired",
    sentence: "A sign-in link works for 15 minutes. We mail you a new one.",
  },
  none: { heading: "Sign in", sentence: "We mail you a link that signs you in. There is no password." },
} as const;

/** Asks for the address a new sign-in link goes to. Its form posts `email` and `formToken` to the page's own URL. */
export function portalSignInPage(model: PortalSignInModel): Html {
  const { heading, sentence } = SIGN_IN_WORDS[model.reason];
  const problems: Problem[] = [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...(model.emailError === null ? [] : [{ message: model.emailError, inputId: "email" }]),
  ];
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}${heading} – ${model.brand.name}`,
    brand: model.brand,
    width: "narrow",
    main: html`<main class="frame narrow stack"><form class="sheet stack" method="post">
<div class="what"><h1>${heading}</h1><p class="muted">${sentence}</p></div>
!${problemSummary(problems)}
!${inputField({
      name: "email",
      label: "Email address",
      type: "email",
      autocomplete: "email",
      value: model.email,
      required: true,
      error: model.emailError,
      hint: html`The one ${model.brand.name} writes to.`,
    })}
<button type="submit" class="button" data-busy="One moment…">Mail me a link</button>!${formToken(model.formToken)}</form>
<p class="muted small center">No longer at that address? Contact !${contact(model.brand)}.</p></main>`,
  });
}

/** After asking for a link; the same whether the address is a customer's or not. */
export function portalSentPage(model: { readonly brand: Brand; readonly email: string }): Html {
  return page({
    title: `Look in your mail – ${model.brand.name}`,
    brand: model.brand,
    width: "narrow",
    main: slip({
      sign: sign("mail", "good"),
      heading: "Look in your mail",
      head: [
        html`<p class="muted">A link is on its way to !${name(model.email)}, if that is the address !${name(model.brand.name)} has for you. It works once, for 15 minutes.</p>`,
      ],
      below: html`<p class="muted small center">Nothing there after a few minutes? Look in the spam folder, or contact !${contact(model.brand)}.</p>`,
    }),
  });
}

/** Something the customer still has to pay: an open payment link or invoice. */
export interface OwedItem {
  readonly title: string;
  /** The invoice's number; null for a link without one. */
  readonly number: string | null;
  readonly amount: Cents;
  readonly currency: string;
  readonly dueDay: BusinessDay | null;
  readonly overdue: boolean;
  /** Its pay page; null when it cannot be paid online. */
  readonly payUrl: string | null;
}

export interface PortalPayment {
  readonly title: string;
  readonly reference: string;
  readonly status: ResultStatus;
  readonly amount: Cents;
  readonly currency: string;
  readonly at: Instant;
}

export interface PortalHomeModel {
  readonly brand: Brand;
  /** First name, or company, or email: how the page greets. */
  readonly customerName: string;
  readonly owed: readonly OwedItem[];
  /** One total per currency owed. */
  readonly totals: readonly { readonly amount: Cents; readonly currency: string }[];
  /** Credits that are not used up, one per currency. */
  readonly credits: readonly { readonly amount: Cents; readonly currency: string }[];
  /** Newest first. */
  readonly payments: readonly PortalPayment[];
  /** A path on our own host, which takes a POST of `formToken`. */
  readonly signOutPath: string;
  readonly formToken: string;
}

/** What a customer owes, has in credit and has paid. */
export function portalHomePage(model: PortalHomeModel): Html {
  return page({
    title: `Your account – ${model.brand.name}`,
    brand: model.brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1>Hello, !${name(model.customerName)}</h1>
<form method="post" action="${safeHref(model.signOutPath) ?? ""}"><button type="submit" class="plain-button">Sign out</button>!${formToken(model.formToken)}</form></div>
!${owedSection(model)}!${creditSection(model)}!${paymentsSection(model)}</main>`,
  });
}

function owedSection({ owed, totals }: PortalHomeModel): Html {
  if (owed.length === 0) {
    return html`<section class="sheet"><h2>Nothing to pay</h2><p class="muted">You are up to date.</p></section>`;
  }
  const total = totals.map(({ amount, currency }) => money(amount, currency)).join(" and ");
  const only = owed.length === 1;
  return html`<section class="sheet"><div class="bar"><h2>To pay</h2><p class="total">!${total}</p></div>
<ul class="rows">!${owed.map((item) => owedRow(item, only))}</ul></section>`;
}

function owedRow(item: OwedItem, only: boolean): Html {
  const due = item.dueDay === null ? "" : `${item.overdue ? "Was due" : "Due"} ${dayInWords(item.dueDay)}`;
  const state = html`<span!${item.overdue ? ` class="bad-text"` : ""}>${due}</span>`;
  const pay = safeHref(item.payUrl);
  // The screen reader's list of links says what each one pays.
  const button = html`<a class="button short!${only ? "" : " quiet"}" href="${pay}">Pay<span class="unseen"> ${item.title}</span></a>`;
  return html`<li><span class="name" dir="auto">${item.title}</span>!${money(item.amount, item.currency)}
<span class="small bits">!${item.number === null ? "" : html`<span>!${name(item.number)}</span>`}!${due && state}</span>
!${pay && button}</li>`;
}

function creditSection({ credits }: PortalHomeModel): Html {
  if (credits.length === 0) return "";
  const total = credits.map(({ amount, currency }) => money(amount, currency)).join(" and ");
  return html`<section class="sheet"><div class="bar"><h2>Credit</h2><p class="total">!${total}</p></div>
<p class="muted small">It comes off your next invoice by itself.</p></section>`;
}

const PAYMENT_WORDS: Readonly<Record<ResultStatus, { text: string; tone: Tone }>> = {
  pending: { text: "Waiting", tone: "wait" },
  complete: { text: "Paid", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
  cancelled: { text: "Cancelled", tone: "plain" },
  refunded: { text: "Refunded", tone: "plain" },
  partially_refunded: { text: "Partly refunded", tone: "plain" },
};

function paymentsSection({ payments }: PortalHomeModel): Html {
  if (payments.length === 0) return "";
  const rows = payments.map((payment) => {
    const { text, tone } = PAYMENT_WORDS[payment.status];
    return html`<li><span class="name" dir="auto">${payment.title}</span>!${money(payment.amount, payment.currency)}
<span class="small bits"><span>${dayInWords(businessDay(payment.at))}</span><span>!${name(payment.reference)}</span></span>
<span class="state small !${tone === "plain" ? "muted" : `${tone}-text`}">${text}</span></li>`;
  });
  return html`<section class="sheet"><h2>Payments</h2><ul class="rows">!${rows}</ul></section>`;
}
