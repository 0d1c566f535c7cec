import { createHash, randomBytes } from "node:crypto";

/** Interface 5.3: `tefo_<8 hex>_<secret of 256 bits>`, and what is stored of it. */
export function newApiKey(): { key: string; prefix: string; secretHash: Buffer } {
  const prefix = randomBytes(4).toString("hex");
  const key = `tefo_${prefix}_${randomBytes(32).toString("base64url")}`;
  return hashApiKey(key);
}

/** What is kept of a key that was made before. */
export const hashApiKey = (key: string): { key: string; prefix: string; secretHash: Buffer } => ({
  key,
  prefix: key.slice(5, 13),
  secretHash: createHash("sha256").update(key).digest(),
});
