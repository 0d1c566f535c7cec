import { assert } from "../../kernel/assert.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { PricedDocument } from "../document.ts";
import { type Html, html } from "../html.ts";
import { dayInWords, frequencyInWords, momentInWords } from "../wording.ts";
import { inputField, type PayerField, type Problem, payerFields, problemSummary } from "./fields.ts";
import { CARDS_ELSEWHERE, type GatewayOption, gatewayChoice } from "./gateway-choice.ts";
import { page } from "./layout.ts";
import { lineList, sums } from "./lines.ts";
import {
  type Brand,
  bigAmount,
  contact,
  type Fact,
  facts,
  formToken,
  messageBody,
  money,
  name,
  safeHref,
  sign,
} from "./parts.ts";
import { type SavedCardOption, savedCardChoice, type UnderWay, underWayNote } from "./saved-card-choice.ts";

/** The amount that a pay page collects, and its purpose. */
export interface Payable {
  /** The link's title: the page's heading. */
  readonly title: string;
  readonly description: string | null;
  /** Amount to pay now; for an invoice its balance. */
  readonly amount: Cents;
  readonly currency: string;
  /** The invoice that the page collects, and the path of its PDF. */
  readonly invoice: { readonly document: PricedDocument; readonly pdf: string } | null;
  /** Later collections of a recurring link (interface 2.3). */
  readonly recurring: { readonly frequency: Frequency; readonly amount: Cents } | null;
  readonly expiresAt: Instant | null;
}

export interface PayPageModel {
  readonly brand: Brand;
  readonly payable: Payable;
  /** At least one; with none the page is unavailable for `no_gateway`. */
  readonly gateways: readonly GatewayOption[];
  /** The gateway that was chosen before; null selects the first. */
  readonly chosenGateway: string | null;
  /** The customer's saved cards that can pay, the default first; often none. */
  readonly savedCards: readonly SavedCardOption[];
  /** The saved card that was chosen before; null selects the first. */
  readonly chosenCard: string | null;
  /** Where the customer signs in to pay with a saved card; null when that would offer none, or they are offered already. */
  readonly signInPath: string | null;
  readonly underWay: UnderWay | null;
  /** Fields to ask for, in the order shown; often none. */
  readonly fields: readonly PayerField[];
  /** Whether the merchant mails receipts; the email field says so. */
  readonly receipts: boolean;
  /**
   * When part of the amount may be paid: the payer's input and its error, and whether a deposit is due first. Null when only the whole
   * amount may be paid.
   */
  readonly part: { readonly value: string; readonly error: string | null; readonly deposit: boolean } | null;
  readonly formToken: string;
  /** Sentences about problems of the form as a whole, such as too many attempts. */
  readonly problems: readonly string[];
}

/** The pay page (interface 15.3). Its form posts `gateway`, the fields and `formToken` to the page's URL. */
export function payPage(model: PayPageModel): Html {
  const { brand, payable, fields } = model;
  assert(model.gateways.length > 0, "a pay page offers a gateway");
  const problems: Problem[] = [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...(model.part?.error ? [{ message: model.part.error, inputId: "amount" }] : []),
    ...fields.flatMap(({ error, name }) => (error === null ? [] : [{ message: error, inputId: name }])),
  ];
  const price = formatMoney(payable.amount, payable.currency);
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}Pay ${price} to ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1 dir="auto">${payable.title}</h1>${bigAmount(payable.amount, payable.currency)}
${
  payable.recurring
    ? html`<p>then ${money(payable.recurring.amount, payable.currency)} \
${frequencyInWords(payable.recurring.frequency)}, until cancelled</p>`
    : ""
}
${payable.description ? html`<p class="description" dir="auto">${payable.description}</p>` : ""}
${facts(payableFacts(payable))}
${payable.invoice ? invoiceDetails(payable.invoice) : ""}</div>
<form class="sheet stack" method="post">
${problemSummary(problems)}
${model.underWay ? underWayNote(model.underWay, payable.currency) : ""}
${model.part ? partField(model.part) : ""}
${payerFields(fields, model.receipts ? { email: "Your receipt goes here." } : {})}
${gatewayChoice(model.gateways, model.chosenGateway)}
${payable.recurring ? recurringTerms(brand, payable.recurring, payable.currency) : ""}
<button type="submit" class="button" data-busy="One moment…" data-part="Pay this part"\
 data-whole="Pay ${price}">${model.part?.value ? "Pay this part" : `Pay ${price}`}</button>
${savedCardChoice(model.savedCards, model.chosenCard, { checksForm: false })}
${model.signInPath ? html`<p class="small"><a href="${model.signInPath}">Sign in to pay with a saved card</a></p>` : ""}
${model.gateways.every(({ byHand }) => byHand) ? "" : CARDS_ELSEWHERE}
${formToken(model.formToken)}</form></main>`,
  });
}

/** The terms that the payer of a recurring link agrees to, before the button (interface 4.2). */
const recurringTerms = (
  brand: Brand,
  { amount, frequency }: NonNullable<Payable["recurring"]>,
  currency: string,
): Html =>
  html`<p class="small">By paying you let ${name(brand.name)} take ${money(amount, currency)} from your card \
${frequencyInWords(frequency)} from now on, until you cancel. To cancel, contact ${contact(brand)}.</p>`;

function payableFacts({ invoice, expiresAt }: Payable): (Fact | null)[] {
  return [
    invoice?.document.lastDay ? { term: "Due", value: dayInWords(invoice.document.lastDay) } : null,
    expiresAt && { term: "Open until", value: momentInWords(expiresAt) },
  ];
}

/** A list with more lines is collapsed, so that a phone shows the form. */
const LINES_UNFOLDED = 4;

/** Lines and sums of the invoice, and the link to its PDF. */
function invoiceDetails({ document, pdf }: NonNullable<Payable["invoice"]>): Html {
  const { lines, currency, paid, due, notes } = document;
  const open = lines.length <= LINES_UNFOLDED && html` open`;
  const left =
    paid === 0
      ? null
      : facts([
          { term: "Paid so far", value: money(paid, currency) },
          { term: "Still open", value: money(due, currency) },
        ]);
  return html`<details class="invoice"${open}><summary>What it is for</summary>
${lineList(null, document)}${sums(document, left)}
${notes ? html`<p class="small lines" dir="auto">${notes}</p>` : ""}</details>
<p><a href="${pdf}">Download the invoice (PDF)</a></p>`;
}

/** The field for a part of the amount; collapsed unless a deposit is due, since few payers need it. */
const partField = ({ value, error, deposit }: NonNullable<PayPageModel["part"]>): Html =>
  html`<details class="part"${value === "" ? null : html` open`}><summary>${deposit ? "Pay the deposit" : "Pay a part of it"}</summary>
${inputField({
  name: "amount",
  label: "Amount to pay now",
  type: "text",
  autocomplete: "transaction-amount",
  value,
  required: false,
  error,
  hint: "Leave it empty to pay everything.",
  inputMode: "decimal",
})}</details>`;

/** Why a link cannot be paid (interface 3.2), with the facts that the page shows. */
export type Unavailable =
  | {
      readonly reason:
        | "deactivated"
        | "already_paid"
        | "being_collected"
        | "attempt_soon"
        | "being_confirmed"
        | "account_read_only"
        | "monthly_limit_reached"
        | "no_gateway";
    }
  | { readonly reason: "expired"; readonly expiredAt: Instant }
  | { readonly reason: "invoice_paid" | "invoice_cancelled"; readonly invoiceNumber: string }
  /** The invoice was sent again with another link, whose page is `url`. */
  | { readonly reason: "replaced"; readonly invoiceNumber: string; readonly url: string };

export interface UnavailablePageModel {
  readonly brand: Brand;
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly unavailable: Unavailable;
  /** Path of the PDF of the link's invoice; null without one. */
  readonly pdf: string | null;
}

/** The pay page of a link that cannot be paid; answered with 200 and without a form (interface 15.4). */
export function unavailablePage(model: UnavailablePageModel): Html {
  const { brand, unavailable } = model;
  const { heading, sentence, advice, paid } = unavailableWords(unavailable, brand);
  const old = facts([
    { term: "For", value: name(model.title) },
    { term: "Amount", value: money(model.amount, model.currency) },
  ]);
  return page({
    title: `${heading} – ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      sign: paid ? sign("tick", "good") : sign("pause", "plain"),
      heading,
      head: [html`<p class="muted">${sentence}</p>`],
      below: html`${unavailable.reason === "replaced" ? newerLink(unavailable.url) : old}${
        model.pdf ? html`<p class="center"><a href="${model.pdf}">Download the invoice (PDF)</a></p>` : ""
      }<p class="muted small center">${advice} ${contact(brand)}.</p>`,
    }),
  });
}

/** The button to the page of a link that has replaced another. */
export const newerLink = (url: string): Html => html`<p><a class="button" href="${url}">Go to the invoice</a></p>`;

export interface UnavailableWords {
  readonly heading: string;
  readonly sentence: Html;
  /** Text before the merchant's contact. */
  readonly advice: string;
  readonly paid: boolean;
}

/** What pages say of a link that cannot be paid. */
export function unavailableWords(why: Unavailable, brand: Brand): UnavailableWords {
  const merchant = name(brand.name);
  const paid = (sentence: Html): UnavailableWords => ({
    heading: "Already paid",
    sentence,
    advice: "Not what you expected? Contact",
    paid: true,
  });
  const unpaid = (heading: string, sentence: Html, advice = "To pay, contact"): UnavailableWords => ({
    heading,
    sentence,
    advice,
    paid: false,
  });
  switch (why.reason) {
    case "deactivated":
      return unpaid("This payment link is switched off", html`${merchant} no longer takes payments through it.`);
    case "already_paid":
      return paid(html`This link could be paid once, and that payment was received. There is nothing more to pay.`);
    case "being_collected":
      return unpaid(
        "This payment is being collected",
        html`${merchant} is collecting it from your card or bank account, which can take a few days. There is nothing to pay now.`,
        "Questions? Contact",
      );
    case "attempt_soon":
      return unpaid(
        "This payment is about to be collected",
        html`${merchant} charges your card again within the hour. If that fails, you can pay here.`,
        "Questions? Contact",
      );
    case "being_confirmed":
      return unpaid(
        "This payment is being confirmed",
        html`A payment was made, and ${merchant} waits until it is confirmed, which can take a few business days. \
There is nothing to pay now.`,
        "Questions? Contact",
      );
    case "expired":
      return unpaid("This payment link has expired", html`It could be paid until ${momentInWords(why.expiredAt)}.`);
    case "invoice_paid":
      return paid(html`Invoice ${name(why.invoiceNumber)} has been paid in full. There is nothing more to pay.`);
    case "invoice_cancelled":
      return unpaid(
        "This invoice was cancelled",
        html`${merchant} has cancelled invoice ${name(why.invoiceNumber)}. There is nothing to pay.`,
        "Questions? Contact",
      );
    case "replaced":
      return unpaid(
        "This link has been replaced",
        html`${merchant} has sent invoice ${name(why.invoiceNumber)} again, with what is open by now.`,
        "Questions? Contact",
      );
    case "account_read_only":
      return unpaid("Payments are paused", html`${merchant} cannot take payments here at the moment.`);
    case "monthly_limit_reached":
      return unpaid("Payments are paused", html`${merchant} has reached its number of online payments for this month.`);
    case "no_gateway":
      return unpaid("No way to pay yet", html`${merchant} has not set up a way to pay this link.`);
  }
}

export interface HandOffPageModel {
  readonly brand: Brand;
  readonly amount: Cents;
  readonly currency: string;
  readonly gatewayName: string;
  /** URL of the gateway, http(s). */
  readonly action: string;
  /** Sent unchanged and in this order, since signatures depend on it. */
  readonly inputs: readonly (readonly [name: string, value: string])[];
}

/** The page for gateways that need a form post: a button, which the script presses. */
export function handOffPage(model: HandOffPageModel): Html {
  const action = safeHref(model.action);
  assert(action, "a gateway's form goes to an http(s) address");
  const inputs = model.inputs.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`);
  return page({
    title: `Continue to ${model.gatewayName}`,
    brand: model.brand,
    width: "narrow",
    main: messageBody({
      sign: sign("lock", "plain"),
      heading: "One more step",
      head: [
        html`<p>You pay ${money(model.amount, model.currency)} on the secure page of ${name(model.gatewayName)}.</p>`,
      ],
      below: html`<form class="stack" method="post" action="${action}" data-auto><button type="submit" class="button" \
data-busy="One moment…">Continue to ${model.gatewayName}</button>${inputs}</form>`,
    }),
  });
}
