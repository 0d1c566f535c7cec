import { z } from "zod";
import { type CalendarDay, calendarDay, type Instant, parseCalendarDay, parseDateTime } from "../kernel/time.ts";

/** The years that a date of a record may lie in: beyond them it is a slip of the pen, or another calendar. */
const [FIRST_YEAR, LAST_YEAR] = ["1990", "2100"];

/** Refuses a South African day outside the years that a record may have. */
function isInYears(day: CalendarDay, context: z.core.$RefinementCtx): boolean {
  const year = day.slice(0, -"-MM-DD".length);
  const isIn = year.length === FIRST_YEAR.length && year >= FIRST_YEAR && year <= LAST_YEAR;
  if (!isIn)
    context.addIssue({
      code: "custom",
      input: day,
      message: `must be in a year from ${FIRST_YEAR} to ${LAST_YEAR}`,
    });
  return isIn;
}

/** ISO 8601 with seconds and Z or an offset (interface 4.2), from 1990 to 2100. */
export const dateTime = () =>
  dateTimeAsked().transform((value, context) => (isInYears(calendarDay(value), context) ? value : z.NEVER));

/** A day as `dateAsked`, from 1990 to 2100. */
export const date = () => dateAsked().transform((value, context) => (isInYears(value, context) ? value : z.NEVER));

/** As `dateTime`, of any year: what a query asks for, and the test clock's time. */
export const dateTimeAsked = () =>
  z
    .string()
    .transform((value, context) => {
      const parsed = parseDateTime(value);
      if (parsed) return parsed;
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be ISO 8601 with seconds and Z or an offset, such as 2026-12-31T23:59:59Z",
      });
      return z.NEVER;
    })
    .meta({ format: "date-time" });

/** A South African calendar day, `YYYY-MM-DD`, that exists (interface 2.1), of any year: what a query asks for. */
export const dateAsked = () =>
  z
    .string()
    .transform((value, context): CalendarDay => {
      const parsed = parseCalendarDay(value);
      if (parsed) return parsed;
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be a date that exists, in the form YYYY-MM-DD, such as 2026-12-31",
      });
      return z.NEVER;
    })
    .meta({ format: "date" });

/** A day as `date`, or a date-time, which stands for its South African day. */
export const dayOrTime = () => timeOrDay().transform(({ day }) => day);

/** A day and, when it was given as a date-time, its time. */
export interface TimeOrDay {
  readonly day: CalendarDay;
  readonly time: Instant | null;
}

/** As `dayOrTime`, with the time. */
export const timeOrDay = () =>
  z
    .string()
    .transform((value, context): TimeOrDay => {
      const time = parseDateTime(value);
      const day = time === null ? parseCalendarDay(value) : calendarDay(time);
      if (day) return isInYears(day, context) ? { day, time } : z.NEVER;
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be a date that exists, such as 2026-12-31, or a date-time such as 2026-12-31T23:59:59Z",
      });
      return z.NEVER;
    })
    .meta({ examples: ["2026-12-31"] });
