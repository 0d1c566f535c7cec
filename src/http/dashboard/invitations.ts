import type { FastifyInstance } from "fastify";
import { acceptInvitation, openInvitation } from "../../flows/members/accept-invitation.ts";
import type { Services } from "../../flows/services.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { InvitationAccept, InvitationToken } from "../../modules/members/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Identity } from "../../platform/identity.ts";
import { clientAddress } from "../client-address.ts";
import { DASHBOARD_PREFIX } from "../dashboard-api.ts";
import { parse } from "../errors.ts";
import { readBody } from "../mount.ts";
import { requireOwnOrigin } from "../origin.ts";
import { openRoute } from "./open-route.ts";

const organisationView = ({ id, slug, name, sandbox }: Organisation) => ({ id, slug, name, sandbox });

/** Registers the two routes for holders of an invitation link: its token is the permission (interface 14.1). */
export function registerInvitationRoutes(
  app: FastifyInstance,
  identity: Identity,
  services: Services,
  options: { trustedProxies: number },
): void {
  openRoute(app, "POST", `${DASHBOARD_PREFIX}/invitations/preview`, async (request) => {
    requireOwnOrigin(request, services.baseUrl);
    const { token } = parse(InvitationToken, readBody(request), "body");
    const { invitation, organisation, nameOf, user } = await openInvitation(services, identity, token);
    return {
      organisation: organisationView(organisation),
      email: invitation.email,
      role: invitation.role,
      roleName: nameOf(invitation.role),
      expiresAt: toTimestamp(invitation.expiresAt),
      needsPassword: user === null,
    };
  });
  openRoute(app, "POST", `${DASHBOARD_PREFIX}/invitations/accept`, async (request) => {
    requireOwnOrigin(request, services.baseUrl);
    const body = parse(InvitationAccept, readBody(request), "body");
    const origin = { ip: clientAddress(request, options.trustedProxies), requestId: request.id };
    const { member, organisation, created } = await acceptInvitation(services, identity, body, origin);
    return { member, organisation: organisationView(organisation), created };
  });
}
