import type { FastifyRequest } from "fastify";
import { type Ctx, contextFor } from "../../flows/context.ts";
import { openHostedLink } from "../../flows/hosted-links.ts";
import type { Id } from "../../kernel/ids.ts";
import { isProgram } from "../../modules/documents/rules/views.ts";
import { networkOf } from "../../platform/addresses.ts";
import type { HostedPage } from "../../platform/tokens.ts";
import { noSuchPage, type Site } from "./site.ts";

/** A request to a page whose URL is the permission. */
export interface Visit<Subject extends string> {
  readonly site: Site;
  readonly ctx: Ctx;
  /** The client network against which limits are counted. */
  readonly network: string;
  /** `/<page>/<token>`. */
  readonly path: string;
  /** Id of the record that the page shows. */
  readonly id: Subject;
  /** As `isByPayer` says. */
  readonly byPayer: boolean;
}

/** Whether the browser is signed in to the dashboard, in another tab. */
const hasStaffSession = ({ headers }: FastifyRequest): boolean =>
  /(^|;\s*)(__Host-)?tefo\.session_token=[^;]/.test(headers.cookie ?? "");

/** Whether a person opens a page who is not staff: such a view is shown to staff. */
export const isByPayer = (request: FastifyRequest): boolean =>
  !isProgram(request.headers["user-agent"]) && !hasStaffSession(request);

/** Resolves the token in the path. Throws 404 for an invalid one. */
export async function visitOf<Kind extends string>(
  site: Site,
  request: FastifyRequest,
  page: HostedPage<Kind>,
): Promise<Visit<Id<Kind>>> {
  const { token } = request.params as { token: string };
  const opened = await openHostedLink(site.services, page, token);
  if (!opened) throw noSuchPage();
  const payer = site.payer(request);
  const ctx = contextFor(site.services, opened.organisation, payer, request.id);
  return {
    site,
    ctx,
    network: networkOf(payer.ip),
    path: `/${page.path}/${token}`,
    id: opened.id,
    byPayer: isByPayer(request),
  };
}
