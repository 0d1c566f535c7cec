import { createHash } from "node:crypto";
import { assert } from "../../kernel/assert.ts";
import { sameSignature } from "../signatures.ts";

/**
 * Ozow's hash: the values in the order of the message with nothing between them, then the site's private key, all in
 * lower case, SHA-512, hex. A value that is not sent counts as empty. Throws for an empty key, because anybody could
 * sign with it.
 */
export function hashOf(values: readonly string[], privateKey: string): string {
  assert(privateKey.length > 0, "a hash needs a key");
  return createHash("sha512")
    .update((values.join("") + privateKey).toLowerCase())
    .digest("hex");
}

/**
 * Whether a received hash is the expected one, in constant time: in any case of letters, and without leading zeros,
 * which some senders drop. False for a missing hash.
 */
export const isHash = (given: string | null, expected: string): boolean =>
  given !== null && sameSignature(bare(given), bare(expected));

const bare = (hash: string): string => hash.toLowerCase().replace(/^0+/, "");
