import { ApiError, invalidField } from "../../kernel/errors.ts";
import { addSeconds, DAY_SECONDS } from "../../kernel/time.ts";
import {
  findBuiltIn,
  type HeldRole,
  heldRole,
  lacking,
  mayGrant,
  permissionWords,
} from "../../modules/members/rules.ts";
import type { MemberInviteBody } from "../../modules/members/schema.ts";
import {
  findMemberByEmail,
  lockOpenInvitation,
  readRole,
  saveInvitation,
  shareOwnRole,
} from "../../modules/members/store.ts";
import type { Invitation, Member, RoleId } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { mailInvitation } from "./invitation-mail.ts";

/** How long an invitation can be accepted, by the organisation's clock. */
const INVITATION_DAYS = 7;

/** The member of staff who acts. */
export interface Granting {
  readonly id: Member["id"];
  readonly role: HeldRole;
}

/**
 * Throws 403 `permission_required` when `by` may not give or take the role: only owners change owners, and nobody gives
 * or takes a permission that they lack (interface 14.1).
 */
export function requireGrant(by: Pick<Granting, "role">, role: HeldRole): void {
  if (mayGrant(by.role, role)) return;
  if (role.id === "owner")
    throw new ApiError("permission_required", 403, "Only an owner may make, change or remove an owner.");
  const missing = lacking(by.role, role).map(permissionWords).join(", nor ");
  throw new ApiError(
    "permission_required",
    403,
    `You can give and take only what you may do yourself. Your role ${by.role.name} may not ${missing}.`,
  );
}

/**
 * The role that is to be given, which stays as it is until the transaction ends. Throws 400 for a role of the
 * organisation's own that is not there, 403 when `by` may not give it.
 */
export async function roleToGive(tx: Tx, by: Pick<Granting, "role">, id: RoleId): Promise<HeldRole> {
  const own = findBuiltIn(id) ? null : await shareOwnRole(tx, id);
  if (!findBuiltIn(id) && own === null) throw invalidField(["role"], "There is no role with this id.");
  const role = heldRole(id, own);
  requireGrant(by, role);
  return role;
}

/**
 * Invites an address and requests the mail with its link (interface 14.1). Inviting the address again sends a new link,
 * and the previous link stops working. Throws 400 for the address of a member and for an unknown role, 403 for a
 * role that the inviter may not give.
 */
export async function inviteMember(tx: Tx, ctx: Ctx, by: Granting, body: MemberInviteBody): Promise<Invitation> {
  const role = await roleToGive(tx, by, body.role);
  const [member, open] = await Promise.all([
    findMemberByEmail(tx, body.email),
    lockOpenInvitation(tx, { email: body.email }),
  ]);
  if (member) throw invalidField(["email"], `${member.email} is a member already.`);
  if (open) requireGrant(by, await readRole(tx, open.role));
  const { token, hash } = newSecretToken(ctx.organisation.id);
  const invitation: Invitation = {
    id: open?.id ?? newId("ivt"),
    email: body.email.toLowerCase(),
    role: role.id,
    invitedBy: by.id,
    expiresAt: addSeconds(ctx.now, INVITATION_DAYS * DAY_SECONDS),
    acceptedAt: null,
    createdAt: open?.createdAt ?? ctx.now,
  };
  const id = await saveInvitation(tx, invitation, hash);
  mailInvitation(tx, ctx, { ...invitation, id }, role.name, { text: token, hash });
  return { ...invitation, id };
}
