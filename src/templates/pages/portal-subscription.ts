import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { dayInWords, frequencyInWords } from "../wording.ts";
import { inputField, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, contact, type Fact, facts, formToken, money, ownPath } from "./parts.ts";

/** A bill that is to come, with why each line is what it is. */
export interface PortalBill {
  readonly day: BusinessDay;
  readonly lines: readonly { readonly description: string; readonly details: string | null; readonly amount: Cents }[];
  readonly tax: Cents;
  readonly total: Cents;
  /** Whether the lines' amounts have VAT in them. */
  readonly taxInclusive: boolean;
}

/** A plan that can be chosen. */
export interface PortalPlan {
  readonly id: string;
  readonly name: string;
  /** Of a period, in the price's own terms. */
  readonly amount: Cents;
  readonly frequency: Frequency;
  readonly taxInclusive: boolean;
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
  /** Of a period, with VAT. */
  readonly price: Cents;
  readonly frequency: Frequency;
  readonly quantity: number;
  readonly items: readonly string[];
  /** How it is paid, in words. */
  readonly paidBy: string;
  readonly next: PortalBill | null;
  /** The last day that is paid for, if one is to come. */
  readonly lastPaidDay: BusinessDay | null;
  /** What the customer may do now. */
  readonly may: Readonly<Record<"change" | "pause" | "resume" | "cancel" | "undo", boolean>>;
  readonly plans: readonly PortalPlan[];
  readonly reason: string;
  readonly reasonError: string | null;
}

/** A subscription of the customer. Its forms post `action` (`pause`, `resume`, `cancel`, `undo`, `preview`), `reason` and `plan` to the page's URL. */
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
<section class="sheet">${facts(factsOf(model))}${may.resume ? oneButton(model, "resume", "Resume the subscription", may.undo ? "button quiet" : "button") : ""}${may.undo ? oneButton(model, "undo", "Keep the subscription", "button") : ""}</section>
${model.next ? billSection(model.next, model.currency, "Next bill") : ""}
${may.change ? plansSection(model) : ""}${may.pause ? pauseSection(model) : ""}${may.cancel ? cancelSection(model) : ""}
${!Object.values(may).some(Boolean) ? html`<p class="muted small">To change it, contact ${contact(brand)}.</p>` : ""}</main>`,
  });
}

const factsOf = ({
  standing,
  price,
  currency,
  frequency,
  quantity,
  items,
  paidBy,
  lastPaidDay,
}: PortalSubscriptionModel) => [
  { term: "Status", value: standing },
  { term: "Price", value: html`${money(price, currency)} ${frequencyInWords(frequency)}, VAT included` },
  quantity === 1 ? null : { term: "Quantity", value: String(quantity) },
  ...items.map((item): Fact => ({ term: "With", value: item })),
  { term: "Paid", value: paidBy },
  lastPaidDay === null ? null : { term: "Paid for until", value: dayInWords(lastPaidDay) },
];

const oneButton = ({ formToken: token }: SubscriptionPage, action: string, label: string, look: string): Html =>
  html`<form method="post"><button type="submit" class="${look}" name="action" value="${action}">${label}</button>${formToken(token)}</form>`;

function billSection(bill: PortalBill, currency: string, heading: string): Html {
  const rows = bill.lines.map(
    ({
      description,
      details,
      amount,
    }) => html`<li><span class="name" dir="auto">${description}</span>${money(amount, currency)}
${details === null ? "" : html`<span class="small bits"><span dir="auto">${details}</span></span>`}</li>`,
  );
  const vat = bill.taxInclusive ? "VAT in it" : "VAT";
  return html`<section class="sheet"><div class="bar"><h2>${heading}</h2><p class="muted">${dayInWords(bill.day)}</p></div>
<ul class="rows">${rows}</ul>
${facts([
  { term: vat, value: money(bill.tax, currency) },
  { term: "Total", value: money(bill.total, currency) },
])}</section>`;
}

const planLabel = ({ amount, frequency, taxInclusive }: PortalPlan, currency: string): string =>
  `${formatMoney(amount, currency)} ${frequencyInWords(frequency)}, ${taxInclusive ? "VAT included" : "plus VAT"}`;

function plansSection(model: PortalSubscriptionModel): Html {
  const options = model.plans.map(
    (plan) =>
      html`<label class="option"><input type="radio" name="plan" value="${plan.id}" required><span><b dir="auto">${plan.name}</b><span class="muted small">${planLabel(plan, model.currency)}</span></span></label>`,
  );
  return html`<section class="sheet"><h2>Another plan</h2><form method="post" class="stack">
<fieldset><legend class="unseen">Plan</legend><div class="options">${options}</div></fieldset>
<p class="muted small">You see what it costs before anything changes.</p>
<button type="submit" class="button quiet" name="action" value="preview">See what it costs</button>${formToken(model.formToken)}</form></section>`;
}

const pauseSection = (model: PortalSubscriptionModel): Html =>
  html`<section class="sheet"><h2>Pause</h2><p class="muted small">Nothing is billed until you resume. What you have paid for stays yours.</p>
${oneButton(model, "pause", "Pause the subscription", "button quiet")}</section>`;

function cancelSection(model: PortalSubscriptionModel): Html {
  const when =
    model.lastPaidDay === null
      ? "It ends at once."
      : `It ends after ${dayInWords(model.lastPaidDay)}. Until then you can change your mind.`;
  return html`<section class="sheet"><h2>Cancel</h2><p class="muted small">${when} You are not billed for it again.</p>
<form method="post" class="stack">${inputField({ name: "reason", label: "Why do you cancel?", type: "area", autocomplete: "off", value: model.reason, required: false, error: model.reasonError, hint: null })}
<button type="submit" class="button quiet" name="action" value="cancel">Cancel the subscription</button>${formToken(model.formToken)}</form></section>`;
}

export interface PortalChangeModel extends SubscriptionPage {
  readonly newPlanName: string;
  /** Why what applies is not what a change usually does; null otherwise. */
  readonly note: string | null;
  /** What is to pay for the change at once; null when nothing is. */
  readonly now: PortalBill | null;
  /** What is credited to the next bill, in the price's own terms. */
  readonly credit: Cents;
  readonly next: PortalBill | null;
  readonly plan: string;
  /** Identifies what was shown, so that nothing else is bought. */
  readonly seal: string;
  readonly backPath: string;
}

/** What a change of plan costs. Its form posts `action` `change`, `plan` and `seal` to the subscription's page. */
export function portalChangePage(model: PortalChangeModel): Html {
  const { brand, planName, newPlanName, currency, now, credit, next, note } = model;
  const today = now
    ? html`<p>${money(now.total, currency)} is to pay now.</p>`
    : html`<p>There is nothing to pay now.</p>`;
  return page({
    title: `Change to ${newPlanName} – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1 dir="auto">Change to ${newPlanName}</h1><a href="${ownPath(model.backPath) ?? ""}">Back</a></div>
${problemSummary(
  model.problems.map((message) => ({ message, inputId: null })),
  "Nothing was changed",
)}
<section class="sheet"><p dir="auto">From ${planName} to ${newPlanName}, today.</p>${today}${credit > 0 ? html`<p>${money(credit, currency)} is credited to your next bill.</p>` : ""}${note === null ? "" : html`<p class="muted small">${note}</p>`}
<form method="post" action="${ownPath(model.backPath) ?? ""}"><input type="hidden" name="plan" value="${model.plan}"><input type="hidden" name="seal" value="${model.seal}"><button type="submit" class="button" name="action" value="change">Change the plan</button>${formToken(model.formToken)}</form></section>
${now ? billSection(now, currency, "For the change") : ""}${next ? billSection(next, currency, "Next bill") : ""}</main>`,
  });
}
