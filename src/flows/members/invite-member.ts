import { ApiError, invalidField } from "../../kernel/errors.ts";
import { addSeconds, DAY_SECONDS } from "../../kernel/time.ts";
import { mayGrant } from "../../modules/members/rules.ts";
import type { MemberInviteBody } from "../../modules/members/schema.ts";
import { findMemberByEmail, lockOpenInvitation, saveInvitation } from "../../modules/members/store.ts";
import type { Invitation, Member, Role } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { mailInvitation } from "./invitation-mail.ts";

/** How long an invitation can be accepted, by the organisation's clock. */
const INVITATION_DAYS = 7;

/**
 * Throws 403 `permission_required` when `by` may not give or take the role: only owners change owners (interface 14.1).
 */
export function requireGrant(by: Pick<Member, "role">, role: Role): void {
  if (!mayGrant(by.role, role))
    throw new ApiError("permission_required", 403, "Only an owner may make, change or remove an owner.");
}

/**
 * Invites an address and requests the mail with its link (interface 14.1). Inviting the address again sends a new link,
 * and the previous link stops working. Throws 400 for the address of a member, 403 for a role that the inviter may not
 * give.
 */
export async function inviteMember(
  tx: Tx,
  ctx: Ctx,
  by: Pick<Member, "id" | "role">,
  body: MemberInviteBody,
): Promise<Invitation> {
  requireGrant(by, body.role);
  const [member, open] = await Promise.all([
    findMemberByEmail(tx, body.email),
    lockOpenInvitation(tx, { email: body.email }),
  ]);
  if (member) throw invalidField(["email"], `${member.email} is a member already.`);
  if (open) requireGrant(by, open.role);
  const { token, hash } = newSecretToken(ctx.organisation.id);
  const invitation: Invitation = {
    id: open?.id ?? newId("ivt"),
    email: body.email.toLowerCase(),
    role: body.role,
    invitedBy: by.id,
    expiresAt: addSeconds(ctx.now, INVITATION_DAYS * DAY_SECONDS),
    acceptedAt: null,
    createdAt: open?.createdAt ?? ctx.now,
  };
  const id = await saveInvitation(tx, invitation, hash);
  mailInvitation(tx, ctx, { ...invitation, id }, { text: token, hash });
  return { ...invitation, id };
}
