import { recordAudit } from "../../modules/audit-log/store.ts";
import { renameMember } from "../../modules/members/store.ts";
import { clockOf } from "../context.ts";
import type { Services } from "../services.ts";
import { membershipsOfUser } from "./memberships.ts";

/**
 * Renames a user's memberships, with an entry in each organisation's audit log. The caller has changed the user's own
 * name.
 */
export async function renamePerson(
  services: Pick<Services, "db">,
  userId: string,
  name: string,
  origin: { ip: string; requestId: string },
): Promise<void> {
  for (const { member, organisation } of await membershipsOfUser(services, userId)) {
    const actor = { kind: "member", id: member.id, name, ip: origin.ip } as const;
    await services.db.transaction(organisation.id, async (tx) => {
      renameMember(tx, member.id, name);
      recordAudit(tx, {
        actor,
        now: clockOf(organisation),
        requestId: origin.requestId,
        action: "POST /account/name",
        subject: member.id,
        before: { name: member.name },
        after: { name },
      });
    });
  }
}
