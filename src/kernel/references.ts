import { assert } from "./assert.ts";

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
