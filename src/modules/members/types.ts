import type { Id, MemberId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 14.1. */
export const ROLES = ["owner", "admin", "finance", "support", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export type InvitationId = Id<"ivt">;

/** A person in an organisation; `userId` is who they are when they sign in. */
export interface Member {
  readonly id: MemberId;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Instant;
}

/** A member to be, until the link in their mail is opened. */
export interface Invitation {
  readonly id: InvitationId;
  readonly email: string;
  readonly role: Role;
  /** The member who invited. */
  readonly invitedBy: string;
  readonly expiresAt: Instant;
  readonly acceptedAt: Instant | null;
  readonly createdAt: Instant;
}

/** One of the organisation's people, as the list shows them. */
export type Person =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "invitation"; readonly invitation: Invitation };

/** One of a user's memberships, with the organisation as the gate answers it. */
export interface Membership {
  readonly member: Pick<Member, "id" | "email" | "name" | "role">;
  readonly organisation: unknown;
}
