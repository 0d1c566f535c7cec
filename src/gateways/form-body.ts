/** More pairs than any gateway sends. */
const PAIRS_MAX = 1000;

/**
 * The pairs of a form body (`application/x-www-form-urlencoded`), decoded, in the order received, with blank ones and repeated names: some
 * gateways sign them so. An invalid percent escape is kept as text, as PHP does. Null for bytes that are not UTF-8, and for more pairs than
 * `PAIRS_MAX`.
 */
export function formPairs(rawBody: Uint8Array): readonly (readonly [name: string, value: string])[] | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rawBody);
    // URLSearchParams drops a leading question mark but keeps one after an ampersand; an empty pair is not counted.
    const pairs = [...new URLSearchParams(`&${text}`)];
    return pairs.length > PAIRS_MAX ? null : pairs;
  } catch {
    return null;
  }
}

/** The value of the first pair with the name; null without one. */
export const valueIn = (pairs: readonly (readonly [string, string])[], name: string): string | null =>
  pairs.find(([found]) => found === name)?.[1] ?? null;
