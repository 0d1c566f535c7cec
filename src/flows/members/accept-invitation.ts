import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import type { InvitationAcceptBody } from "../../modules/members/schema.ts";
import { findInvitationByToken, insertMember, listOwnRoles, useInvitation } from "../../modules/members/store.ts";
import type { Invitation, Member } from "../../modules/members/types.ts";
import { memberView, type RoleNames, roleNames } from "../../modules/members/view.ts";
import { organisationById } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Identity, StaffUser } from "../../platform/identity.ts";
import { newId } from "../../platform/new-id.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import { clockOf, requireWritable } from "../context.ts";
import type { Services } from "../services.ts";

/** An invitation that can still be accepted. */
export interface OpenInvitation {
  readonly invitation: Invitation;
  readonly organisation: Organisation;
  readonly nameOf: RoleNames;
  /** The user with that address; null when there is none, who then has to choose a password. */
  readonly user: StaffUser | null;
}

interface Facts extends OpenInvitation {
  readonly tokenHash: Buffer;
  /** The organisation's clock, read once. */
  readonly now: Instant;
}

type WithDatabase = Pick<Services, "db">;

const alreadyAccepted = () =>
  new ApiError("invalid_state", 409, "This invitation was accepted before. Sign in instead.");

/**
 * The invitation of a link's token. Throws 404 for an unknown or deleted one, 409 `invalid_state` when it was accepted
 * or has expired.
 */
export async function openInvitation(
  services: WithDatabase,
  identity: Pick<Identity, "findUser">,
  token: string,
): Promise<Facts> {
  const read = readSecretToken(token);
  const organisation = read && (await organisationById(services.db, read.organisation));
  const [invitation, roles] = organisation
    ? await services.db.read(organisation.id, (tx) =>
        Promise.all([findInvitationByToken(tx, read.hash), listOwnRoles(tx)]),
      )
    : [null, []];
  if (!organisation || !invitation) throw notFound("invitation");
  const now = clockOf(organisation);
  if (invitation.acceptedAt) throw alreadyAccepted();
  if (invitation.expiresAt <= now)
    throw new ApiError("invalid_state", 409, "This invitation has expired. Ask for a new one.");
  const user = await identity.findUser(invitation.email);
  return { invitation, organisation, now, tokenHash: read.hash, nameOf: roleNames(roles), user };
}

/**
 * Makes the invited person a member. The token was mailed to the address, which proves that the address is theirs: an
 * existing user joins without a password, a new one chooses a password. The user is created before the membership, so
 * when the second step fails the same link still works. Throws as `openInvitation`, 400 for a missing password, 403
 * `account_restricted`.
 */
export async function acceptInvitation(
  services: WithDatabase,
  identity: Pick<Identity, "findUser" | "createUser">,
  body: InvitationAcceptBody,
  origin: { ip: string; requestId: string },
): Promise<{ member: ReturnType<typeof memberView>; organisation: Organisation; created: boolean }> {
  const facts = await openInvitation(services, identity, body.token);
  const { invitation, organisation, nameOf, now, tokenHash } = facts;
  requireWritable({ organisation, now });
  if (!facts.user && !body.password)
    throw invalidField(["password"], "Choose a password: this address has no account yet.");
  const user = facts.user ?? (await newUser(identity, invitation.email, body));
  return services.db.transaction(organisation.id, async (tx) => {
    const used = await useInvitation(tx, tokenHash, now);
    if (!used) throw alreadyAccepted();
    const { id: userId, email, name } = user;
    const member: Member = { id: newId("mem"), userId, email, name, role: used.role, createdAt: now };
    if (!(await insertMember(tx, member)))
      throw new ApiError("invalid_state", 409, `${email} is a member already. Sign in instead.`);
    const view = memberView(member, nameOf);
    recordAudit(tx, {
      now,
      actor: { kind: "member", id: member.id, name, ip: origin.ip },
      requestId: origin.requestId,
      action: "POST /invitations/accept",
      subject: member.id,
      before: null,
      after: view,
    });
    return { member: view, organisation, created: !facts.user };
  });
}

async function newUser(
  identity: Pick<Identity, "createUser">,
  email: string,
  body: InvitationAcceptBody,
): Promise<StaffUser> {
  const name = body.name || (email.split("@", 1)[0] ?? email);
  return { id: await identity.createUser({ email, name, password: body.password ?? "" }), email, name };
}
