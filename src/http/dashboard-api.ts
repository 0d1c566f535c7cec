import type { FastifyRequest } from "fastify";
import { contextFor, requireFeature, requireSandbox, requireWritable } from "../flows/context.ts";
import { type MembershipFacts, membershipsOfUser } from "../flows/members/memberships.ts";
import type { Services } from "../flows/services.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { type HeldRole, mayDo, type Permission, permissionWords } from "../modules/members/rules.ts";
import type { Identity } from "../platform/identity.ts";
import { clientAddress } from "./client-address.ts";
import { isForSandbox, isForWritable, permissionsOf } from "./endpoint.ts";
import type { Api } from "./mount.ts";
import { requireOwnOrigin } from "./origin.ts";

/** Path prefix of the dashboard's API (interface 14.1). */
export const DASHBOARD_PREFIX = "/dashboard/api";
const ORGANISATION_HEADER = "tefo-organisation";

/**
 * The dashboard's API, for staff with a session. Order of refusals: foreign origin 403, no session 401, organisation
 * (`chooseMembership`); then, as in the client API, the plan's feature, a read-only account, the role's permission.
 * There is no rate limit by address: without a signed cookie no query is made, and sign-in has limits of its own.
 */
export function dashboardApi(services: Services, identity: Identity, options: { trustedProxies: number }): Api {
  return {
    prefix: DASHBOARD_PREFIX,
    audiences: ["clients", "staff"],
    async admit(request, endpoint) {
      requireOwnOrigin(request, services.baseUrl);
      const session = await identity.session(cookiesOf(request));
      if (!session) throw request.headers.authorization?.includes("tefo_") ? keyAtDashboard() : signedOut();
      const memberships = await membershipsOfUser(services, session.userId);
      const { member, organisation } = chooseMembership(memberships, request.headers[ORGANISATION_HEADER]);
      const ip = clientAddress(request, options.trustedProxies);
      const ctx = contextFor(
        services,
        organisation,
        { kind: "member", id: member.id, name: member.name || member.email, ip, role: member.role },
        request.id,
      );
      return {
        ctx,
        headers: {},
        member: { id: member.id, role: member.role },
        signedInAt: session.signedInAt,
        checkPlan() {
          if (endpoint.feature) requireFeature(organisation, endpoint.feature);
        },
        checkOrganisation() {
          if (isForWritable(endpoint)) requireWritable(ctx);
          if (isForSandbox(endpoint)) requireSandbox(ctx);
          for (const permission of permissionsOf(endpoint)) requirePermission(member.role, permission);
        },
        checkReading(permission, feature) {
          if (feature) requireFeature(organisation, feature);
          requirePermission(member.role, permission);
        },
      };
    },
  };
}

function requirePermission(role: HeldRole, permission: Permission): void {
  if (mayDo(role, permission)) return;
  throw new ApiError(
    "permission_required",
    403,
    `Your role ${role.name} may not ${permissionWords(permission)}. An owner or admin can change your role under Settings, Team.`,
  );
}

const keyAtDashboard = (): ApiError =>
  new ApiError(
    "unauthorized",
    401,
    "API keys are for the client API: send the request to the same path below /api/v1. This API needs a session.",
  );

/** The error 401 of the dashboard's API. */
export const signedOut = (): ApiError =>
  new ApiError("unauthorized", 401, "You are not signed in, or your session has ended. Sign in again.");

/** The headers that the identity service reads: only cookies. */
export const cookiesOf = (request: FastifyRequest): Headers => new Headers({ cookie: request.headers.cookie ?? "" });

/**
 * The membership in the organisation that the header `Tefo-Organisation: <slug>` names; without the header, the user's
 * only membership. Throws 400, with the slugs, when there are several and no header. Throws 403 `permission_required`
 * for an unknown slug, for an organisation without the user and for a user without memberships: with the same message,
 * so that nobody learns which slugs exist.
 */
function chooseMembership(
  memberships: readonly MembershipFacts[],
  header: string | string[] | undefined,
): MembershipFacts {
  const slug = header === undefined ? undefined : String(header).trim();
  const [only, ...others] = memberships;
  if (!only)
    throw new ApiError(
      "permission_required",
      403,
      "You are a member of no organisation. Ask an owner for an invitation.",
    );
  if (slug) {
    const named = memberships.find(({ organisation }) => organisation.slug === slug);
    if (named) return named;
    throw new ApiError(
      "permission_required",
      403,
      `You are not a member of an organisation named ${slug.slice(0, 63)}.`,
    );
  }
  if (others.length === 0) return only;
  const slugs = memberships.map(({ organisation }) => organisation.slug).join(", ");
  throw invalid(`You are a member of several organisations. Name one in the header Tefo-Organisation: ${slugs}.`);
}
