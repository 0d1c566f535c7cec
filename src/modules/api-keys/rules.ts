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

/** What a scope of an API key is about; each has `<name>:read` and `<name>:write`, and write includes read (interface 5.6). */
export const SCOPED = [
  "customers",
  "payment_links",
  "transactions",
  "refunds",
  "invoices",
  "credit_notes",
  "quotes",
  "eft_orders",
  "mandates",
  "debit_batches",
  "cards",
  "subscriptions",
  "gateway_subscriptions",
  "catalogue",
  "checkout",
  "reconciliation",
  "accounting",
  "webhooks",
  "events",
  "request_log",
  "test_clock",
  "usage",
  "settings",
] as const;

export type Scope = `${(typeof SCOPED)[number]}:${"read" | "write"}`;

/** All scopes of keys, in the order of the interface. */
export const SCOPES: readonly Scope[] = SCOPED.flatMap((name) => [`${name}:read`, `${name}:write`] as const);

/** A key that may do all by any address at any time, but what needs a permission. */
export const UNLIMITED = { scopes: null, expiresAt: null, allowedAddresses: [], strict: false } as const;

/** Whether a key with these scopes, null for all, may do what needs `needed`: write includes read. */
export const mayUse = (held: readonly string[] | null, needed: Scope): boolean =>
  held === null || held.includes(needed) || held.includes(needed.replace(":read", ":write"));
