import { randomBytes, randomInt } from "node:crypto";
import { type Instant, utcDateDigits } from "../kernel/time.ts";

/* New references, from the system's randomness. A unique constraint refuses a repeat. */

/** Interface 2.2: `TEFO-<YYYYMMDD>-<8 HEX>`; the date is the UTC date of `now`. */
export const newCheckoutReference = (now: Instant): string =>
  `TEFO-${utcDateDigits(now)}-${randomBytes(4).toString("hex").toUpperCase()}`;

/** Without 0, O, 1, I and L: payers copy it by hand into their bank's form. */
const EFT_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/** Interface 2.2: `EFT-` and 8 characters. */
export const newEftReference = (): string =>
  `EFT-${Array.from({ length: 8 }, () => EFT_ALPHABET.charAt(randomInt(EFT_ALPHABET.length))).join("")}`;

/** Interface 2.2: a mandate's `accountReference`, `DO` and 10 hexadecimal digits. */
export const newMandateReference = (): string => `DO${randomBytes(5).toString("hex").toUpperCase()}`;

/**
 * Interface 2.2: `TEFOC-<16 hex>-<counter>`; the counter says which attempt it is under the merchant's own reference.
 */
export const newCardChargeReference = (attempt: number): string => `TEFOC-${randomBytes(8).toString("hex")}-${attempt}`;
