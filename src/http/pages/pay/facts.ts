import type { FastifyRequest } from "fastify";
import { type PayPageFacts, readPayPage } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { isStorable } from "../../../kernel/text.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import { noSuchPage, type Site } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

/** The query field that names the API key by whose sign-in link the customer came through the portal (interface 4.11). */
export const SIGNED_IN_BY = "signedInBy";

/** A visit to the pages of a link. */
export interface PayVisit extends Visit<PaymentLinkId> {
  /** Saved cards are offered only while this key may charge them; null: the customer did not sign in by the link of a key. */
  readonly signedInBy: string | null;
}

/** Resolves the token in the path. Throws 404 for an invalid one. */
export async function payVisitOf(site: Site, request: FastifyRequest): Promise<PayVisit> {
  const { [SIGNED_IN_BY]: key } = request.query as Record<string, unknown>;
  // A key that cannot exist may charge no card either.
  const signedInBy = key === undefined ? null : isStorable(String(key)) ? String(key) : "";
  return { ...(await visitOf(site, request, PAY_PAGE)), signedInBy };
}

/** Reads the facts of the link's pages. Throws 404 when the link does not exist any more. */
export async function factsOf({
  site,
  ctx,
  id,
  signedInBy = null,
}: Visit<PaymentLinkId> & Partial<PayVisit>): Promise<PayPageFacts> {
  const facts = await readPayPage(site.services, ctx, id, signedInBy);
  if (!facts) throw noSuchPage();
  return facts;
}
