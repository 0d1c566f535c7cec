import { z } from "zod";
import { changeApiKey, revokeApiKey } from "../../flows/api-keys/change-api-key.ts";
import { createApiKey } from "../../flows/api-keys/create-api-key.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  ApiKeyCreate,
  ApiKeyObject,
  ApiKeyPatch,
  ApiKeyQuery,
  apiKeyView,
  NewApiKeyObject,
} from "../../modules/api-keys/schema.ts";
import { listApiKeys } from "../../modules/api-keys/store.ts";
import type { ApiKey } from "../../modules/api-keys/types.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { changed, created } from "../replies.ts";

const common = { audience: "staff", tag: { name: "API keys", about: "Keys of the client API." } } as const;
const params = z.object({ id: z.string() });

/** API keys by their beginnings. */
const apiKeysCsv = listExport<ApiKey, typeof ApiKeyQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    prefix: (row) => `tefo_${row.prefix}`,
    permissions: (row) => row.permissions.join(" "),
    scopes: (row) => row.scopes?.join(" ") ?? "",
    expiresAt: (row) => toTimestampOrNull(row.expiresAt),
    allowedAddresses: (row) => row.allowedAddresses.join(" "),
    strict: (row) => String(row.strict),
    lastUsedOn: (row) => row.lastUsedOn,
    createdAt: (row) => toTimestamp(row.createdAt),
    revokedAt: (row) => toTimestampOrNull(row.revokedAt),
  },
  list: listApiKeys,
});

/** The endpoints of interface 14.2, API keys. */
export const apiKeyEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/api-keys",
    summary: "List API keys, newest first, revoked ones too",
    permission: "api_keys:read",
    query: ApiKeyQuery,
    replies: { 200: listOf(ApiKeyObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listApiKeys(tx, wanted), apiKeyView);
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/api-keys",
    summary: "Create an API key; the key itself is in this answer only",
    permission: "api_keys:write",
    body: ApiKeyCreate,
    replies: { 201: NewApiKeyObject },
    async handle({ ctx, body }, tx) {
      const { apiKey, key } = await createApiKey(tx, ctx, body);
      const view = apiKeyView(apiKey);
      return { ...created(view), body: { ...view, key } };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/api-keys/{id}",
    edits: true,
    summary: "Change an API key's name, and what it may do, until when and from where",
    permission: "api_keys:write",
    params,
    body: ApiKeyPatch,
    replies: { 200: ApiKeyObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changeApiKey(tx, ctx, id, body);
      return changed(apiKeyView(before), apiKeyView(after));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/api-keys/{id}",
    summary: "Revoke an API key for every request that begins after the answer",
    permission: "api_keys:write",
    params,
    replies: { 200: ApiKeyObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await revokeApiKey(tx, ctx, id);
      return changed(apiKeyView(before), apiKeyView(after));
    },
  }),
  listEndpoint(
    "api-keys",
    "API keys, without the keys,",
    "api_keys:read",
    ApiKeyQuery.omit(PAGING),
    apiKeysCsv,
    undefined,
    "staff",
  ),
];
