import type { FastifyRequest } from "fastify";
import type { CheckoutAsked } from "../../../flows/checkout/read-checkout.ts";
import { sessionOfToken, sessionToken } from "../../../flows/checkout/session-object.ts";
import { type Ctx, contextFor } from "../../../flows/context.ts";
import type { CheckoutSessionId } from "../../../kernel/ids.ts";
import { CHECKOUT_PAGE } from "../../../modules/checkout-sessions/declarations.ts";
import { organisationBySlug } from "../../../modules/organisations/store.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { newId } from "../../../platform/new-id.ts";
import { portalSessionOf } from "../portal/visit.ts";
import { noSuchPage, type Site } from "../site.ts";
import { isByPayer } from "../visit.ts";

/** A request to an organisation's checkout. */
export interface CheckoutVisit {
  readonly site: Site;
  readonly ctx: Ctx;
  /** The client network against which limits are counted. */
  readonly network: string;
  /** The session in the URL, with its token; null without one. */
  readonly session: NamedToken | null;
  /** As `isByPayer` says. */
  readonly byPayer: boolean;
}

/** A session's id and token. */
export interface NamedToken {
  readonly id: CheckoutSessionId;
  readonly token: string;
}

/** A request to the page of a package or product. */
export interface SaleVisit extends CheckoutVisit {
  /** `/c/<slug>/package/<id>`. */
  readonly path: string;
  readonly asked: CheckoutAsked;
  /** The session of a submission: the URL's, else the one given to the form, else a new one. */
  readonly named: NamedToken;
  /** The address in the form, in lower case; empty without one. */
  readonly email: string;
  readonly checksCoupon: boolean;
}

/**
 * Reads the organisation and the session of the URL. Throws 404 for an unknown slug, and for a token that is not the
 * organisation's.
 */
export async function visitOf(site: Site, request: FastifyRequest): Promise<CheckoutVisit> {
  const { slug } = request.params as { slug: string };
  const organisation = /^[a-z0-9-]{1,63}$/.test(slug) ? await organisationBySlug(site.services.db, slug) : null;
  if (!organisation) throw noSuchPage();
  const payer = site.payer(request);
  const ctx = contextFor(site.services, organisation, payer, request.id);
  const token = queryText(request, "session");
  const id = token === "" ? null : sessionOfToken(ctx, token);
  if (token !== "" && id === null) throw noSuchPage();
  return { site, ctx, network: networkOf(payer.ip), session: id && { id, token }, byPayer: isByPayer(request) };
}

/** Like `visitOf`, for the page of a package or product, with the parts of the form that change the page. */
export async function saleVisitOf(
  site: Site,
  request: FastifyRequest,
  kind: CheckoutAsked["kind"],
): Promise<SaleVisit> {
  const visit = await visitOf(site, request);
  const { id } = request.params as { id: string };
  const path = `/c/${visit.ctx.organisation.slug}/${kind}/${id}`;
  const form = site.form(request, path, request.body);
  const sent = request.body as Readonly<Record<string, unknown>> | null | undefined;
  const named = visit.session ?? namedInForm(visit.ctx, form.field("session"));
  const couponCode = sent && "couponCode" in sent ? form.field("couponCode") : undefined;
  return {
    ...visit,
    path,
    asked: {
      kind,
      id,
      sessionId: visit.session?.id ?? null,
      namedId: named.id,
      planId: form.field("plan") || queryText(request, "plan"),
      currency: queryText(request, "currency").toUpperCase(),
      couponCode,
      portalSession: portalSessionOf(request),
    },
    named,
    email: form.field("email").toLowerCase(),
    checksCoupon: form.field("action") === "apply_coupon",
  };
}

function namedInForm(ctx: Ctx, sent: string): NamedToken {
  const id = sessionOfToken(ctx, sent);
  if (id) return { id, token: sent };
  const fresh = newId(CHECKOUT_PAGE.kind);
  return { id: fresh, token: sessionToken(ctx, fresh) };
}

/** A field of the query; empty for an absent one. */
export function queryText(request: FastifyRequest, name: string): string {
  const { [name]: value } = request.query as Readonly<Record<string, unknown>>;
  return typeof value === "string" ? value : "";
}
