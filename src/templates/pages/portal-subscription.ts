import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { PricedDocument } from "../document.ts";
import { type Html, html } from "../html.ts";
import { areFree, type ChargesInWords, chargesInWords, dayInWords, frequencyInWords } from "../wording.ts";
import { inputField, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { lineList } from "./lines.ts";
import { type Brand, contact, type Fact, facts, formToken, money, ownPath } from "./parts.ts";

/** A future bill, with the reason of each line's amount. */
export interface PortalBill {
  readonly day: CalendarDay;
  readonly lines: PricedDocument["lines"];
  readonly tax: Cents;
  readonly total: Cents;
  /** Whether the lines' amounts have VAT in them. */
  readonly taxInclusive: boolean;
}

/** A plan that can be chosen. */
export interface PortalPlan {
  readonly id: string;
  readonly name: string;
  /** The price of a period, with VAT when the price includes it, else without. */
  readonly amount: Cents;
  readonly frequency: Frequency;
  readonly taxExempt?: boolean;
  readonly taxInclusive: boolean;
}

/** An add-on that the subscription has, or can have. */
export interface PortalAddOn {
  /** The value that its form sends. */
  readonly id: string;
  readonly name: string;
  /** The price of one for a period, such as `R 50.00 every month, plus VAT`; `Free` without one. */
  readonly price: string;
  /** The quantity in the subscription; null when it has none. */
  readonly quantity: string | null;
}

/** A saved card that the subscription can be charged to. */
export interface PortalPayingCard {
  readonly id: string;
  /** Such as `Visa ending in 4242`. */
  readonly label: string;
  /** Whether it is the one that is charged now. */
  readonly isCharged: boolean;
}

interface SubscriptionPage {
  readonly brand: Brand;
  readonly planName: string;
  readonly currency: string;
  readonly homePath: string;
  readonly formToken: string;
  /** Sentences about the last submission. */
  readonly problems: readonly string[];
}

export interface PortalSubscriptionModel extends SubscriptionPage {
  readonly standing: string;
  /** What is charged from now on, as the planner promises; empty when nothing is. */
  readonly charges: readonly ChargesInWords[];
  readonly quantity: number;
  readonly items: readonly string[];
  /** How it is paid, in words. */
  readonly paidBy: string;
  readonly next: PortalBill | null;
  /** A change that takes effect at the renewal, such as `Silver from 1 March 2027`; null without one. */
  readonly pending: string | null;
  /** The last paid day, when it is in the future. */
  readonly lastPaidDay: CalendarDay | null;
  /** The actions that the customer has now. */
  readonly may: Readonly<Record<"change" | "addOns" | "pause" | "resume" | "cancel" | "undo" | "card", boolean>>;
  readonly plans: readonly PortalPlan[];
  readonly addOns: readonly PortalAddOn[];
  /** The default first. */
  readonly cards: readonly PortalPayingCard[];
  /** The page of saved cards, when the subscription is paid by card. */
  readonly cardsPath: string | null;
  /** The page of debit orders, when one pays the subscription. */
  readonly debitOrdersPath: string | null;
  readonly reason: string;
  readonly reasonError: string | null;
}

/**
 * A subscription of the customer. Its forms post `action` (`pause`, `resume`, `cancel`, `undo`, `preview`,
 * `preview_add_on`, `card`) and `reason`, `plan`, `addOn` with `quantity`, or `card` to the page's URL.
 */
export function portalSubscriptionPage(model: PortalSubscriptionModel): Html {
  const { brand, planName, may } = model;
  return page({
    title: `${planName} – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1 dir="auto">${planName}</h1><a href="${ownPath(model.homePath) ?? ""}">Your account</a></div>
${problemSummary(
  [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...(model.reasonError === null ? [] : [{ message: model.reasonError, inputId: "reason" }]),
  ],
  "Nothing was changed",
)}
<section class="sheet stack">${facts(factsOf(model))}${
      may.resume ? oneButton(model, "resume", "Resume the subscription", may.undo ? "button quiet" : "button") : ""
    }${may.undo ? oneButton(model, "undo", "Keep the subscription", "button") : ""}</section>
${model.next ? billSection(model.next, model.currency, "Next bill") : ""}
${may.change ? plansSection(model) : ""}${
  may.addOns ? addOnsSection(model) : ""
}${paymentSection(model)}${may.pause ? pauseSection(model) : ""}${may.cancel ? cancelSection(model) : ""}
${!Object.values(may).some(Boolean) ? html`<p class="muted small">To change it, contact ${contact(brand)}.</p>` : ""}</main>`,
  });
}

const factsOf = ({
  standing,
  charges,
  currency,
  quantity,
  items,
  paidBy,
  pending,
  lastPaidDay,
}: PortalSubscriptionModel) => [
  { term: "Status", value: standing },
  charges.length === 0
    ? null
    : {
        term: "Price",
        value: areFree(charges) ? "Free" : `${chargesInWords(charges, currency)}, VAT included`,
      },
  quantity === 1 ? null : { term: "Quantity", value: String(quantity) },
  ...items.map((item): Fact => ({ term: "With", value: item })),
  pending === null ? null : { term: "Changes to", value: pending },
  { term: "Paid", value: paidBy },
  lastPaidDay === null ? null : { term: "Paid for until", value: dayInWords(lastPaidDay) },
];

const oneButton = ({ formToken: token }: SubscriptionPage, action: string, label: string, look: string): Html =>
  html`<form method="post"><button type="submit" class="${look}" name="action" \
value="${action}">${label}</button>${formToken(token)}</form>`;

function billSection(bill: PortalBill, currency: string, heading: string): Html {
  const vat = bill.taxInclusive ? "VAT in it" : "VAT";
  return html`<section class="sheet stack"><div class="bar"><h2>${heading}</h2><p class="muted">${dayInWords(bill.day)}</p></div>
${lineList(null, { lines: bill.lines, currency })}
${facts([
  { term: vat, value: money(bill.tax, currency) },
  { term: "Total", value: money(bill.total, currency) },
])}</section>`;
}

/** The price of one for a period, such as `R 50.00 every month, plus VAT`. */
export const priceInWords = (
  { amount, frequency, taxExempt, taxInclusive }: Omit<PortalPlan, "id" | "name">,
  currency: string,
): string => {
  if (amount === 0) return "Free";
  const vat = taxExempt ? "exempt from VAT" : taxInclusive ? "VAT included" : "plus VAT";
  return `${formatMoney(amount, currency)} ${frequencyInWords(frequency)}, ${vat}`;
};

function plansSection(model: PortalSubscriptionModel): Html {
  const options = model.plans.map(
    (plan) =>
      html`<label class="option"><input type="radio" name="plan" value="${plan.id}" required><span><b \
dir="auto">${plan.name}</b><span class="muted small">${priceInWords(plan, model.currency)}</span></span></label>`,
  );
  return html`<section class="sheet stack"><h2>Another plan</h2><form method="post" class="stack">
<fieldset><legend class="unseen">Plan</legend><div class="options">${options}</div></fieldset>
<p class="muted small">You see what it costs before anything changes.</p>
<button type="submit" class="button quiet" name="action" \
value="preview">See what it costs</button>${formToken(model.formToken)}</form></section>`;
}

function addOnsSection(model: PortalSubscriptionModel): Html {
  const rows = model.addOns.map(
    (addOn, place) => html`<li><span class="name whole" dir="auto">${addOn.name}</span>
<span class="small bits whole"><span>${addOn.price}</span>${
      addOn.quantity === null ? "" : html`<span>You have ${addOn.quantity}</span>`
    }</span>
${addOnForm(addOn, place, model)}${addOn.quantity === null ? "" : removeForm(addOn, model)}</li>`,
  );
  return html`<section class="sheet stack"><h2>Add-ons</h2><ul class="rows">${rows}</ul>
<p class="muted small">You see what it costs before anything changes.</p></section>`;
}

function addOnForm(
  { id, name: of, quantity }: PortalAddOn,
  place: number,
  { formToken: token }: SubscriptionPage,
): Html {
  const input = `quantity${place}`;
  const words = quantity === null ? "See what it costs" : "Change";
  return html`<form method="post" class="ask whole"><input type="hidden" name="addOn" value="${id}"><label \
for="${input}">How many<span class="unseen"> of ${of}</span></label>
<input type="text" id="${input}" name="quantity" value="${quantity ?? "1"}" inputmode="numeric" maxlength="4" autocomplete="off" required>
<button type="submit" class="button short quiet" name="action" value="preview_add_on">${words}<span class="unseen"> ${
    quantity === null ? "to add" : ""
  } ${of}</span></button>${formToken(token)}</form>`;
}

const removeForm = ({ id, name: of }: PortalAddOn, { formToken: token }: SubscriptionPage): Html =>
  html`<form method="post" class="whole"><input type="hidden" name="addOn" value="${id}"><input type="hidden" \
name="quantity" value="0"><button type="submit" class="plain-button" name="action" value="preview_add_on">Remove<span \
class="unseen"> ${of}</span></button>${formToken(token)}</form>`;

/** The card that pays, and how to change it; or the link to the debit order. */
function paymentSection(model: PortalSubscriptionModel): Html | null {
  const { cards, cardsPath, debitOrdersPath, may } = model;
  if (debitOrdersPath !== null)
    return html`<section class="sheet stack"><h2>Debit order</h2><p>${model.paidBy}.</p>
<p><a href="${ownPath(debitOrdersPath) ?? ""}">Your debit orders</a></p></section>`;
  if (cardsPath === null) return null;
  const isChosen = cards.some(({ isCharged }) => isCharged);
  const none = html`<p class="bad-text">There is no card that can be charged. Add one, so that your subscription goes on.</p>`;
  const choice = may.card && (cards.length > 1 || !isChosen) ? cardsForm(model) : "";
  const only = choice === "" && isChosen ? html`<p>${model.paidBy}.</p>` : "";
  return html`<section class="sheet stack"><h2>Card</h2>${cards.length === 0 ? none : ""}${only}${choice}
<p><a href="${ownPath(cardsPath) ?? ""}">Add or remove a card</a></p></section>`;
}

const cardsForm = ({ cards, formToken: token }: PortalSubscriptionModel): Html =>
  html`<form method="post" class="stack"><fieldset><legend class="unseen">Card</legend><div class="options">${cards.map(
    ({ id, label, isCharged }) =>
      html`<label class="option"><input type="radio" name="card" value="${id}"${isCharged && html` checked`} \
required><span><b>${label}</b>${
        isCharged ? html`<span class="muted small">Pays this subscription</span>` : ""
      }</span></label>`,
  )}</div></fieldset>
<button type="submit" class="button quiet" name="action" value="card">Pay with the chosen card</button>${formToken(token)}</form>`;

const pauseSection = (model: PortalSubscriptionModel): Html =>
  html`<section class="sheet stack"><div><h2>Pause</h2>
<p class="muted small">Nothing is billed until you resume. What you have paid for stays yours.</p></div>
${oneButton(model, "pause", "Pause the subscription", "button quiet")}</section>`;

function cancelSection(model: PortalSubscriptionModel): Html {
  const when =
    model.lastPaidDay === null
      ? "It ends at once."
      : `It ends after ${dayInWords(model.lastPaidDay)}. Until then you can change your mind.`;
  return html`<section class="sheet stack"><div><h2>Cancel</h2><p class="muted small">${when} You are not billed for it again.</p></div>
<form method="post" class="stack">${inputField({
    name: "reason",
    label: "Why do you cancel?",
    type: "area",
    autocomplete: "off",
    value: model.reason,
    required: false,
    error: model.reasonError,
    hint: null,
  })}
<button type="submit" class="button quiet" name="action" \
value="cancel">Cancel the subscription</button>${formToken(model.formToken)}</form></section>`;
}

export interface PortalChangeModel extends SubscriptionPage {
  /** Such as `Change to Silver`; the page's heading. */
  readonly heading: string;
  /** The change, and the day from which it applies. */
  readonly sentence: string;
  /** The text of the button. */
  readonly button: string;
  /** Why the change differs from the usual case; null when it does not. */
  readonly note: string | null;
  /** The amount due for the change at once; null when there is none. */
  readonly now: PortalBill | null;
  /** How that amount is paid, as text after it, such as `is to pay now`. */
  readonly paidNow: string;
  /** The amount that is credited to the next bill, with VAT when the price includes it, else without. */
  readonly credit: Cents;
  readonly next: PortalBill | null;
  /** The requested change, which the form sends again. */
  readonly fields: Readonly<Record<string, string>>;
  /** Identifies the shown change, so that no other one is made. */
  readonly seal: string;
  readonly backPath: string;
}

/** The cost of a change. Its form posts `action` `change` with `fields` and `seal` to the subscription's page. */
export function portalChangePage(model: PortalChangeModel): Html {
  const { brand, currency, now, credit, next, note } = model;
  const today = now
    ? html`<p>${money(now.total, currency)} ${model.paidNow}.</p>`
    : html`<p>There is nothing to pay now.</p>`;
  const hidden = Object.entries({ ...model.fields, seal: model.seal }).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  );
  return page({
    title: `${model.heading} – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1 dir="auto">${model.heading}</h1><a href="${ownPath(model.backPath) ?? ""}">Back</a></div>
${problemSummary(
  model.problems.map((message) => ({ message, inputId: null })),
  "Nothing was changed",
)}
<section class="sheet stack"><div><p dir="auto">${model.sentence}</p>${today}${
      credit > 0 ? html`<p>${money(credit, currency)} is credited to your next bill.</p>` : ""
    }${note === null ? "" : html`<p class="muted small">${note}</p>`}</div>
<form method="post" action="${ownPath(model.backPath) ?? ""}">${hidden}<button type="submit" class="button" \
name="action" value="change">${model.button}</button>${formToken(model.formToken)}</form></section>
${now ? billSection(now, currency, "For the change") : ""}${next ? billSection(next, currency, "Next bill") : ""}</main>`,
  });
}
