import type { BusinessDay, Instant } from "./time.ts";
import { addSeconds, businessDay } from "./time.ts";

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

/** Interface 2.3: how often a recurring link or subscription collects. */
export const FREQUENCIES = ["monthly", "quarterly", "biannually", "annually"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const FREQUENCY_WORDS: Readonly<Record<Frequency, string>> = {
  monthly: "every month",
  quarterly: "every 3 months",
  biannually: "every 6 months",
  annually: "every year",
};

/** `20 November 2026`, for pages and mails. */
export function dayInWords(day: BusinessDay): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** `20 November 2026, 14:05` in South African time. */
export function momentInWords(moment: Instant): string {
  const local = addSeconds(moment, 2 * 3600);
  return `${dayInWords(businessDay(moment))}, ${local.toISOString().slice(11, 16)}`;
}

/** `every 3 months`. */
export const frequencyInWords = (frequency: Frequency): string => FREQUENCY_WORDS[frequency];
