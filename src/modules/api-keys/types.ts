import type { ApiKeyId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** An API key (interface 14.2, 5.3). The key's text is shown once, and only its hash is stored. */
export interface ApiKey {
  readonly id: ApiKeyId;
  /** The 8 hex digits that find it. */
  readonly prefix: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}
