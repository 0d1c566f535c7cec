import { invalidField } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { newApiKey } from "../../modules/api-keys/rules.ts";
import { insertApiKey } from "../../modules/api-keys/store.ts";
import type { ApiKey, KeyLimits } from "../../modules/api-keys/types.ts";
import { KEY_PERMISSIONS } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, realTime, requireEveryPermission } from "../context.ts";

/** What a key is made with. */
export interface NewKey extends KeyLimits {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * Creates a key for the client API (interface 14.2, 5.3). `key` is the text for the merchant: only its hash is stored,
 * and it cannot be shown again. Throws 400 for an unknown permission and for an end that has passed, 403 for a member whose
 * role is limited.
 */
export async function createApiKey(
  tx: Tx,
  ctx: Pick<Ctx, "now" | "actor">,
  input: NewKey,
): Promise<{ apiKey: ApiKey; key: string }> {
  requireEveryPermission(ctx, "An API key");
  const permissions = knownPermissions(input.permissions);
  requireFutureEnd(input.expiresAt);
  const { key, prefix, secretHash } = newApiKey();
  const apiKey: ApiKey = {
    id: newId("key"),
    prefix,
    name: input.name,
    permissions,
    scopes: input.scopes,
    expiresAt: input.expiresAt,
    allowedAddresses: input.allowedAddresses,
    strict: input.strict,
    createdAt: ctx.now,
    revokedAt: null,
    lastUsedOn: null,
  };
  insertApiKey(tx, apiKey, secretHash);
  return { apiKey, key };
}

/** Throws 400 for an end of a key that has passed, by the machine's clock. */
export function requireFutureEnd(expiresAt: Instant | null): void {
  if (expiresAt && expiresAt <= realTime())
    throw invalidField(["expiresAt"], "expiresAt must be later than now. To end a key at once, revoke it.");
}

/** The permissions without repetitions. Throws 400 for one that is not in interface 5.6. */
export function knownPermissions(given: readonly string[]): string[] {
  const known: readonly string[] = KEY_PERMISSIONS;
  const wrong = given.findIndex((permission) => !known.includes(permission));
  if (wrong >= 0) throw invalidField(["permissions", wrong], `Permissions of a key are: ${known.join(", ")}.`);
  return [...new Set(given)];
}
