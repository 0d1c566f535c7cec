import { type Instant, toTimestamp } from "../../kernel/time.ts";
import type { Invitation, Member, Person } from "./types.ts";

/** Interface 14.1, `/members`. */
export const memberView = (member: Member) => ({
  id: member.id as string,
  status: "active" as const,
  email: member.email,
  name: member.name as string | null,
  role: member.role,
  expiresAt: null as string | null,
  createdAt: toTimestamp(member.createdAt),
});

/** An invitation in the list of members: without a name, `expired` once it can no longer be accepted. */
export const invitationView = (invitation: Invitation, now: Instant) => ({
  id: invitation.id as string,
  status: invitation.expiresAt > now ? ("invited" as const) : ("expired" as const),
  email: invitation.email,
  name: null,
  role: invitation.role,
  expiresAt: toTimestamp(invitation.expiresAt),
  createdAt: toTimestamp(invitation.createdAt),
});

/** A member or an invitation. */
export const personView = (person: Person, now: Instant) =>
  person.kind === "member" ? memberView(person.member) : invitationView(person.invitation, now);
