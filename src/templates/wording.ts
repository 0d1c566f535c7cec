import type { Decimal } from "../kernel/decimal.ts";
import { amountShown, type Discount, sharesOf } from "../kernel/discounts.ts";
import { type Exchange, inRand } from "../kernel/exchange.ts";
import { exemption } from "../kernel/exemption.ts";
import type { Frequency } from "../kernel/frequency.ts";
import type { PricedLine } from "../kernel/lines.ts";
import { type Cents, formatMoney, formatPrice, inGroups, subtract, sum, ZERO } from "../kernel/money.ts";
import { type CalendarDay, calendarDay, type Instant, timeOfDay } from "../kernel/time.ts";
import { type Period, type PricedDocument, periodOf } from "./document.ts";

/* The texts of days, amounts, lines and VAT on pages, in mails and in PDFs. */

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const FREQUENCY_WORDS: Readonly<Record<Frequency, string>> = {
  monthly: "every month",
  quarterly: "every 3 months",
  biannually: "every 6 months",
  annually: "every year",
};

/** `1 USD = R 18.5012`: the rate of a currency in rand. */
const exchangeInWords = ({ rate }: Exchange, currency: string): string => `1 ${currency} = ${formatPrice(rate, "ZAR")}`;

/** The rate of a document in another currency, its day and its source, as facts; none of one in rand. */
export const exchangeFacts = ({
  exchange,
  currency,
}: Pick<PricedDocument, "exchange" | "currency">): readonly [label: string, value: string][] =>
  !exchange
    ? []
    : [
        ["Exchange rate", exchangeInWords(exchange, currency)],
        ["Rate of", `${shortDay(exchange.date)}, ${exchange.source}`],
      ];

/** The VAT and the total in rand of a document in another currency, as rows; none of one in rand. */
export const randRows = ({
  exchange,
  currency,
  tax,
  total,
}: PricedDocument): readonly [label: string, amount: string][] =>
  !exchange
    ? []
    : [
        ["VAT in rand", formatMoney(inRand(tax, exchange), "ZAR")],
        [`Total in rand, ${exchangeInWords(exchange, currency)}`, formatMoney(inRand(total, exchange), "ZAR")],
      ];

/** `20 November 2026`, for sentences. */
export const dayInWords = (day: CalendarDay): string => written(day, (month) => month, " ");

/** `20 Nov 2026`, for tables; without a line break. */
export const shortDay = (day: CalendarDay): string => written(day, (month) => month.slice(0, 3), "\u00a0");

function written(day: CalendarDay, nameOf: (month: string) => string, space: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return [Number(date), nameOf(MONTHS[Number(month) - 1] ?? ""), year].join(space);
}

/** `20 November 2026, 14:05` in South African time. */
export function momentInWords(moment: Instant): string {
  return `${dayInWords(calendarDay(moment))}, ${timeOfDay(moment)}`;
}

/** `1 March 2026 to 31 March 2026`. */
export const periodInWords = ({ start, end }: Period): string => `${dayInWords(start)} to ${dayInWords(end)}`;

/** `1 Mar 2026 – 31 Mar 2026`, for tables. */
export const shortPeriod = ({ start, end }: Period): string => `${shortDay(start)} – ${shortDay(end)}`;

/** `every 3 months`. */
export const frequencyInWords = (frequency: Frequency): string => FREQUENCY_WORDS[frequency];

/** Charges of one amount, a period apart, as the planner promises them. */
export interface ChargesInWords {
  /** The day of the first; null when a gateway decides it. */
  readonly on: CalendarDay | null;
  /** With VAT. */
  readonly total: Cents;
  /** Null: without end. */
  readonly times: number | null;
  readonly frequency: Frequency;
  /** The day of the month of the later ones, 29 to 31, when it is not that of the first. */
  readonly day?: number;
}

/** Whether none of the charges is of an amount. */
export const areFree = (charges: readonly ChargesInWords[]): boolean => charges.every(({ total }) => total === 0);

/**
 * What is charged, one after the other: `R 345.00 on 8 January 2027, then R 230.00 every month from 8 February 2027`.
 * Empty when there is nothing to say.
 */
export function chargesInWords(charges: readonly ChargesInWords[], currency: string): string {
  const said = charges.map(({ on, total, times, frequency, day }, place) => {
    const next = charges[place + 1]?.on ?? null;
    if (total === 0) return next === null ? (place === 0 ? "" : "nothing") : `nothing until ${dayInWords(next)}`;
    const money = formatMoney(total, currency);
    if (times === 1 && on !== null) return `${money} on ${dayInWords(on)}`;
    const later =
      day === undefined ? "" : ` (later on the ${day === 31 ? "31st" : `${day}th`}, or the last day of the month)`;
    const from = on === null ? "" : ` from ${dayInWords(on)}${later}`;
    return `${money} ${frequencyInWords(frequency)}${from}${times === null ? "" : `, ${times} ${times === 1 ? "time" : "times"}`}`;
  });
  return said.filter((words) => words !== "").join(", then ");
}

/** A quantity: `1 250.5`. */
function quantityInWords(quantity: Decimal): string {
  const [whole = "0", fraction] = quantity.split(".");
  return fraction === undefined ? inGroups(whole) : `${inGroups(whole)}.${fraction}`;
}

/** `15%`, or `Exempt`. */
const rateInWords = ({ taxRate, taxExempt }: Taxed): string => (taxExempt ? "Exempt" : `${taxRate}%`);

/** `15% VAT`, `no VAT`, or `exempt from VAT`. */
function lineVatInWords(line: Taxed): string {
  if (line.taxExempt) return "exempt from VAT";
  return line.taxRate === "0" ? "no VAT" : `${rateInWords(line)} VAT`;
}

/** The VAT of a line. */
type Taxed = Pick<PricedLine, "taxRate" | "taxExempt">;

/** The texts of a document's line; each medium shows those that it has space for. */
export interface LineWords {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: string;
  /** The quantity; null when it is one, which lists leave out. */
  readonly times: string | null;
  readonly unitPrice: string;
  /** `15%`, or `Exempt`. */
  readonly rate: string;
  /** `15% VAT`, `no VAT`, or `exempt from VAT`. */
  readonly vat: string;
  /** `Discount 10%: -R 25.00`; null without one. */
  readonly discount: string | null;
  /** After the line's discount, before the document's. */
  readonly amount: string;
  readonly period: Period | null;
}

/** The texts of a document's lines, in its currency. */
export const linesInWords = ({ lines, currency }: Pick<PricedDocument, "lines" | "currency">): LineWords[] =>
  lines.map((line) => {
    const quantity = quantityInWords(line.quantity);
    return {
      description: line.description,
      details: line.details,
      quantity,
      times: line.quantity === "1" ? null : `${quantity} ×`,
      unitPrice: formatPrice(line.unitPrice, currency),
      rate: rateInWords(line),
      vat: lineVatInWords(line),
      discount: line.discount ? `${discountInWords(line.discount)}: ${minus(line.taken?.own ?? ZERO, currency)}` : null,
      amount: formatMoney(amountShown(line), currency),
      period: periodOf(line),
    };
  });

/** `Discount 10%`, or `Discount`. */
const discountInWords = (discount: Discount): string =>
  "percent" in discount ? `Discount ${discount.percent}%` : "Discount";

const minus = (amount: Cents, currency: string): string => formatMoney(subtract(ZERO, amount), currency);

/** What the deposit of a quote or an invoice is called, beside its amount. */
export const DEPOSIT = "Deposit due first";

/** The row of a document's discount, before its subtotal: `Discount 10%`, `-R 25.00`; null without one. */
export const discountRow = ({
  discount,
  lines,
  currency,
}: Pick<PricedDocument, "discount" | "lines" | "currency">): {
  readonly label: string;
  readonly amount: string;
} | null => discount && { label: discountInWords(discount), amount: minus(sharesOf(lines), currency) };

/** Amount and VAT of all lines at one rate; exempt lines are separate from zero-rated ones. */
export interface RateTotal extends Taxed {
  /** Without VAT. */
  readonly value: Cents;
  readonly tax: Cents;
}

/** Whether lines have VAT of more than one kind. */
export const ratesDiffer = (lines: readonly Taxed[]): boolean => new Set(lines.map(rateInWords)).size > 1;

/** Sums by rate, the highest first, exempt ones last. */
export function totalsByRate({ lines, taxInclusive }: Pick<PricedDocument, "lines" | "taxInclusive">): RateTotal[] {
  const kinds = [...new Map(lines.map((line) => [rateInWords(line), line])).entries()].sort(
    ([, a], [, b]) => Number(b.taxRate) - Number(a.taxRate) || Number(a.taxExempt ?? 0) - Number(b.taxExempt ?? 0),
  );
  return kinds.map(([words, { taxRate, taxExempt }]) => {
    const own = lines.filter((line) => rateInWords(line) === words);
    const [amount, tax] = [sum(own.map((line) => line.amount)), sum(own.map((line) => line.tax))];
    return { taxRate, ...exemption(taxExempt), value: taxInclusive ? subtract(amount, tax) : amount, tax };
  });
}

/** `VAT at 15%`, or `VAT (exempt)`. */
export const vatAt = (of: Taxed): string => (of.taxExempt ? "VAT (exempt)" : `VAT at ${rateInWords(of)}`);

/** `VAT at 15%` where all lines are at that rate, `VAT` where rates differ. */
export function vatInWords(document: Pick<PricedDocument, "lines" | "taxInclusive">): string {
  const [only, ...others] = totalsByRate(document);
  return only === undefined || others.length > 0 ? "VAT" : vatAt(only);
}

const CARD_NETWORKS: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  diners: "Diners Club",
};

/** A saved card as people know it. */
export interface NamedCard {
  /** Interface 2.9. */
  readonly brand: string;
  /** Empty when the card's gateway does not report it. */
  readonly last4: string;
  readonly createdAt: Instant;
}

/**
 * A saved card by its network and its last digits; without these by the minute in which it was saved, the only fact
 * that distinguishes it.
 */
export const cardInWords = ({ brand, last4, createdAt }: NamedCard): string => {
  const network = CARD_NETWORKS[brand] ?? "Card";
  return last4 === "" ? `${network} saved on ${momentInWords(createdAt)}` : `${network} ending in ${last4}`;
};

/** As `cardInWords`, within a sentence. */
export const cardInSentence = (card: NamedCard): string => cardInWords(card).replace(/^Card /, "card ");
