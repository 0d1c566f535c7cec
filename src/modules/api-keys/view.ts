import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { ApiKey } from "./types.ts";

/** An API key as the dashboard shows it, without the key's text (interface 14.2). */
export const apiKeyView = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: `tefo_${key.prefix}`,
  permissions: key.permissions,
  createdAt: toTimestamp(key.createdAt),
  revokedAt: toTimestampOrNull(key.revokedAt),
});
