import type { FastifyRequest } from "fastify";
import { type PayPageFacts, readPayPage } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import { portalSessionOf } from "../portal/visit.ts";
import { noSuchPage, type Site } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

/** A visit to the pages of a link. */
export interface PayVisit extends Visit<PaymentLinkId> {
  /**
   * The token of the payer's portal session, which decides about saved cards (interface 4.11); not verified, empty
   * without one.
   */
  readonly session: string;
}

/** Resolves the token in the path. Throws 404 for an invalid one. */
export async function payVisitOf(site: Site, request: FastifyRequest): Promise<PayVisit> {
  return { ...(await visitOf(site, request, PAY_PAGE)), session: portalSessionOf(request) };
}

/** Reads the facts of the link's pages. Throws 404 when the link no longer exists. */
export async function factsOf({
  site,
  ctx,
  id,
  session = "",
}: Visit<PaymentLinkId> & Partial<PayVisit>): Promise<PayPageFacts> {
  const facts = await readPayPage(site.services, ctx, id, session);
  if (!facts) throw noSuchPage();
  return facts;
}
