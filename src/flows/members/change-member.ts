import { ApiError, notFound } from "../../kernel/errors.ts";
import {
  deleteInvitation,
  deleteMember,
  lockMember,
  lockOpenInvitation,
  lockOwners,
  setInvitationRole,
  setMemberRole,
} from "../../modules/members/store.ts";
import type { Member, Person, Role } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { requireGrant } from "./invite-member.ts";

type By = Pick<Member, "role">;

/** A member or an open invitation, by either's id; 404 when neither. */
async function lockPerson(tx: Tx, id: string): Promise<Person> {
  if (id.startsWith("ivt_")) {
    const invitation = await lockOpenInvitation(tx, { id });
    if (invitation) return { kind: "invitation", invitation };
  } else {
    // Owners first and in one order: two who step down at once wait here for one another.
    const [, member] = await Promise.all([lockOwners(tx), lockMember(tx, id)]);
    if (member) return { kind: "member", member };
  }
  throw notFound("member");
}

/** 409 `invalid_state`: somebody must be left who can do everything. */
async function requireAnotherOwner(tx: Tx, member: Member): Promise<void> {
  if (member.role !== "owner") return;
  const owners = await lockOwners(tx);
  if (owners.some(({ id }) => id !== member.id)) return;
  throw new ApiError("invalid_state", 409, "This is the last owner. Make another member an owner first.");
}

/** Another role for a member or an open invitation. Answers both sides of the change. Throws 403, 404, 409 (last owner). */
export async function changeMemberRole(
  tx: Tx,
  by: By,
  id: string,
  role: Role,
): Promise<{ before: Person; after: Person }> {
  const before = await lockPerson(tx, id);
  const subject = before.kind === "member" ? before.member : before.invitation;
  if (subject.role === role) return { before, after: before };
  requireGrant(by, subject.role);
  requireGrant(by, role);
  if (before.kind === "invitation") {
    setInvitationRole(tx, before.invitation.id, role);
    return { before, after: { kind: "invitation", invitation: { ...before.invitation, role } } };
  }
  await requireAnotherOwner(tx, before.member);
  setMemberRole(tx, before.member.id, role);
  return { before, after: { kind: "member", member: { ...before.member, role } } };
}

/** Ends a membership at once, or withdraws an invitation. Answers who it was. Throws 403, 404, 409 (last owner). */
export async function removeMember(tx: Tx, by: By, id: string): Promise<Person> {
  const person = await lockPerson(tx, id);
  if (person.kind === "invitation") {
    requireGrant(by, person.invitation.role);
    deleteInvitation(tx, person.invitation.id);
    return person;
  }
  requireGrant(by, person.member.role);
  await requireAnotherOwner(tx, person.member);
  deleteMember(tx, person.member.id);
  return person;
}
