import type { Decimal } from "../../kernel/decimal.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import type { Period, Recipient } from "../../modules/documents/types.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `20 Nov 2026`, not broken over lines. */
export function shortDay(day: BusinessDay): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${Number(date)}\u00a0${MONTHS[Number(month) - 1]}\u00a0${year}`;
}

/** `1 Nov 2026 – 30 Nov 2026`. */
export const periodInWords = ({ start, end }: Period): string => `${shortDay(start)} – ${shortDay(end)}`;

/** A quantity for people: `1 250.5`. */
export function decimalInWords(value: Decimal): string {
  const [whole = "0", fraction] = value.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u00a0");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A unit price, to the last decimal it has and never fewer than two: `R 0.0125`. */
export function priceInWords(value: Decimal, currency: string): string {
  const [whole = "0", fraction = ""] = value.split(".");
  return `${currency === "ZAR" ? "R" : currency}\u00a0${decimalInWords(whole as Decimal)}.${fraction.padEnd(2, "0")}`;
}

/** `15%`. */
export const rateInWords = (rate: Decimal): string => `${rate}%`;

/** What the customer is called: the company before the person. */
export const recipientName = ({ company, name, email }: Recipient): string => company || name || email || "Customer";
