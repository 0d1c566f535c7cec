import { addDays, type CalendarDay, dayOfWeek } from "./time.ts";

/** Public holidays with a date of their own, as `MM-DD` (interface 16.22). */
const FIXED: ReadonlySet<string> = new Set([
  "01-01", // New Year's Day
  "03-21", // Human Rights Day
  "04-27", // Freedom Day
  "05-01", // Workers' Day
  "06-16", // Youth Day
  "08-09", // National Women's Day
  "09-24", // Heritage Day
  "12-16", // Day of Reconciliation
  "12-25", // Christmas Day
  "12-26", // Day of Goodwill
]);

const MONDAY = 1;
const SATURDAY = 6;
const SUNDAY = 7;

/** Easter Sunday of a year of the Gregorian calendar (the computus as Butcher published it). */
export function easterSunday(year: number): CalendarDay {
  const whole = Math.trunc;
  const century = whole(year / 100);
  const inCentury = year % 100;
  const golden = year % 19;
  const correction = whole((8 * century + 13) / 25);
  const epact = (19 * golden + century - whole(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * whole(inCentury / 4) - epact - (inCentury % 4)) % 7;
  const shift = whole((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * shift + 114;
  const month = String(whole(days / 31)).padStart(2, "0");
  const day = String((days % 31) + 1).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${month}-${day}` as CalendarDay;
}

/** Whether the Public Holidays Act names the day, before the rule that moves Sundays is applied. */
function isNamedHoliday(day: CalendarDay): boolean {
  if (FIXED.has(day.slice(5))) return true;
  const easter = easterSunday(Number(day.slice(0, 4)));
  // Good Friday and Family Day.
  return day === addDays(easter, -2) || day === addDays(easter, 1);
}

/**
 * A South African public holiday by rule: of the Public Holidays Act, with the Monday after one that falls on a Sunday. Holidays that are
 * declared for one year only, such as days of elections, are not known (decisions.md#holidays-are-computed).
 */
export const isPublicHoliday = (day: CalendarDay): boolean =>
  isNamedHoliday(day) || (dayOfWeek(day) === MONDAY && isNamedHoliday(addDays(day, -1)));

/** Whether banks settle on the day: no Saturday, no Sunday, no public holiday (interface 16.22). */
export function isBusinessDay(day: CalendarDay): boolean {
  const weekday = dayOfWeek(day);
  return weekday !== SATURDAY && weekday !== SUNDAY && !isPublicHoliday(day);
}

/** The day itself when it is a business day, else the first one after it. */
export function nextBusinessDay(day: CalendarDay): CalendarDay {
  let next = day;
  while (!isBusinessDay(next)) next = addDays(next, 1);
  return next;
}

/** The n-th business day after `day`, which itself is not counted, whether it is one or not; `day` for 0. */
export function addBusinessDays(day: CalendarDay, n: number): CalendarDay {
  let end = day;
  for (let counted = 0; counted < n; counted++) end = nextBusinessDay(addDays(end, 1));
  return end;
}
