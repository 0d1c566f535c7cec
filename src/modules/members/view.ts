import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { type HeldRole, heldRole } from "./rules.ts";
import type { Invitation, Member, OwnRole, Person, RoleId } from "./types.ts";

/** What a role is called. */
export type RoleNames = (role: RoleId) => string;

/** What roles are called, by those that the organisation has made. */
export function roleNames(own: readonly OwnRole[]): RoleNames {
  const byId = new Map(own.map((role) => [role.id as RoleId, role] as const));
  return (role) => heldRole(role, byId.get(role) ?? null).name;
}

/** Interface 14.1, `/members`. */
export const memberView = (member: Member, nameOf: RoleNames) => ({
  id: member.id as string,
  status: "active" as const,
  email: member.email,
  name: member.name as string | null,
  role: member.role as string,
  roleName: nameOf(member.role),
  expiresAt: null as string | null,
  createdAt: toTimestamp(member.createdAt),
});

/** An invitation in the list of members: without a name, `expired` once it can no longer be accepted. */
export const invitationView = (invitation: Invitation, nameOf: RoleNames, now: Instant) => ({
  id: invitation.id as string,
  status: invitation.expiresAt > now ? ("invited" as const) : ("expired" as const),
  email: invitation.email,
  name: null,
  role: invitation.role as string,
  roleName: nameOf(invitation.role),
  expiresAt: toTimestamp(invitation.expiresAt),
  createdAt: toTimestamp(invitation.createdAt),
});

/** A member or an invitation. */
export const personView = (person: Person, nameOf: RoleNames, now: Instant) =>
  person.kind === "member" ? memberView(person.member, nameOf) : invitationView(person.invitation, nameOf, now);

/** Interface 14.1, `/roles`: a built-in role, or one that the organisation has made; `holders` have it. */
export const roleView = (
  { id, name, permissions }: HeldRole,
  holders: number,
  own: Pick<OwnRole, "createdAt" | "updatedAt"> | null = null,
) => ({
  id: id as string,
  name,
  builtIn: own === null,
  permissions: [...permissions],
  holders,
  createdAt: toTimestampOrNull(own?.createdAt ?? null),
  updatedAt: toTimestampOrNull(own?.updatedAt ?? null),
});
