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

/** As a member to be: without a name, and `expired` once the link's time is over. */
export const invitationView = (invitation: Invitation, now: Instant) => ({
  id: invitation.id as string,
  status: invitation.expiresAt > now ? ("invited" as const) : ("expired" as const),
  email: invitation.email,
  name: null,
  role: invitation.role,
  expiresAt: toTimestamp(invitation.expiresAt),
  createdAt: toTimestamp(invitation.createdAt),
});

/** Either. */
export const personView = (person: Person, now: Instant) =>
  person.kind === "member" ? memberView(person.member) : invitationView(person.invitation, now);
