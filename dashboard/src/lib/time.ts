const ZONE = "Africa/Johannesburg";
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year: "numeric", timeZone: ZONE };
const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ZONE };

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en-GB", options);
  // What a person still types is no date yet.
  return (text: string): string => (Number.isNaN(Date.parse(text)) ? text : formatter.format(new Date(text)));
};

/** The South African day of a timestamp or date: `3 Nov 2026`. */
export const formatDay = format(DAY);
/** Its South African time of day: `14:05`. */
const formatClock = format(CLOCK);
/** Day and time of day, in South Africa. */
export const formatTime = (text: string): string => `${formatDay(text)}, ${formatClock(text)}`;

/** Whether a text of the API is a date without a time of day. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Whether a text is a day that exists, in the form of the API. */
export const isDay = (text: string): boolean =>
  isDate(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/**
 * The day that a person typed, day first: `14 Apr 2027`, `14 April`, `14/4/27`, `2027-04-14`; null when it is none. Without a year it is in
 * that of `now`, a timestamp.
 */
export function dayTyped(text: string, now: string): string | null {
  const given = text.trim();
  if (isDate(given)) return isDay(given) ? given : null;
  const [, date = "", named = "", year] =
    /^(\d{1,2})\s*[ /.-]?\s*(\d{1,2}|[a-z]{3,9})\.?(?:(?:\s*[ ,/.-]\s*|(?<=[a-z]))(\d{4}|\d{2}))?$/i.exec(given) ?? [];
  const month = /\d/.test(named) ? Number(named) : MONTHS.findIndex((name) => named.toLowerCase().startsWith(name)) + 1;
  const whole = year === undefined ? toDateInput(now).slice(0, 4) : year.padStart(4, "20");
  const day = `${whole}-${String(month).padStart(2, "0")}-${date.padStart(2, "0")}`;
  return isDay(day) ? day : null;
}

/** A text of the API with its dates in the dashboard's form. */
export const withDays = (text: string): string => text.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, formatDay);

/** The instant in UTC, to the second: `2026-11-03 12:05:09 UTC`. */
export const formatUtc = (text: string): string => `${new Date(text).toISOString().slice(0, 19).replace("T", " ")} UTC`;

const ISO_DAY = new Intl.DateTimeFormat("en-CA", { timeZone: ZONE, year: "numeric", month: "2-digit", day: "2-digit" });

/** The South African date of a timestamp, in the form of date inputs and the API: `2026-11-03`. */
export const toDateInput = (text: string): string => ISO_DAY.format(new Date(text));

const DAY_MS = 86_400_000;

/** A date so many days later, or earlier: `addDays("2026-11-03", -3)`. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The number of days from one date to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** A date so many months later, or earlier, at the latest on the last day of its month. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10);
}

/** The date without its year: `3 Nov`. */
export const formatDayOfYear = format({ day: "numeric", month: "short", timeZone: ZONE });
/** Its month: `Nov 2026`. */
export const formatMonth = format({ month: "short", year: "numeric", timeZone: ZONE });
/** With the day of the week: `Tuesday, 3 November 2026`. */
export const formatLongDay = format({
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: ZONE,
});

/** Days as short as can be said: `1–14 Apr`, `28 Mar–3 Apr`. */
export const formatDays = (from: string, to: string): string => {
  if (from === to) return formatDayOfYear(from);
  const first = from.slice(0, 7) === to.slice(0, 7) ? String(Number(from.slice(8))) : formatDayOfYear(from);
  return `${first}–${formatDayOfYear(to)}`;
};

/** The hour of a timestamp in South Africa, from 0 to 23. */
export const hourOf = (text: string): number => Number(formatClock(text).slice(0, 2));
