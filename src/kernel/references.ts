import { randomBytes, randomInt } from "node:crypto";
import { assert } from "./assert.ts";
import type { Instant } from "./time.ts";
import { utcDateDigits } from "./time.ts";

/** Interface 2.2: `TEFO-<YYYYMMDD>-<8 HEX>`; the date is the UTC date of `now`. A unique constraint refuses a repeat. */
export const newCheckoutReference = (now: Instant): string =>
  `TEFO-${utcDateDigits(now)}-${randomBytes(4).toString("hex").toUpperCase()}`;

/** Without 0, O, 1, I and L: payers copy it by hand into their bank's form. */
const EFT_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/** Interface 2.2: `EFT-` and 8 characters, from the system's randomness. A unique constraint refuses a repeat. */
export const newEftReference = (): string =>
  `EFT-${Array.from({ length: 8 }, () => EFT_ALPHABET.charAt(randomInt(EFT_ALPHABET.length))).join("")}`;

/** Interface 2.2: a mandate's `accountReference`, `DO` and 10 hexadecimal digits. A unique constraint refuses a repeat. */
export const newMandateReference = (): string => `DO${randomBytes(5).toString("hex").toUpperCase()}`;

/**
 * Interface 2.2: `TEFOC-<16 hex>-<counter>`, from the system's randomness; the counter says which attempt it is under the merchant's own
 * reference. A unique constraint refuses a repeat.
 */
export const newCardChargeReference = (attempt: number): string => `TEFOC-${randomBytes(8).toString("hex")}-${attempt}`;

/** Whether a reference belongs to a charge of a saved card. */
export const isCardChargeReference = (reference: string): boolean => reference.startsWith("TEFOC-");

/**
 * The reference in 16 letters and digits, for gateways that accept no longer one: date and random part of a checkout
 * reference, the random part of a card charge's. Different references have different short ones. Throws an
 * AssertionError for a reference of another kind.
 */
export function shortReference(reference: string): string {
  const [, day, random, charge] = /^(?:TEFO-(\d{8})-([0-9A-F]{8})|TEFOC-([0-9a-f]{16})-\d+)$/.exec(reference) ?? [];
  const short = charge ?? (day && random ? day + random : null);
  assert(short, `no short reference: ${reference}`);
  return short;
}

/** The checkout reference that has this short one; null when none can. */
export function checkoutReferenceOf(short: string): string | null {
  const [, day, random] = /^(\d{8})([0-9A-F]{8})$/.exec(short) ?? [];
  return day && random ? `TEFO-${day}-${random}` : null;
}
