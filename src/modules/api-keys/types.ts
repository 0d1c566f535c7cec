import type { ApiKeyId } from "../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { Scope } from "./rules.ts";

/** What an API key is limited to (interface 14.2). */
export interface KeyLimits {
  /** Null: all but what needs a permission. */
  readonly scopes: readonly Scope[] | null;
  /** By the machine's clock; null: never. */
  readonly expiresAt: Instant | null;
  /** Addresses and CIDR blocks that it may call from; empty: any. */
  readonly allowedAddresses: readonly string[];
  /** Whether unknown fields of bodies are refused. */
  readonly strict: boolean;
}

/** An API key (interface 14.2, 5.3). The key's text is shown once, and only its hash is stored. */
export interface ApiKey extends KeyLimits {
  readonly id: ApiKeyId;
  /** The 8 hex digits that find it. */
  readonly prefix: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
  /** The last South African day on which it was used, by the machine's clock. */
  readonly lastUsedOn: CalendarDay | null;
}
