import { type Cents, cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { dayInWords } from "../wording.ts";
import { inputField, type Problem, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, money, ownPath } from "./parts.ts";

export interface StatementModel {
  readonly brand: Brand;
  readonly currency: string;
  /** Other currencies of the customer's account, each with the path of its statement. */
  readonly otherCurrencies: readonly { readonly currency: string; readonly path: string }[];
  /** First and last day in the form, `YYYY-MM-DD`; empty when an invalid day was sent. */
  readonly from: string;
  readonly to: string;
  /** Problems with the days. */
  readonly problems: readonly Problem[];
  /** Null when there is a problem. */
  readonly account: {
    readonly start: CalendarDay;
    readonly end: CalendarDay;
    readonly opening: Cents;
    readonly closing: Cents;
    /** Oldest first. A positive `amount` increases what is owed; `balance` is what was owed afterwards. */
    readonly movements: readonly {
      readonly day: CalendarDay;
      readonly description: string;
      readonly amount: Cents;
      readonly balance: Cents;
    }[];
    /** Debit orders that were returned unpaid and that no invoice carries: they are in no balance. Oldest first. */
    readonly unpaidDebits: readonly { readonly description: string; readonly amount: Cents }[];
    /** A path on our own host. */
    readonly pdfPath: string;
  } | null;
  readonly homePath: string;
}

/** A customer's statement for a period. Its form asks for another period by GET: `from`, `to`. */
export function statementPage(model: StatementModel): Html {
  const { brand, problems } = model;
  return page({
    title: `${problems.length > 0 ? "Choose other days: " : ""}Statement – ${brand.name}`,
    brand,
    width: "middle",
    main: html`<main class="frame middle stack">
<div class="bar"><h1>Statement</h1><a href="${ownPath(model.homePath) ?? ""}">Your account</a></div>
${problemSummary(problems, "Choose other days")}
${daysForm(model)}
${accountSection(model)}</main>`,
  });
}

function daysForm({ from, to, currency, otherCurrencies, problems }: StatementModel): Html {
  const errorOf = (name: string) => problems.find(({ inputId }) => inputId === name)?.message ?? null;
  const field = (name: "from" | "to", label: string, value: string) =>
    inputField({
      name,
      label,
      type: "date",
      autocomplete: "off",
      value,
      required: true,
      error: errorOf(name),
      hint: null,
    });
  const others = otherCurrencies.map((other) => html`<a href="${ownPath(other.path) ?? ""}">In ${other.currency}</a>`);
  return html`<form class="stack" method="get"><div class="fields names">${field("from", "From", from)}${field("to", "To", to)}</div>
<input type="hidden" name="currency" value="${currency}">
<div class="bar"><button type="submit" \
class="button short quiet">Show these days</button>${others.map((other, index) => [index > 0 && " ", other])}</div>
</form>`;
}

function accountSection({ account, currency }: StatementModel): Html | null {
  if (!account) return null;
  const { start, end, opening, closing, movements, unpaidDebits } = account;
  const rows = movements.map(
    ({
      day,
      description,
      amount,
      balance,
    }) => html`<li><span class="name" dir="auto">${description}</span>${money(amount, currency)}
<span class="small bits"><span>${dayInWords(day)}</span></span><span \
class="state small muted">${formatMoney(balance, currency)}</span></li>`,
  );
  return html`<section class="sheet stack"><div><h2>${dayInWords(start)} to ${dayInWords(end)}</h2>
<p class="muted small">Payments and credits are below zero. Under each amount is what was owed after it.</p></div>
<p class="bar"><span>${owedOr(opening)} before ${dayInWords(start)}</span>${size(opening, currency)}</p>
${rows.length === 0 ? html`<p class="muted">Nothing happened in these days.</p>` : html`<ul class="rows">${rows}</ul>`}
<div class="bar"><h2>${owedOr(closing)} on ${dayInWords(end)}</h2><p class="total">${size(closing, currency)}</p></div>
${unpaidSection(unpaidDebits, currency)}
<a class="button" href="${ownPath(account.pdfPath) ?? ""}">Download as PDF</a></section>`;
}

function unpaidSection(unpaid: NonNullable<StatementModel["account"]>["unpaidDebits"], currency: string): Html | null {
  if (unpaid.length === 0) return null;
  const rows = unpaid.map(
    ({ description, amount }) =>
      html`<li><span class="name" dir="auto">${description}</span>${money(amount, currency)}</li>`,
  );
  return html`<div><h2>Also due: debit orders returned unpaid</h2><ul class="rows">${rows}</ul></div>`;
}

const owedOr = (balance: Cents): string => (balance < 0 ? "In your favour" : "Owed");
const size = (balance: Cents, currency: string): Html => money(cents(Math.abs(balance)), currency);
