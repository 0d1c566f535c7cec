import type { FastifyReply, FastifyRequest } from "fastify";
import { currentSettings } from "../../../flows/organisations/settings.ts";
import {
  answerMandate,
  findMandate,
  type MandateChoice,
  type SandboxMandate,
} from "../../../flows/sandbox-gateway/mandates.ts";
import { findMerchant, type SandboxMerchant } from "../../../flows/sandbox-gateway/merchant.ts";
import type { BusinessDay } from "../../../kernel/time.ts";
import { sandboxMandatePage } from "../../../templates/pages/sandbox-mandate.ts";
import { brandOf } from "../brand.ts";
import { noSuchPage, type PageRoute, type Site } from "../site.ts";

/** A request to the page of a mandate. */
interface Visit {
  readonly site: Site;
  readonly merchant: SandboxMerchant;
  readonly mandate: SandboxMandate;
  readonly path: string;
}

/** `/sandbox-gateway/mandate/<account>/<mandate>` (interface 13.6): the page on which a payer signs an electronic mandate. */
export const mandatePage = (site: Site): PageRoute => ({
  url: "/:account/:mandate",
  safe: true,
  get: async (request, reply) => show(await visitOf(site, request), reply, { status: 200, problem: null }),
  post: async (request, reply) => submit(await visitOf(site, request), request, reply),
});

async function visitOf(site: Site, request: FastifyRequest): Promise<Visit> {
  const { account, mandate: id } = request.params as { account: string; mandate: string };
  const merchant = /^sba_[0-9a-f]{24}$/.test(id) ? await findMerchant(site.services, account) : null;
  const mandate = merchant && (await findMandate(site.services, merchant, id));
  if (!merchant || !mandate) throw noSuchPage();
  return { site, merchant, mandate, path: `/sandbox-gateway/mandate/${account}/${id}` };
}

async function submit(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, merchant, mandate, path } = visit;
  const form = site.form(request, path, request.body);
  if (mandate.status !== "waiting") return show(visit, reply, { status: 200, problem: null });
  if (form.originProblem) return show(visit, reply, { status: 403, problem: form.originProblem });
  const outcome = form.field("outcome");
  if (!isChoice(outcome)) return show(visit, reply, { status: 400, problem: "Choose how you answer." });
  await answerMandate(site.services, merchant, mandate, outcome);
  // The page shows the stored answer, which may be an earlier one.
  return site.goTo(reply, path);
}

const isChoice = (outcome: string): outcome is MandateChoice =>
  outcome === "complete" || outcome === "failed" || outcome === "cancelled";

async function show(
  { site, merchant, mandate, path }: Visit,
  reply: FastifyReply,
  { status, problem }: { readonly status: number; readonly problem: string | null },
): Promise<FastifyReply> {
  const { organisation } = merchant.ctx;
  const settings = await site.services.db.read(organisation.id, currentSettings);
  const html = sandboxMandatePage({
    ...mandate,
    startDate: mandate.startDate as BusinessDay,
    merchantName: brandOf(organisation, settings).name,
    problem,
    formToken: site.formToken(path),
  });
  return site.send(reply, { status, html, sandbox: true, capability: true });
}
