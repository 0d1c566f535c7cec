import { type Instant, secondsBetween } from "../../../kernel/time.ts";
import type { DocumentView } from "../types.ts";

/** Views within this time of the last recorded one are the same visit. */
const VISIT_SECONDS = 300;

/** Whether a view at `now` belongs to the last recorded one. */
export const isRepeatedView = ({ lastViewedAt }: DocumentView, now: Instant): boolean =>
  secondsBetween(lastViewedAt, now) < VISIT_SECONDS;

/** How search engines, mail scanners and the previews of messengers name themselves. */
const PROGRAMS =
  /bot\b|bot\/|crawl|spider|preview|scan|monitor|facebookexternalhit|whatsapp|slack|telegram|skype|discord|linkcheck/i;

/** Whether a `User-Agent` is of a program that opens links by itself; one that names none is. */
export const isProgram = (userAgent: string | undefined): boolean =>
  userAgent === undefined || PROGRAMS.test(userAgent);
