import { recordAudit } from "../../modules/audit-log/store.ts";
import { clockOf } from "../context.ts";
import type { Services } from "../services.ts";
import { membershipsOfUser } from "./memberships.ts";

/**
 * Writes a sign-in, sign-out or change of sign-in settings to the audit log of each organisation of the user, with the
 * address it came from (interface 14.1). `path` is below `/auth`.
 */
export async function recordSignIn(
  services: Pick<Services, "db">,
  userId: string,
  path: string,
  origin: { ip: string; requestId: string },
): Promise<void> {
  for (const { member, organisation } of await membershipsOfUser(services, userId)) {
    const actor = { kind: "member", id: member.id, name: member.name || member.email, ip: origin.ip } as const;
    const who = { actor, now: clockOf(organisation), requestId: origin.requestId };
    await services.db.transaction(organisation.id, async (tx) =>
      recordAudit(tx, { ...who, action: `POST /auth/${path}`, subject: member.id, before: null, after: null }),
    );
  }
}
