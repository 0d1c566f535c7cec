import type { Instant } from "../../kernel/time.ts";
import { instant, toTimestamp } from "../../kernel/time.ts";
import { listByRole } from "../../modules/members/store.ts";
import type { Invitation } from "../../modules/members/types.ts";
import type { DisabledReason, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { endpointDisabledMail } from "../../templates/mails/endpoint-disabled.ts";
import { invitationMail } from "../../templates/mails/invitation.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail, secretOf } from "../mail/mail.ts";
import { fromTefo } from "../mail/senders.ts";

/** The invitation at the time of the request: inviting the same address again changes it. */
type InvitationFacts = { readonly inviterName: string | null; readonly role: string; readonly expiresAt: string };

/** To a person who is invited to be a member. Only owners may read it: it may invite an owner, and only owners may invite owners. */
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
  (role) => role === "owner",
);

/**
 * Why the endpoint was disabled. These are facts of the request, since the endpoint may be enabled, changed or deleted before the
 * mail is written.
 */
type EndpointFacts = {
  readonly endpointUrl: string;
  readonly reason: DisabledReason;
  readonly failingSince: string;
  readonly lastError: string;
};

/** To the owners: a webhook endpoint was disabled. */
export const ENDPOINT_DISABLED_MAIL = declareMail<EndpointFacts>(
  "endpoint-disabled",
  async (_tx, ctx, { facts, createdAt }) =>
    fromTefo(
      endpointDisabledMail({
        organisationName: ctx.organisation.name,
        sandbox: ctx.organisation.sandbox,
        endpointUrl: facts.endpointUrl,
        reason: facts.reason,
        failingSince: instant(facts.failingSince),
        disabledAt: createdAt,
        lastError: facts.lastError,
        url: `${ctx.baseUrl}/dashboard/webhook-endpoints`,
      }),
    ),
);

/** Requests the mail with the invitation's link, which ends in `token`; only the token's hash is stored. */
export const mailInvitation = (
  tx: Tx,
  ctx: Ctx,
  invitation: Invitation,
  token: { text: string; hash: Buffer },
): boolean =>
  requestMail(tx, ctx, INVITATION_MAIL, {
    about: invitation.id,
    to: [invitation.email],
    once: `invitation:${token.hash.toString("base64url")}`,
    facts: {
      inviterName: ctx.actor.name,
      role: invitation.role,
      expiresAt: toTimestamp(invitation.expiresAt),
    },
    secret: token.text,
  });

/** Requests the mail to the owners that a webhook endpoint was disabled at `ctx.now`. Nothing when there are no owners. */
export async function mailEndpointDisabled(
  tx: Tx,
  ctx: Ctx,
  { id, url }: WebhookEndpoint,
  { reason, failingSince, lastError }: { reason: DisabledReason; failingSince: Instant; lastError: string },
): Promise<void> {
  const owners = await listByRole(tx, ["owner"]);
  requestMail(tx, ctx, ENDPOINT_DISABLED_MAIL, {
    about: id,
    to: owners.map(({ email }) => email),
    once: `endpoint-disabled:${id}:${toTimestamp(ctx.now)}`,
    facts: { endpointUrl: url, reason, failingSince: toTimestamp(failingSince), lastError },
  });
}
