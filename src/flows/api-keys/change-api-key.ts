import { ApiError, notFound } from "../../kernel/errors.ts";
import { isSameInstant } from "../../kernel/time.ts";
import { lockApiKey, revokeApiKey as markRevoked, updateApiKey } from "../../modules/api-keys/store.ts";
import type { ApiKey } from "../../modules/api-keys/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, requireEveryPermission } from "../context.ts";
import { knownPermissions, type NewKey, requireFutureEnd } from "./create-api-key.ts";

/**
 * Changes the name, and what the key may do, until when and from where; an absent field does not change. Locks the
 * key. Throws 404, 400 for an unknown permission and for an end that has passed, 409 `invalid_state` for a revoked key.
 */
export async function changeApiKey(
  tx: Tx,
  ctx: Pick<Ctx, "actor">,
  id: string,
  changes: { readonly [Name in keyof NewKey]?: NewKey[Name] | undefined },
): Promise<{ before: ApiKey; after: ApiKey }> {
  requireEveryPermission(ctx, "An API key");
  const before = await lockApiKey(tx, id);
  if (!before) throw notFound("API key");
  if (before.revokedAt) throw new ApiError("invalid_state", 409, "This API key has been revoked. Create a new one.");
  if (changes.expiresAt && !isSameInstant(changes.expiresAt, before.expiresAt)) requireFutureEnd(changes.expiresAt);
  const after: ApiKey = {
    ...before,
    name: changes.name ?? before.name,
    permissions: changes.permissions ? knownPermissions(changes.permissions) : before.permissions,
    scopes: changes.scopes === undefined ? before.scopes : changes.scopes,
    expiresAt: changes.expiresAt === undefined ? before.expiresAt : changes.expiresAt,
    allowedAddresses: changes.allowedAddresses ?? before.allowedAddresses,
    strict: changes.strict ?? before.strict,
  };
  updateApiKey(tx, after);
  return { before, after };
}

/**
 * Revokes the key for every request that begins after the commit (interface 12.1). A revoked key does not change.
 * Throws 404.
 */
export async function revokeApiKey(
  tx: Tx,
  ctx: Pick<Ctx, "now">,
  id: string,
): Promise<{ before: ApiKey; after: ApiKey }> {
  const before = await lockApiKey(tx, id);
  if (!before) throw notFound("API key");
  if (before.revokedAt) return { before, after: before };
  await markRevoked(tx, id, ctx.now);
  return { before, after: { ...before, revokedAt: ctx.now } };
}
