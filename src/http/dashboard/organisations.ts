import type { FastifyInstance } from "fastify";
import { createOwnOrganisation, ownCreationsScope } from "../../flows/organisations/create-own-organisation.ts";
import type { Services } from "../../flows/services.ts";
import { OrganisationCreate } from "../../modules/organisations/schema.ts";
import type { Identity } from "../../platform/identity.ts";
import { countUses } from "../../platform/rate-windows.ts";
import { clientAddress } from "../client-address.ts";
import { cookiesOf, DASHBOARD_PREFIX, signedOut } from "../dashboard-api.ts";
import { parse } from "../errors.ts";
import { readBody } from "../mount.ts";
import { requireOwnOrigin } from "../origin.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";
import { openRoute } from "./open-route.ts";

const DAY = 24 * 3600;
const FOUNDED_PER_DAY = 5;

/**
 * `POST /organisations`: a signed-in person creates their own organisation (interface 14.1). The request names no other
 * organisation.
 */
export function registerOrganisationRoutes(
  app: FastifyInstance,
  identity: Identity,
  services: Services,
  options: { trustedProxies: number },
): void {
  const url = `${DASHBOARD_PREFIX}/organisations`;
  openRoute(
    app,
    "POST",
    url,
    async (request) => {
      requireOwnOrigin(request, services.baseUrl);
      const session = await identity.session(cookiesOf(request));
      if (!session) throw signedOut();
      const body = parse(OrganisationCreate, readBody(request), "body");
      await countFounding(services, session.userId);
      const ip = clientAddress(request, options.trustedProxies);
      const founder = { id: session.userId, email: session.email, name: session.name };
      const { id, slug, name, sandbox } = await createOwnOrganisation(services, founder, body, {
        ip,
        requestId: request.id,
      });
      return { id, slug, name, sandbox };
    },
    201,
  );
}

/** Counts a person's attempt to create an organisation, across all processes. Throws 429 with Retry-After. */
async function countFounding({ db }: Pick<Services, "db">, userId: string): Promise<void> {
  const start = windowStart(DAY);
  const [used = 0] = await countUses(db.sql, [ownCreationsScope(userId)], start);
  if (used > FOUNDED_PER_DAY)
    throw rateLimited(
      { limit: FOUNDED_PER_DAY, used, resetsAt: start + DAY },
      `You may try to make ${FOUNDED_PER_DAY} organisations a day. Wait until tomorrow.`,
    );
}
