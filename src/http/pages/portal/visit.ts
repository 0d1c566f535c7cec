import { randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Ctx, contextFor } from "../../../flows/context.ts";
import { DAY_SECONDS } from "../../../kernel/time.ts";
import { organisationBySlug } from "../../../modules/organisations/store.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { noSuchPage, type Site } from "../site.ts";

/** Name of the session's cookie. */
export const PORTAL_COOKIE = "tefo_portal";

/** A request to an organisation's portal. */
export interface Visit {
  readonly site: Site;
  readonly ctx: Ctx;
  /** The client network against which limits are counted. */
  readonly network: string;
  /** `/portal/<slug>`. */
  readonly path: string;
  /** The session's token from the cookie, not verified; empty without a cookie. */
  readonly session: string;
  /**
   * The browser's own random value, to which forms for signing in are bound; `isNew` until the browser has its cookie.
   */
  readonly browser: { readonly id: string; readonly isNew: boolean };
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
    browser: browserOf(request),
  };
}

/** The session's token from the cookie, not verified; empty without a cookie. */
export function portalSessionOf({ headers: { cookie = "" } }: FastifyRequest): string {
  const [, session = ""] = new RegExp(`(?:^|;\\s*)${PORTAL_COOKIE}=([\\w-]{64})(?:;|$)`).exec(cookie) ?? [];
  return session;
}

const BROWSER_COOKIE = "tefo_browser";

function browserOf({ headers: { cookie = "" } }: FastifyRequest): Visit["browser"] {
  const [, id] = new RegExp(`(?:^|;\\s*)${BROWSER_COOKIE}=([\\w-]{22})(?:;|$)`).exec(cookie) ?? [];
  return id === undefined ? { id: randomBytes(16).toString("base64url"), isNew: true } : { id, isNew: false };
}

/**
 * The name to which the token of a sign-in form is bound. Anybody may read such a form, so without the browser's value
 * its token would let another site sign a browser in as somebody else.
 */
export const signInForm = ({ path, browser }: Visit): string => `${path} ${browser.id}`;

/** The headers that give a new browser its value. */
export const browserHeaders = (visit: Visit): Record<string, string> =>
  visit.browser.isNew
    ? {
        "Set-Cookie": portalCookie(visit, BROWSER_COOKIE, visit.browser.id, { path: visit.path, seconds: DAY_SECONDS }),
      }
    : {};

/** A `Set-Cookie` line of the portal. */
export const portalCookie = (
  { site }: Pick<Visit, "site">,
  name: string,
  value: string,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(site.services.baseUrl.startsWith("https:") ? ["Secure"] : []),
  ].join("; ");

/** The name to which the sign-out form's token is bound. */
export const signOutForm = ({ path, session }: Visit): string => `${path} ${session}`;
