import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { ApiKey } from "./types.ts";

/** Interface 14.2: never the key itself. */
export const apiKeyView = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: `tefo_${key.prefix}`,
  permissions: key.permissions,
  createdAt: toTimestamp(key.createdAt),
  revokedAt: toTimestampOrNull(key.revokedAt),
});
