import { instant, toTimestamp } from "../../kernel/time.ts";
import type { Invitation } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { invitationMail } from "../../templates/mails/invitation.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail, secretOf } from "../mail/mail.ts";
import { fromTefo } from "../mail/senders.ts";

/** The invitation at the time of the request: inviting the same address again changes it. */
type InvitationFacts = { readonly inviterName: string | null; readonly role: string; readonly expiresAt: string };

/**
 * To a person who is invited to be a member. Only owners may read it: it may invite an owner, and only owners may
 * invite owners.
 */
export const INVITATION_MAIL = declareMail<InvitationFacts>(
  "invitation",
  async (_tx, ctx, request) => {
    const { inviterName, role, expiresAt } = request.facts;
    return fromTefo(
      invitationMail({
        organisationName: ctx.organisation.name,
        sandbox: ctx.organisation.sandbox,
        inviterName,
        role,
        url: `${ctx.baseUrl}/dashboard/invitations/${secretOf(ctx, request)}`,
        expiresAt: instant(expiresAt),
      }),
    );
  },
  ({ id }) => id === "owner",
);

/** Requests the mail with the invitation's link, which ends in `token`; only the token's hash is stored. */
export const mailInvitation = (
  tx: Tx,
  ctx: Ctx,
  invitation: Invitation,
  roleName: string,
  token: { text: string; hash: Buffer },
): boolean =>
  requestMail(tx, ctx, INVITATION_MAIL, {
    about: invitation.id,
    to: [invitation.email],
    once: `invitation:${token.hash.toString("base64url")}`,
    facts: {
      inviterName: ctx.actor.name,
      role: roleName,
      expiresAt: toTimestamp(invitation.expiresAt),
    },
    secret: token.text,
  });
