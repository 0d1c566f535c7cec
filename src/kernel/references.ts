import { randomBytes } from "node:crypto";
import type { Instant } from "./time.ts";
import { utcDateDigits } from "./time.ts";

/** Spec 2.2, contract 7: `TEFO-<YYYYMMDD>-<8 HEX>`; the date is the UTC date of `now`. Unique by constraint, not by hope. */
export const newCheckoutReference = (now: Instant): string =>
  `TEFO-${utcDateDigits(now)}-${randomBytes(4).toString("hex").toUpperCase()}`;
