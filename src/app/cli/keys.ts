import { revokeApiKey } from "../../flows/api-keys/change-api-key.ts";
import { createApiKey, type NewKey } from "../../flows/api-keys/create-api-key.ts";
import { clockOf } from "../../flows/context.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestampOrNull } from "../../kernel/time.ts";
import { ApiKeyCreate, apiKeyView } from "../../modules/api-keys/schema.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { KEY_PERMISSIONS, type KeyPermission } from "../../modules/members/rules.ts";
import { organisationOfApiKey } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Invocation, type Run, UsageError } from "./command.ts";
import { answer, operator, organisationNamed, withDatabase } from "./database.ts";

/** `key create --org <slug>`: answers `{id, key, permissions}` with what limits the key. */
export const keyCreate: Run = async (call) => {
  const asked = readNewKey(call);
  return withDatabase(call, async ({ db }) => {
    const organisation = await organisationNamed(db, call.text("org") ?? "");
    const ctx = byOperator(organisation);
    const { apiKey, key } = await db.transaction(organisation.id, async (tx) => {
      const made = await createApiKey(tx, ctx, asked);
      const { id } = made.apiKey;
      recordAudit(tx, { ...ctx, action: "key create", subject: id, before: null, after: apiKeyView(made.apiKey) });
      return made;
    });
    const { scopes, expiresAt, allowedAddresses, strict } = apiKeyView(apiKey);
    const made = { id: apiKey.id, key, permissions: apiKey.permissions, scopes, expiresAt, allowedAddresses, strict };
    await answer(call, made, `${key}\n\nIts id is ${apiKey.id}. It is shown this once.`);
    return 0;
  });
};

/** `key revoke <id>`: answers `{id, revokedAt}`; again, the same. */
export const keyRevoke: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const [id = ""] = call.operands;
    const organisation = await organisationOfApiKey(db, id);
    if (!organisation) throw notFound(`API key: ${id}`);
    const ctx = byOperator(organisation);
    const { before, after } = await db.transaction(organisation.id, async (tx) => {
      const revoked = await revokeApiKey(tx, ctx, id);
      if (!revoked.before.revokedAt)
        recordAudit(tx, { ...ctx, action: "key revoke", subject: id, before: null, after: null });
      return revoked;
    });
    const revokedAt = toTimestampOrNull(after.revokedAt);
    await answer(call, { id, revokedAt }, `${id} is revoked${before.revokedAt ? ` since ${revokedAt}` : ""}.`);
    return 0;
  });

/** Actor and time, by the organisation's clock. */
const byOperator = (organisation: Organisation) => ({ now: clockOf(organisation), actor: operator(), requestId: null });

/** What the options say of the new key. Throws `UsageError`. */
function readNewKey(call: Invocation): NewKey {
  const scopes = call.all("scope");
  const permissions = [...new Set(call.all("permission").map(readPermission))];
  const asked = ApiKeyCreate.safeParse({
    name: call.text("name") ?? "Made by the operator",
    permissions,
    scopes: scopes.length > 0 ? scopes : null,
    expiresAt: call.text("expires-at") ?? null,
    allowedAddresses: call.all("allow-ip"),
    strict: call.given("strict"),
  });
  if (asked.success) return asked.data;
  const [fault] = asked.error.issues;
  throw new UsageError(`${OPTIONS[String(fault?.path[0])] ?? "An option"} ${fault?.message ?? "is wrong"}.`);
}

const OPTIONS: Readonly<Record<string, string>> = {
  name: "--name",
  scopes: "--scope",
  expiresAt: "--expires-at",
  allowedAddresses: "--allow-ip",
};

function readPermission(text: string): KeyPermission {
  const permission = KEY_PERMISSIONS.find((known) => known === text);
  if (permission) return permission;
  throw new UsageError(`--permission must be one of ${KEY_PERMISSIONS.join(", ")}.`);
}
