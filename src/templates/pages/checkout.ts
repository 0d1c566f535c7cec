import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { areFree, type ChargesInWords, chargesInWords, dayInWords } from "../wording.ts";
import { inputField, type PayerField, type Problem, payerFields, problemSummary } from "./fields.ts";
import { CARDS_ELSEWHERE, type GatewayOption, gatewayChoice } from "./gateway-choice.ts";
import { page } from "./layout.ts";
import { type Brand, bigAmount, contact, facts, formToken, icon, money, name, safeHref } from "./parts.ts";
import { type SavedCardOption, savedCardChoice, type UnderWay, underWayNote } from "./saved-card-choice.ts";

/** A plan or product that a payer can buy on the page. */
export interface OfferModel {
  /** Value of the radio `plan`. */
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly lines: readonly { readonly description: string; readonly details: string | null; readonly amount: Cents }[];
  /** The amount that the coupon subtracts; the lines are already reduced. */
  readonly discount: Cents;
  /** Percent, as decimal text. */
  readonly taxRate: string;
  readonly taxInclusive: boolean;
  readonly tax: Cents;
  /** The amount that is charged now; zero: nothing. */
  readonly total: Cents;
  /** The last day of the trial; null without one. */
  readonly trialEnd: CalendarDay | null;
  /** Later charges; null: none. */
  readonly later: { readonly charges: readonly ChargesInWords[] } | null;
}

/** A plan that is not bought on the page. */
export interface ElsewhereModel {
  readonly name: string;
  /** http(s) or mailto; null: the merchant's contact is named. */
  readonly url: string | null;
}

/** The merchant's design of the page (interface 4.12). */
export interface CheckoutLook {
  readonly template: "classic" | "split" | "minimal";
  readonly headline: string | null;
  readonly subheadline: string | null;
  readonly footer: string | null;
  readonly payButtonText: string | null;
  readonly trustBadges: readonly string[];
}

export interface CheckoutPageModel {
  readonly brand: Brand;
  readonly look: CheckoutLook;
  readonly title: string;
  readonly description: string | null;
  /** At least one. */
  readonly offers: readonly OfferModel[];
  readonly chosenOffer: string | null;
  /** Whether the payer chooses among plans: a package has radios, a product has none. */
  readonly hasPlans: boolean;
  readonly elsewhere: readonly ElsewhereModel[];
  readonly fields: readonly PayerField[];
  /** The coupon box; null: there is none. `applied` is the code that lowers the price. */
  readonly coupon: { readonly value: string; readonly applied: string | null; readonly error: string | null } | null;
  /** None are shown when nothing is to be paid. */
  readonly gateways: readonly GatewayOption[];
  readonly chosenGateway: string | null;
  /** The box to tick; null without terms. */
  readonly terms: { readonly url: string; readonly ticked: boolean; readonly error: string | null } | null;
  /** The signed-in customer's saved cards that can pay, the default first; often none. */
  readonly savedCards: readonly SavedCardOption[];
  /** The saved card that was chosen before; null selects the first. */
  readonly chosenCard: string | null;
  readonly underWay: (UnderWay & { readonly currency: string }) | null;
  /** The page on which customers see their purchases, and whether they can end them there. */
  readonly portal: PortalOfCustomer;
  /** The token of the session that the form makes or belongs to. */
  readonly session: string;
  readonly formToken: string;
  readonly problems: readonly string[];
}

/** The customer's own page. */
export interface PortalOfCustomer {
  readonly url: string;
  /** Whether purchases can be ended there. */
  readonly ends: boolean;
}

/** The checkout page of a package or product (interface 4.12). Its form posts `plan`, the fields, `couponCode`, `gateway`, `terms`. */
export function checkoutPage(model: CheckoutPageModel): Html {
  const { brand, look, fields, offers } = model;
  const problems: Problem[] = [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...fields.flatMap(({ error, name: field }) => (error === null ? [] : [{ message: error, inputId: field }])),
    ...(model.coupon?.error ? [{ message: model.coupon.error, inputId: "couponCode" }] : []),
    ...(model.terms?.error ? [{ message: model.terms.error, inputId: "terms" }] : []),
  ];
  const [only] = offers;
  const single = !model.hasPlans || offers.length === 1 ? (only ?? null) : null;
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}${look.headline ?? model.title} – ${brand.name}`,
    brand,
    width: look.template === "minimal" ? "narrow" : "wide",
    main: html`<main class="frame pay checkout ${look.template}${look.template === "minimal" ? " narrow" : ""}">
${intro(model, single)}
<form class="sheet stack" method="post">
${problemSummary(problems)}
${model.underWay && underWayNote(model.underWay, model.underWay.currency)}
${model.hasPlans ? planChoice(model) : null}
${payerFields(fields)}
${model.gateways.length > 0 ? gatewayChoice(model.gateways, model.chosenGateway) : null}
${single ? particulars(single, model) : null}
${model.terms && termsBox(model.terms)}
<button type="submit" class="button" data-busy="One moment…">${look.payButtonText ?? buttonText(single)}</button>
${savedCardChoice(model.savedCards, model.chosenCard, { checksForm: true })}
${model.gateways.length > 0 ? CARDS_ELSEWHERE : null}
${model.coupon && couponBox(model.coupon)}
<input type="hidden" name="session" value="${model.session}">${formToken(model.formToken)}</form></main>`,
  });
}

/** The name of the package or product, and the merchant's text about it. */
function intro({ look, title, description, elsewhere, brand }: CheckoutPageModel, single: OfferModel | null): Html {
  const amount =
    single && (single.total > 0 ? bigAmount(single.total, single.currency) : html`<p class="amount">Free</p>`);
  return html`<div class="what"><h1 dir="auto">${look.headline ?? title}</h1>
${look.subheadline ? html`<p dir="auto">${look.subheadline}</p>` : null}
${look.headline ? html`<p dir="auto"><b>${title}</b></p>` : null}
${amount}${single && laterInWords(single)}
${description && look.template !== "minimal" ? html`<p class="description" dir="auto">${description}</p>` : null}
${single && breakdown(single)}
${elsewhere.map((plan) => elsewherePlan(plan, brand))}
${
  look.trustBadges.length > 0
    ? html`<ul class="badges">${look.trustBadges.map((badge) => html`<li>${icon("tick")}<span dir="auto">${badge}</span></li>`)}</ul>`
    : null
}
${look.footer ? html`<p class="small lines" dir="auto">${look.footer}</p>` : null}</div>`;
}

const elsewherePlan = ({ name: plan, url }: ElsewhereModel, brand: Brand): Html => {
  const target = url?.startsWith("mailto:") ? url : safeHref(url);
  return html`<p>${name(plan)}: ${
    target
      ? html`<a href="${target}">${url?.startsWith("mailto:") ? "get in touch" : "read more"}</a>`
      : html`contact ${contact(brand)}`
  }</p>`;
};

/** The radios of the plans. The price of the chosen plan is shown in detail below it. */
function planChoice(model: CheckoutPageModel): Html {
  const { offers, chosenOffer } = model;
  if (offers.length === 1) return html`<input type="hidden" name="plan" value="${offers[0]?.id ?? ""}">`;
  const options = offers.map((offer) => {
    const id = `about-${offer.id}`;
    return html`<div class="plan"><label class="option"><input type="radio" name="plan" value="${offer.id}" required \
aria-describedby="${id}"${
      offer.id === chosenOffer && html` checked`
    }><span><b dir="auto">${offer.name}</b><span class="muted small">${inShort(offer)}</span></span></label>
<div class="detail" id="${id}">${breakdown(offer)}${particulars(offer, model)}</div></div>`;
  });
  return html`<fieldset><legend>Choose a plan</legend><div class="options">${options}</div></fieldset>`;
}

/** `R 99.00 today, then R 89.00 every month from 1 March 2027`. */
function inShort({ total, currency, trialEnd, later }: OfferModel): string {
  const isFree = later !== null && areFree(later.charges);
  if (total === 0 && isFree) return "free";
  const first =
    total > 0
      ? `${formatMoney(total, currency)} today`
      : trialEnd
        ? `free until ${dayInWords(trialEnd)}`
        : "free today";
  if (!later) return first;
  return `${first}, then ${isFree ? "free" : chargesInWords(later.charges, currency)}`;
}

function laterInWords({ later, currency, trialEnd, total }: OfferModel): Html | null {
  if (!later) return null;
  if (areFree(later.charges)) return total > 0 ? html`<p>then free</p>` : null;
  const free = trialEnd && html`until ${dayInWords(trialEnd)}, `;
  return html`<p>${free}then ${chargesInWords(later.charges, currency)}${isEndless(later.charges) ? ", until cancelled" : ""}</p>`;
}

const isEndless = (charges: readonly ChargesInWords[]): boolean => charges.at(-1)?.times === null;

/** The number of charges of an amount, with today's. */
function countOf({ later, total }: OfferModel): string {
  const charged = (later?.charges ?? []).filter((run) => run.total > 0);
  const count = charged.reduce((all, { times }) => all + (times ?? 0), total > 0 ? 1 : 0);
  return count === 1 ? "1 charge" : `${count} charges`;
}

/** The parts of the first charge; null when it needs no explanation. */
function breakdown({ lines, discount, currency, tax, taxRate, taxInclusive, total }: OfferModel): Html | null {
  if (total === 0 && discount === 0) return null;
  const items = lines.map(
    (line) =>
      html`<li><span class="name" dir="auto">${line.description}</span><span class="money">${formatMoney(line.amount, currency)}</span>${
        line.details ? html`<span class="small whole" dir="auto">${line.details}</span>` : null
      }</li>`,
  );
  const vat =
    tax > 0 ? { term: `${taxInclusive ? "Included VAT" : "VAT"} at ${taxRate}%`, value: money(tax, currency) } : null;
  const coupon = discount > 0 ? { term: "Coupon, taken off already", value: money(discount, currency) } : null;
  return html`<div class="today"><ul class="rows">${items}</ul>${facts([coupon, vat])}<p \
class="bar total"><span>Today</span>${money(total, currency)}</p></div>`;
}

/** The terms that a payer must read before a recurring payment: amount, interval, and how to end it. Null for a one-time payment. */
export function particulars(
  offer: OfferModel,
  { brand, portal }: Pick<CheckoutPageModel, "brand" | "portal">,
): Html | null {
  const { later, total, currency, trialEnd } = offer;
  if (!later) return null;
  const isFree = areFree(later.charges);
  const now =
    total > 0
      ? html`You pay ${money(total, currency)} today`
      : trialEnd && !isFree
        ? html`You pay nothing until ${dayInWords(trialEnd)}`
        : html`You pay nothing${isFree ? "" : " today"}`;
  const end = isEndless(later.charges) ? ", until you cancel" : `, ${countOf(offer)} in all`;
  const then = isFree
    ? total > 0 && html`, and nothing after that`
    : html`, then ${chargesInWords(later.charges, currency)}${end}`;
  const how =
    total > 0
      ? html` ${name(brand.name)} takes it from the card that you pay with.`
      : html` ${name(brand.name)} mails you a link to pay the first time.`;
  return html`<p class="small">${now}${then}.${isFree ? null : how} To end it, write to ${contact(brand)} at any time${
    portal.ends ? html`, or cancel on <a href="${portal.url}">your own page</a>` : null
  }; what is paid stays yours until its period is over.${
    portal.ends ? null : html` <a href="${portal.url}">Your own page</a> shows what you have and have paid.`
  }</p>`;
}

function couponBox({ value, applied, error }: NonNullable<CheckoutPageModel["coupon"]>): Html {
  const field = inputField({
    name: "couponCode",
    label: "Coupon code",
    type: "text",
    autocomplete: "off",
    value,
    required: false,
    error,
    hint: applied === null ? null : `${applied} is applied. Empty the box to do without it.`,
  });
  const open = (value !== "" || error !== null) && html` open`;
  return html`<details class="coupon"${open}><summary>Have a coupon?</summary>${field}
<button type="submit" class="button quiet short" name="action" value="apply_coupon" formnovalidate>Apply</button></details>`;
}

const termsBox = ({ url, ticked, error }: NonNullable<CheckoutPageModel["terms"]>): Html =>
  html`<div class="field">${
    error === null ? "" : html`<p class="error" id="terms-error">${error}</p>`
  }<label class="tick" for="terms"><input type="checkbox" id="terms" name="terms" value="yes" required${ticked && html` checked`}${
    error !== null && html` aria-invalid="true" aria-describedby="terms-error"`
  }><span>I agree to the <a href="${safeHref(url) ?? ""}" target="_blank" rel="noopener">terms</a></span></label></div>`;

function buttonText(single: OfferModel | null): string {
  if (!single) return "Continue";
  if (single.total > 0) return `Pay ${formatMoney(single.total, single.currency)}`;
  return single.trialEnd ? "Start the free trial" : "Subscribe";
}
