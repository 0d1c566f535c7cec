import type { Id, MemberId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 14.1. */
export const ROLES = ["owner", "admin", "finance", "support", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export type OwnRoleId = Id<"role">;
/** What a member's `role` holds: the name of a built-in role, or the id of one that the organisation has made. */
export type RoleId = Role | OwnRoleId;

export type InvitationId = Id<"ivt">;

/** A member of an organisation; `userId` is the user who signs in. */
export interface Member {
  readonly id: MemberId;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: RoleId;
  readonly createdAt: Instant;
}

/** An invitation to become a member, by a link in a mail. */
export interface Invitation {
  readonly id: InvitationId;
  readonly email: string;
  readonly role: RoleId;
  /** The member who invited. */
  readonly invitedBy: string;
  readonly expiresAt: Instant;
  readonly acceptedAt: Instant | null;
  readonly createdAt: Instant;
}

/** A member or an invitation, as the list of members shows them. */
export type Person =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "invitation"; readonly invitation: Invitation };

/** A role that an organisation has made of the permissions that exist. */
export interface OwnRole {
  readonly id: OwnRoleId;
  readonly name: string;
  /** As they are stored: one that this version does not know is kept, and allows nothing. */
  readonly permissions: readonly string[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A membership of a user, with the organisation's row from the gate. */
export interface Membership {
  readonly member: Pick<Member, "id" | "email" | "name" | "role">;
  /** The role, when the organisation has made it. */
  readonly ownRole: Pick<OwnRole, "name" | "permissions"> | null;
  /** Whether the member has ended the tour of the demonstration. */
  readonly tourEnded: boolean;
  readonly organisation: unknown;
}
