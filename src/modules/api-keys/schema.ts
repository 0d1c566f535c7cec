import { z } from "zod";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { listQuery, text, timestamp } from "../../platform/schema.ts";
import type { ApiKey } from "./types.ts";

const permissions = () =>
  z
    .array(text(1, 60))
    .max(20)
    .meta({ examples: [["charge_saved_cards"]] });

/** Body of `POST /api-keys` (interface 14.2); the flow checks which permissions exist. */
export const ApiKeyCreate = z.object({ name: text(1, 100), permissions: permissions().default([]) });

/** Body of `PATCH /api-keys/{id}`. */
export const ApiKeyPatch = z.object({ name: text(1, 100), permissions: permissions() }).partial();

/** Query of `GET /api-keys`. */
export const ApiKeyQuery = listQuery(["key"], {});

const key = {
  id: z.string(),
  name: z.string(),
  /** The beginning of the key, to recognise it by. */
  prefix: z.string(),
  permissions: z.array(z.string()),
  createdAt: timestamp(),
  revokedAt: timestamp().nullable(),
};

/** Interface 14.2. */
export const ApiKeyObject = z.object(key).meta({ id: "ApiKey" });

/** The reply of create, the only one with the whole `key`. */
export const NewApiKeyObject = z.object({ ...key, key: z.string() }).meta({ id: "NewApiKey" });

/** An API key as the dashboard shows it, without the key's text (interface 14.2). */
export const apiKeyView = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: `tefo_${key.prefix}`,
  permissions: key.permissions,
  createdAt: toTimestamp(key.createdAt),
  revokedAt: toTimestampOrNull(key.revokedAt),
});
