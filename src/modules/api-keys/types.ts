import type { ApiKeyId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 14.2 and 5.3; the key itself is shown once and only its hash kept. */
export interface ApiKey {
  readonly id: ApiKeyId;
  /** The 8 hex digits that find it. */
  readonly prefix: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}
