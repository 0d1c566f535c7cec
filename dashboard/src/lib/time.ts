const ZONE = "Africa/Johannesburg";
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year: "numeric", timeZone: ZONE };
const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ZONE };

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en-GB", options);
  return (text: string): string => formatter.format(new Date(text));
};

/** The South African day of a timestamp or date: `3 Nov 2026`. */
export const formatDay = format(DAY);
/** Its South African time of day: `14:05`. */
const formatClock = format(CLOCK);
/** Day and time of day, in South Africa. */
export const formatTime = (text: string): string => `${formatDay(text)}, ${formatClock(text)}`;

/** Whether a text of the API is a date without a time of day. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** A text of the API with its dates in the dashboard's form. */
export const withDays = (text: string): string => text.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, formatDay);

/** The instant in UTC, to the second: `2026-11-03 12:05:09 UTC`. */
export const formatUtc = (text: string): string => `${new Date(text).toISOString().slice(0, 19).replace("T", " ")} UTC`;

const ISO_DAY = new Intl.DateTimeFormat("en-CA", { timeZone: ZONE, year: "numeric", month: "2-digit", day: "2-digit" });

/** The South African date of a timestamp, in the form of date inputs and the API: `2026-11-03`. */
export const toDateInput = (text: string): string => ISO_DAY.format(new Date(text));
