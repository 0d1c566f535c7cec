import type { FastifyRequest } from "fastify";
import { type Ctx, contextFor } from "../../../flows/context.ts";
import { openPayLink } from "../../../flows/payment-links/open-pay-link.ts";
import { type PayPageFacts, readPayPage } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { noSuchPage, type Site } from "../site.ts";

/** A payer at a link. */
export interface Visit {
  readonly site: Site;
  readonly ctx: Ctx;
  readonly ip: string;
  /** `/pay/<token>`. */
  readonly path: string;
  readonly linkId: PaymentLinkId;
}

/** Throws 404 for a token that opens nothing. */
export async function visitOf(site: Site, request: FastifyRequest): Promise<Visit> {
  const { token } = request.params as { token: string };
  const opened = await openPayLink(site.services, token);
  if (!opened) throw noSuchPage();
  const payer = site.payer(request);
  const ctx = contextFor(opened.organisation, payer, request.id);
  return { site, ctx, ip: payer.ip, path: `/pay/${token}`, linkId: opened.linkId };
}

/** What the link's pages show now. Throws 404 when the link is gone. */
export async function factsOf({ site, ctx, linkId }: Visit): Promise<PayPageFacts> {
  const facts = await readPayPage(site.services, ctx, linkId);
  if (!facts) throw noSuchPage();
  return facts;
}
