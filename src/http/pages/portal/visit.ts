import type { FastifyRequest } from "fastify";
import { type Ctx, contextFor } from "../../../flows/context.ts";
import { organisationBySlug } from "../../../modules/organisations/store.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { noSuchPage, type Site } from "../site.ts";

/** The session's cookie. */
export const PORTAL_COOKIE = "tefo_portal";

/** A visitor of an organisation's portal. */
export interface Visit {
  readonly site: Site;
  readonly ctx: Ctx;
  /** What limits count as one client. */
  readonly network: string;
  /** `/portal/<slug>`. */
  readonly path: string;
  /** The session's token as the cookie has it, proven by nothing; empty without one. */
  readonly session: string;
}

/** Throws 404 for a slug that is nobody's. */
export async function visitOf(site: Site, request: FastifyRequest): Promise<Visit> {
  const { slug } = request.params as { slug: string };
  const organisation = /^[a-z0-9-]{1,63}$/.test(slug) ? await organisationBySlug(site.services.db, slug) : null;
  if (!organisation) throw noSuchPage();
  const payer = site.payer(request);
  const [, session = ""] =
    new RegExp(`(?:^|;\\s*)${PORTAL_COOKIE}=([\\w-]{64})(?:;|$)`).exec(request.headers.cookie ?? "") ?? [];
  return {
    site,
    ctx: contextFor(site.services, organisation, payer, request.id),
    network: networkOf(payer.ip),
    path: `/portal/${organisation.slug}`,
    session,
  };
}

/** What the form that signs out is for. */
export const signOutForm = ({ path, session }: Visit): string => `${path} ${session}`;
