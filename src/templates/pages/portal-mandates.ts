import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { dayInWords, frequencyInWords } from "../wording.ts";
import { problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, contact, type Fact, facts, formToken, ownPath, safeHref, type Tone } from "./parts.ts";

/** A debit order of the customer. */
export interface PortalMandateModel {
  readonly id: string;
  readonly description: string;
  /** The text on the bank statement. */
  readonly accountReference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  readonly bank: string | null;
  readonly accountNumberLast4: string;
  readonly stage:
    | "awaiting_signature"
    | "awaiting_approval"
    | "pending"
    | "active"
    | "paused"
    | "cancelled"
    | "rejected";
  readonly nextDebitDate: CalendarDay | null;
  readonly lastDebitDate: CalendarDay | null;
  /** Whether its agreement can be signed here. */
  readonly maySign: boolean;
  /** The bank's page on which an electronic mandate is signed; null without one. */
  readonly bankUrl: string | null;
}

export interface PortalMandatesModel {
  readonly brand: Brand;
  /** Newest first. */
  readonly mandates: readonly PortalMandateModel[];
  readonly homePath: string;
  readonly formToken: string;
  /** Sentences about the last submission. */
  readonly problems: readonly string[];
}

const STAGES: Readonly<Record<PortalMandateModel["stage"], { readonly text: string; readonly tone: Tone }>> = {
  awaiting_signature: { text: "Waits for your signature", tone: "wait" },
  awaiting_approval: { text: "Being checked", tone: "wait" },
  pending: { text: "Being set up", tone: "wait" },
  active: { text: "Active", tone: "good" },
  paused: { text: "Paused", tone: "plain" },
  cancelled: { text: "Cancelled", tone: "plain" },
  rejected: { text: "Rejected", tone: "bad" },
};

/** The customer's debit orders. Its forms post `action` `sign` and `mandate` to the page's URL. */
export function portalMandatesPage(model: PortalMandatesModel): Html {
  const { brand, mandates } = model;
  return page({
    title: `Your debit orders – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1>Your debit orders</h1><a href="${ownPath(model.homePath) ?? ""}">Your account</a></div>
${problemSummary(
  model.problems.map((message) => ({ message, inputId: null })),
  "Nothing was changed",
)}
${
  mandates.length === 0
    ? html`<section class="sheet"><p class="muted">You have no debit orders.</p></section>`
    : mandates.map((mandate) => mandateSection(mandate, model))
}
<p class="muted small">To change or cancel a debit order, contact ${contact(brand)}.</p></main>`,
  });
}

function mandateSection(mandate: PortalMandateModel, { formToken: token }: PortalMandatesModel): Html {
  const { description, accountReference, amount, currency, frequency, nextDebitDate, lastDebitDate } = mandate;
  const { text, tone } = STAGES[mandate.stage];
  const status = html`<span class="${tone === "plain" ? "muted" : `${tone}-text`}">${text}</span>`;
  const account = `${mandate.bank === null ? "Account" : `${mandate.bank}, account`} ending in ${mandate.accountNumberLast4}`;
  const rows: (Fact | null)[] = [
    { term: "Status", value: status },
    { term: "Amount", value: `${formatMoney(amount, currency)} ${frequencyInWords(frequency)}` },
    { term: "Account", value: account },
    { term: "On your statement", value: accountReference },
    nextDebitDate === null ? null : { term: "Next debit", value: dayInWords(nextDebitDate) },
    lastDebitDate === null ? null : { term: "Last debit", value: dayInWords(lastDebitDate) },
  ];
  const bank = safeHref(mandate.bankUrl);
  return html`<section class="sheet stack"><h2 dir="auto">${description}</h2>${facts(rows)}
${mandate.maySign ? signForm(mandate, token) : ""}${
  bank ? html`<a class="button" href="${bank}">Sign at your bank<span class="unseen">: ${description}</span></a>` : ""
}</section>`;
}

const signForm = ({ id, description }: PortalMandateModel, token: string): Html =>
  html`<form method="post"><input type="hidden" name="mandate" value="${id}"><button type="submit" class="button" \
name="action" value="sign">Read and sign the agreement<span \
class="unseen">: ${description}</span></button>${formToken(token)}</form>`;
