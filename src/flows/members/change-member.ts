import { ApiError, notFound } from "../../kernel/errors.ts";
import {
  deleteInvitation,
  deleteMember,
  lockMember,
  lockOpenInvitation,
  lockOwners,
  readRole,
  setInvitationRole,
  setMemberRole,
} from "../../modules/members/store.ts";
import type { Member, Person, RoleId } from "../../modules/members/types.ts";
import { deleteViewsOf } from "../../modules/saved-views/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Granting, requireGrant, roleToGive } from "./invite-member.ts";

type By = Pick<Granting, "role">;

/** Locks a member or an open invitation, by id. Throws 404 when there is neither. */
async function lockPerson(tx: Tx, id: string): Promise<Person> {
  if (id.startsWith("ivt_")) {
    const invitation = await lockOpenInvitation(tx, { id });
    if (invitation) return { kind: "invitation", invitation };
  } else {
    // Owners are locked first and by id, so when two owners leave at the same time, one waits for the other.
    const [, member] = await Promise.all([lockOwners(tx), lockMember(tx, id)]);
    if (member) return { kind: "member", member };
  }
  throw notFound("member");
}

/** Throws 409 `invalid_state` for the last owner: an organisation always has one. */
async function requireAnotherOwner(tx: Tx, member: Member): Promise<void> {
  if (member.role !== "owner") return;
  const owners = await lockOwners(tx);
  if (owners.some(({ id }) => id !== member.id)) return;
  throw new ApiError("invalid_state", 409, "This is the last owner. Make another member an owner first.");
}

/**
 * Changes the role of a member or an open invitation. Returns both states. Throws 400 for an unknown role, 403, 404, 409
 * (last owner).
 */
export async function changeMemberRole(
  tx: Tx,
  by: By,
  id: string,
  wanted: RoleId,
): Promise<{ before: Person; after: Person }> {
  // The role is locked before the person, as where it is deleted.
  const { id: role } = await roleToGive(tx, by, wanted);
  const before = await lockPerson(tx, id);
  const subject = before.kind === "member" ? before.member : before.invitation;
  if (subject.role === role) return { before, after: before };
  requireGrant(by, await readRole(tx, subject.role));
  if (before.kind === "invitation") {
    setInvitationRole(tx, before.invitation.id, role);
    return { before, after: { kind: "invitation", invitation: { ...before.invitation, role } } };
  }
  await requireAnotherOwner(tx, before.member);
  setMemberRole(tx, before.member.id, role);
  return { before, after: { kind: "member", member: { ...before.member, role } } };
}

/** Deletes a membership or an open invitation, and returns it. Throws 403, 404, 409 (last owner). */
export async function removeMember(tx: Tx, by: By, id: string): Promise<Person> {
  const person = await lockPerson(tx, id);
  if (person.kind === "invitation") {
    requireGrant(by, await readRole(tx, person.invitation.role));
    deleteInvitation(tx, person.invitation.id);
    return person;
  }
  requireGrant(by, await readRole(tx, person.member.role));
  await requireAnotherOwner(tx, person.member);
  deleteMember(tx, person.member.id);
  deleteViewsOf(tx, person.member.id);
  return person;
}
