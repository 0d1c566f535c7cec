import { isPublicHoliday } from "../../kernel/business-days.ts";
import {
  addDays,
  addSeconds,
  type CalendarDay,
  calendarDay,
  dayOfWeek,
  type Instant,
  startOfDay,
} from "../../kernel/time.ts";
import type { MessageKind } from "./types.ts";

/** The characters of the SMS alphabet GSM 03.38, each of one unit. */
const GSM = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Those that take two units. */
const GSM_EXTENDED = new Set("^{}\\[~]|€");

/**
 * In how many parts a text goes by SMS, each of which is paid for: 160 units alone and 153 in each of several, or 70 and 67 once one
 * character is not of the SMS alphabet.
 */
export function segmentsOf(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((character) => GSM.has(character) || GSM_EXTENDED.has(character));
  const units = isGsm
    ? characters.reduce((sum, character) => sum + (GSM_EXTENDED.has(character) ? 2 : 1), 0)
    : text.length;
  const [alone, each] = isGsm ? [160, 153] : [70, 67];
  return units <= alone ? 1 : Math.ceil(units / each);
}

/** Typographic characters that would make every part of an SMS half as long. */
const PLAIN: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "…": "...",
  "\u00a0": " ",
  "\u202f": " ",
};

/** The text with plain quotes, dashes and spaces, which an SMS can hold at full length. */
export const plainText = (text: string): string => [...text].map((character) => PLAIN[character] ?? character).join("");

/**
 * A number as people write it, as `+` and digits; null when it is no number that messages can be sent to. Without a country it is South
 * African, and then one of a cellphone.
 */
export function phoneOf(written: string | null): string | null {
  const compact = (written ?? "").replaceAll(/[\s().-]/g, "").replace(/^00/, "+");
  if (!/^\+?\d{9,15}$/.test(compact)) return null;
  const number = compact.startsWith("+")
    ? compact
    : /^0\d{9}$/.test(compact)
      ? `+27${compact.slice(1)}`
      : `+${compact}`;
  if (number.startsWith("+27")) return /^\+27[678]\d{8}$/.test(number) ? number : null;
  return /^\+[1-9]\d{9,14}$/.test(number) ? number : null;
}

const SATURDAY = 6;
const SUNDAY = 7;

/** From when until when messages may leave on a day, in hours; null when they may not (docs/integrators/messages.md). */
function hoursOf(day: CalendarDay): readonly [number, number] | null {
  const weekday = dayOfWeek(day);
  if (weekday === SUNDAY || isPublicHoliday(day)) return null;
  return weekday === SATURDAY ? [9, 13] : [8, 20];
}

const HOUR_SECONDS = 3600;

/** Whether a message answers somebody who has just asked for it: it leaves at any hour, also to a number that has opted out. */
export const isAnswer = (kind: MessageKind): boolean => kind === "test" || kind === "opt_out";

/** Whether a message asks for a debt: it must not leave once that is paid. */
export const asksForDebt = (kind: MessageKind): boolean => kind === "reminder" || kind === "payment_failed";

/**
 * When a message may leave that is ready at `now`, South African time: an answer at once, any other from 08:00 to 20:00, on Saturdays from
 * 09:00 to 13:00, else at the next such time; never on Sundays and public holidays.
 */
export function leavesAt(kind: MessageKind, now: Instant): Instant {
  if (isAnswer(kind)) return now;
  for (let day = calendarDay(now); ; day = addDays(day, 1)) {
    const hours = hoursOf(day);
    if (!hours) continue;
    const [opens, closes] = hours.map((hour) => addSeconds(startOfDay(day), hour * HOUR_SECONDS));
    if (opens && now < opens) return opens;
    if (closes && now < closes) return now;
  }
}

const STOPS = new Set(["STOP", "END", "CANCEL", "UNSUBSCRIBE", "QUIT", "STOPALL", "OPTOUT"]);
const STARTS = new Set(["START", "UNSTOP"]);

/** Whether a reply asks for no more messages (`stop`) or for messages again (`start`); null for any other. */
export function wishOf(text: string): "stop" | "start" | null {
  const word = text
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z ]/g, "")
    .replace(/^OPT OUT$/, "OPTOUT")
    .trim();
  return STOPS.has(word) ? "stop" : STARTS.has(word) ? "start" : null;
}
