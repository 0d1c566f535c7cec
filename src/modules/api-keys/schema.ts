import { z } from "zod";
import { parseDateTime, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { parseBlock } from "../../platform/addresses.ts";
import { flag, listQuery, text, timestamp } from "../../platform/schema.ts";
import { SCOPES } from "./rules.ts";
import type { ApiKey } from "./types.ts";

const permissions = () =>
  z
    .array(text(1, 60))
    .max(20)
    .meta({ examples: [["charge_saved_cards"]] });

const scopes = () =>
  z
    .array(z.enum(SCOPES, "must be a scope such as invoices:read"))
    .max(SCOPES.length)
    .transform((given) => [...new Set(given)])
    .nullable()
    .describe("What the key may do; null: all, but charging saved cards needs its permission.");

const expiresAt = () =>
  z.iso
    .datetime({ offset: true, error: "must be a date-time such as 2027-01-31T12:00:00Z" })
    .transform((value, context) => {
      const at = parseDateTime(value);
      if (at) return at;
      context.addIssue({ code: "custom", input: value, message: "must be a date-time such as 2027-01-31T12:00:00Z" });
      return z.NEVER;
    })
    .nullable()
    .describe("When the key ends, by real time; null: never.");

const allowedAddresses = () =>
  z
    .array(
      text(1, 60).transform((value, context) => {
        const block = parseBlock(value);
        if (block !== null) return block;
        context.addIssue({
          code: "custom",
          input: value,
          message: "must be an address or a block such as 203.0.113.0/24",
        });
        return z.NEVER;
      }),
    )
    .max(50)
    .nullable()
    .transform((given) => [...new Set(given ?? [])])
    .describe("Addresses and CIDR blocks that the key may call from; empty or null: any.");

/** Body of `POST /api-keys` (interface 14.2); the flow checks which permissions exist. */
export const ApiKeyCreate = z.object({
  name: text(1, 100),
  permissions: permissions().default([]),
  scopes: scopes().default(null),
  expiresAt: expiresAt().default(null),
  allowedAddresses: allowedAddresses().default([]),
  strict: flag(false).describe("Whether unknown fields of bodies are refused with 400."),
});

/** Body of `PATCH /api-keys/{id}`. */
export const ApiKeyPatch = z
  .object({
    name: text(1, 100),
    permissions: permissions(),
    scopes: scopes(),
    expiresAt: expiresAt(),
    allowedAddresses: allowedAddresses(),
    strict: z.boolean(),
  })
  .partial();

/** Query of `GET /api-keys`. */
export const ApiKeyQuery = listQuery(["key"], {});

const key = {
  id: z.string(),
  name: z.string(),
  /** The beginning of the key, to recognise it by. */
  prefix: z.string(),
  permissions: z.array(z.string()),
  scopes: z.array(z.enum(SCOPES)).nullable(),
  expiresAt: timestamp().nullable(),
  allowedAddresses: z.array(z.string()),
  strict: z.boolean(),
  lastUsedOn: z
    .string()
    .nullable()
    .meta({ format: "date" })
    .describe("The last South African day on which it was used."),
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
  scopes: key.scopes,
  expiresAt: toTimestampOrNull(key.expiresAt),
  allowedAddresses: key.allowedAddresses,
  strict: key.strict,
  lastUsedOn: key.lastUsedOn,
  createdAt: toTimestamp(key.createdAt),
  revokedAt: toTimestampOrNull(key.revokedAt),
});
