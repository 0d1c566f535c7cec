import type { FastifyReply, FastifyRequest } from "fastify";
import { addressOfClick, partnerOf, recordClick, recordSignUp } from "../../../flows/referral-links/referral-links.ts";
import { REFERRAL_PAGE } from "../../../modules/referral-links/declarations.ts";
import { isByPerson } from "../../../modules/referral-links/rules.ts";
import { countSubmission, type Limit } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type RegisterPages, type Site } from "../site.ts";
import { visitOf } from "../visit.ts";

/** How many clicks on one link from one network are counted. */
const COUNTED: Limit = { uses: 30, seconds: 600 };
/** How many sign-ups for one link one network may report. */
const REPORTED: Limit = { uses: 300, seconds: 600 };

/**
 * `/refer/<token>` redirects to an accounting partner and counts the people who followed it; the partner reports
 * sign-ups below it (interface 4.13).
 */
export const registerReferralPages: RegisterPages = (app, services, options) => {
  const site = createSite(services, options);
  const signedUp = (request: FastifyRequest, reply: FastifyReply) => takeSignUp(site, request, reply);
  mountPages(app, site, "/refer", [
    { url: "/:token", safe: true, get: (request, reply) => follow(site, request, reply) },
    { url: "/:token/sign-ups/:click", get: signedUp, post: signedUp },
  ]);
};

async function linkOf(site: Site, request: FastifyRequest) {
  const visit = await visitOf(site, request, REFERRAL_PAGE);
  const partner = partnerOf(visit.id);
  if (!partner) throw noSuchPage();
  return { ...visit, partner };
}

async function follow(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, id, network, partner } = await linkOf(site, request);
  const { db } = site.services;
  const person = request.method === "GET" && isByPerson(request.headers);
  if (
    person &&
    (await countSubmission(site.services, { [`page:refer:${ctx.organisation.id}:${id}:${network}`]: COUNTED })) === null
  )
    await db.transaction(ctx.organisation.id, async (tx) => recordClick(tx, partner));
  return site.goTo(reply, addressOfClick(ctx, partner));
}

async function takeSignUp(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, id, network, partner } = await linkOf(site, request);
  const refused = await countSubmission(site.services, {
    [`page:referred:${ctx.organisation.id}:${id}:${network}`]: REPORTED,
  });
  if (refused) throw refused;
  const { click } = request.params as { click: string };
  const known = await site.services.db.transaction(ctx.organisation.id, async (tx) =>
    recordSignUp(tx, ctx, partner, click),
  );
  if (!known) throw noSuchPage();
  return reply.code(204).header("cache-control", "no-store").send();
}
