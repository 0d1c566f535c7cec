import type { FastifyInstance, FastifyRequest } from "fastify";
import { renamePerson } from "../../flows/members/rename-person.ts";
import type { Services } from "../../flows/services.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { type OpenSessions, PersonRename, SessionEnd } from "../../modules/members/schema.ts";
import type { Identity, StaffSession } from "../../platform/identity.ts";
import { clientAddress } from "../client-address.ts";
import { cookiesOf, DASHBOARD_PREFIX, signedOut } from "../dashboard-api.ts";
import { parse } from "../errors.ts";
import { readBody } from "../mount.ts";
import { requireOwnOrigin } from "../origin.ts";
import { openRoute } from "./open-route.ts";

/** `/account`: a person's own name and sessions, whatever organisations they are a member of (interface 14.1). */
export function registerAccountRoutes(
  app: FastifyInstance,
  identity: Identity,
  services: Services,
  options: { trustedProxies: number },
): void {
  const asPerson =
    <T>(answer: (session: StaffSession, request: FastifyRequest) => Promise<T>) =>
    async (request: FastifyRequest): Promise<T> => {
      requireOwnOrigin(request, services.baseUrl);
      const session = await identity.session(cookiesOf(request));
      if (!session) throw signedOut();
      return answer(session, request);
    };
  const sessions = async (own: StaffSession): Promise<OpenSessions> => ({
    data: (await identity.sessionsOf(own.userId)).map(({ id, startedAt, usedAt, address, browser }) => ({
      id,
      startedAt: toTimestamp(startedAt),
      usedAt: toTimestamp(usedAt),
      address,
      browser,
      current: id === own.id,
    })),
    hasMore: false,
    nextCursor: null,
  });
  openRoute(app, "GET", `${DASHBOARD_PREFIX}/account/sessions`, asPerson(sessions));
  openRoute(
    app,
    "POST",
    `${DASHBOARD_PREFIX}/account/sessions/end`,
    asPerson(async (own, request) => {
      const { id } = parse(SessionEnd, readBody(request), "body");
      if (!(await identity.endSessionOf(own.userId, id))) throw notFound("session of yours");
      return sessions(own);
    }),
  );
  openRoute(
    app,
    "POST",
    `${DASHBOARD_PREFIX}/account/name`,
    asPerson(async ({ userId }, request) => {
      const { name } = parse(PersonRename, readBody(request), "body");
      await identity.rename(userId, name);
      await renamePerson(services, userId, name, {
        ip: clientAddress(request, options.trustedProxies),
        requestId: request.id,
      });
      return { name };
    }),
  );
}
