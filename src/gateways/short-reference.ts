import { createHash } from "node:crypto";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PREFIX = "TEFO";

/**
 * 16 capital letters and digits for a reference, always the same, for gateways whose fields are too short for it. A checkout reference
 * keeps its date and hex (`TEFO-20261120-9F3C01AB` is `202611209F3C01AB`), so that people find it again; others are hashed
 * and begin with X, which no date does.
 */
export function shortReference(reference: string): string {
  const [, date, hex] = new RegExp(`^${PREFIX}-(\\d{8})-([0-9A-F]{8})$`).exec(reference) ?? [];
  if (date && hex) return date + hex;
  const hash = createHash("sha256").update(reference).digest();
  return `X${Array.from(hash.subarray(0, 15), (byte) => CROCKFORD.charAt(byte % 32)).join("")}`;
}

/** The checkout reference behind a short one; null for any other text, also for a hash. */
export function longReference(short: string): string | null {
  const [, date, hex] = /^(\d{8})([0-9A-F]{8})$/.exec(short) ?? [];
  return date && hex ? `${PREFIX}-${date}-${hex}` : null;
}
