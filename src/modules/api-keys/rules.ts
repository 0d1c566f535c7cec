import { createHash, randomBytes } from "node:crypto";

/** A new API key, `tefo_<8 hex>_<secret of 256 bits>`, with its stored form (interface 5.3). */
export function newApiKey(): { key: string; prefix: string; secretHash: Buffer } {
  const prefix = randomBytes(4).toString("hex");
  const key = `tefo_${prefix}_${randomBytes(32).toString("base64url")}`;
  return hashApiKey(key);
}

/** The stored form of an existing key: its prefix and the SHA-256 hash of the whole key. */
export const hashApiKey = (key: string): { key: string; prefix: string; secretHash: Buffer } => ({
  key,
  prefix: key.slice(5, 13),
  secretHash: createHash("sha256").update(key).digest(),
});
