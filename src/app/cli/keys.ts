import { revokeApiKey } from "../../flows/api-keys/change-api-key.ts";
import { createApiKey } from "../../flows/api-keys/create-api-key.ts";
import { clockOf } from "../../flows/context.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestampOrNull } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { KEY_PERMISSIONS, type KeyPermission } from "../../modules/members/rules.ts";
import { organisationOfApiKey } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Run, UsageError } from "./command.ts";
import { answer, operator, organisationNamed, withDatabase } from "./database.ts";

/** `key create --org <slug>`: answers `{id, key, permissions}`. */
export const keyCreate: Run = async (call) => {
  const permissions = [...new Set(call.all("permission").map(readPermission))];
  return withDatabase(call, async ({ db }) => {
    const organisation = await organisationNamed(db, call.text("org") ?? "");
    const ctx = byOperator(organisation);
    const { apiKey, key } = await db.transaction(organisation.id, async (tx) => {
      const made = await createApiKey(tx, ctx, { name: "Made by the operator", permissions });
      const { id, name } = made.apiKey;
      recordAudit(tx, { ...ctx, action: "key create", subject: id, before: null, after: { name, permissions } });
      return made;
    });
    await answer(call, { id: apiKey.id, key, permissions }, `${key}\n\nIts id is ${apiKey.id}. It is shown this once.`);
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

function readPermission(text: string): KeyPermission {
  const permission = KEY_PERMISSIONS.find((known) => known === text);
  if (permission) return permission;
  throw new UsageError(`--permission must be one of ${KEY_PERMISSIONS.join(", ")}.`);
}
