import type { FastifyRequest } from "fastify";
import { type Ctx, contextFor } from "../../../flows/context.ts";
import { organisationBySlug } from "../../../modules/organisations/store.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { noSuchPage, type Site } from "../site.ts";

/** Name of the session's cookie. */
export const PORTAL_COOKIE = "tefo_portal";

/** A request to an organisation's portal. */
export interface Visit {
  readonly site: Site;
  readonly ctx: Ctx;
  /** The client network that limits count by. */
  readonly network: string;
  /** `/portal/<slug>`. */
  readonly path: string;
  /** The session's token from the cookie, not verified; empty without a cookie. */
  readonly session: string;
}

/** Reads the organisation of the portal. Throws 404 for an unknown slug. */
export async function visitOf(site: Site, request: FastifyRequest): Promise<Visit> {
  const { slug } = request.params as { slug: string };
  const organisation = /^[a-z0-9-]{1,63}$/.test(slug) ? await organisationBySlug(site.services.db, slug) : null;
  if (!organisation) throw noSuchPage();
  const payer = site.payer(request);
  return {
    site,
    ctx: contextFor(site.services, organisation, payer, request.id),
    network: networkOf(payer.ip),
    path: `/portal/${organisation.slug}`,
    session: portalSessionOf(request),
  };
}

/** The session's token from the cookie, not verified; empty without a cookie. */
export function portalSessionOf({ headers: { cookie = "" } }: FastifyRequest): string {
  const [, session = ""] = new RegExp(`(?:^|;\\s*)${PORTAL_COOKIE}=([\\w-]{64})(?:;|$)`).exec(cookie) ?? [];
  return session;
}

/** Name that the sign-out form's token is bound to. */
export const signOutForm = ({ path, session }: Visit): string => `${path} ${session}`;
