import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AgreementStatus } from "../../../domain/mandate-agreement.ts";
import { type Ctx, contextFor, isReadOnlyNow } from "../../../flows/context.ts";
import { agreementFile } from "../../../flows/documents/agreement-file.ts";
import {
  readAgreementPage,
  readSignPage,
  type SignPageFacts,
  signAgreement,
} from "../../../flows/mandates/sign-agreement.ts";
import type { Services } from "../../../flows/services.ts";
import type { MandateAgreementId } from "../../../kernel/ids.ts";
import { codePoints, truncate } from "../../../kernel/text.ts";
import { AGREEMENT_PAGE } from "../../../modules/mandate-agreements/declarations.ts";
import { MANDATE_CURRENCY } from "../../../modules/mandates/rules.ts";
import { organisationById } from "../../../modules/organisations/store.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { readSecretToken } from "../../../platform/tokens.ts";
import { agreementBlocks, CONSENT } from "../../../templates/agreement.ts";
import { type SignState, signMandatePage } from "../../../templates/pages/sign-mandate.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import { type FormPage, formPage, invalidFields, redisplay, type Sent, validated } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions, type Site } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

const NAME = { min: 2, max: 100 } as const;
const USER_AGENT_MAX = 500;

/**
 * Registers `/sign-mandate/<token>` (interface 4.10), the page on which a customer signs a debit order agreement, and
 * `/agreement/<token>`, which shows the same to staff without a form to sign it.
 */
export function registerSignMandatePages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/sign-mandate", [
    formPage(site, PAGE),
    {
      url: "/:token/agreement.pdf",
      safe: true,
      get: async (request, reply) => {
        const visit = await open(site, request);
        const { agreement } = await read(visit);
        return sendAgreement(reply, visit, agreement);
      },
    },
  ]);
  mountPages(app, site, `/${AGREEMENT_PAGE.path}`, [
    {
      url: "/:token",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, AGREEMENT_PAGE);
        const facts = await readShown(visit);
        const { status, expiresAt } = facts.agreement;
        const state: SignState = status === "open" ? { kind: "shown", expiresAt } : stateOf(visit, facts);
        return site.send(reply, answer(visit, facts, state, null));
      },
    },
    {
      url: "/:token/agreement.pdf",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, AGREEMENT_PAGE);
        return sendAgreement(reply, visit, (await readShown(visit)).agreement);
      },
    },
  ]);
}

/** What both pages need from a request. */
type Shown = Pick<SignVisit, "site" | "ctx" | "path">;

async function readShown({ site, ctx, id }: Visit<MandateAgreementId>): Promise<SignPageFacts> {
  const facts = await readAgreementPage(site.services, ctx, id);
  if (!facts) throw noSuchPage();
  return facts;
}

/** Sends the agreement as a PDF. Throws 404 for one that can no longer be signed. */
async function sendAgreement(
  reply: FastifyReply,
  { site, ctx }: Shown,
  { id, mandateId, status }: SignPageFacts["agreement"],
): Promise<FastifyReply> {
  if (status !== "open" && status !== "signed") throw noSuchPage();
  return sendFile(reply, await agreementFile(site.services, ctx, id, mandateId));
}

interface SignVisit {
  readonly site: Site;
  readonly ctx: Ctx;
  readonly network: string;
  readonly path: string;
  readonly token: string;
  readonly userAgent: string | null;
}

/** The token is secret and only its hash is stored; it contains its organisation. Throws 404. */
async function open(site: Site, request: FastifyRequest): Promise<SignVisit> {
  const { token } = request.params as { token: string };
  const claim = readSecretToken(token);
  const organisation = claim && (await organisationById(site.services.db, claim.organisation));
  if (!organisation) throw noSuchPage();
  const payer = site.payer(request);
  const userAgent = request.headers["user-agent"];
  return {
    site,
    ctx: contextFor(site.services, organisation, payer, request.id),
    network: networkOf(payer.ip),
    path: `/sign-mandate/${token}`,
    token,
    userAgent: userAgent === undefined ? null : truncate(userAgent.toWellFormed(), USER_AGENT_MAX),
  };
}

async function read({ site, ctx, token }: SignVisit): Promise<SignPageFacts> {
  const facts = await readSignPage(site.services, ctx, token);
  if (!facts) throw noSuchPage();
  return facts;
}

const sign = validated<SignVisit, SignPageFacts, string>(
  (form) => {
    const name = form.field("fullName");
    const length = codePoints(name);
    const errors = {
      ...(length < NAME.min || length > NAME.max ? { fullName: "Write the full name of the person who signs." } : {}),
      ...(form.field("accept") === "" ? { accept: "Tick the box to agree." } : {}),
    };
    return Object.keys(errors).length > 0 ? invalidFields(errors) : { input: name };
  },
  async ({ site, ctx, token, path, userAgent }, _facts, name) => {
    const signer = { name, consent: CONSENT, address: ctx.actor.ip, userAgent };
    const { signed, status } = await signAgreement(site.services, ctx, token, signer);
    return signed ? { goTo: path } : redisplay(409, TOO_LATE[status]);
  },
);

const TOO_LATE: Readonly<Record<AgreementStatus, string>> = {
  open: "The agreement could not be signed. Try again.",
  signed: "The agreement was signed in the meantime.",
  cancelled: "The agreement was withdrawn in the meantime, so it can no longer be signed.",
  expired: "The agreement has expired, so it can no longer be signed.",
};

const PAGE: FormPage<SignVisit, SignPageFacts> = {
  url: "/:token",
  open,
  read,
  limits: ({ token, network }) => ({ [`page:sign-mandate:${token.slice(0, 32)}:${network}`]: SUBMISSIONS }),
  acceptsForm: ({ ctx }, { agreement }) => !isReadOnlyNow(ctx) && agreement.status === "open",
  formName: ({ path }) => path,
  actions: { sign },
  choose: "Use the button to sign.",
  show: (visit, facts, sent) => answer(visit, facts, stateOf(visit, facts), sent),
};

/** The page of an agreement. */
const answer = (
  { ctx, path }: Shown,
  { agreement, mandate, settings }: SignPageFacts,
  state: SignState,
  sent: Sent | null,
): PageAnswer => ({
  sandbox: ctx.organisation.sandbox,
  capability: true,
  html: signMandatePage({
    brand: brandOf(ctx.organisation, settings),
    amount: mandate.amount,
    currency: MANDATE_CURRENCY,
    description: mandate.description,
    account: `ending in ${mandate.bank.accountNumberLast4}`,
    accountReference: mandate.accountReference,
    blocks: agreementBlocks(agreement.document),
    pdf: `${path}/agreement.pdf`,
    state,
    fullName: sent?.form?.field("fullName") ?? "",
    accepted: (sent?.form?.field("accept") ?? "") !== "",
    errors: sent?.errors ?? {},
    problem: sent?.problem ?? null,
  }),
});

function stateOf({ site, ctx, path }: Shown, { agreement }: SignPageFacts): SignState {
  const { status, signature, expiresAt } = agreement;
  if (signature) return { kind: "signed", by: signature.name, at: signature.signedAt };
  if (status === "expired") return { kind: "expired", at: expiresAt };
  if (status === "cancelled") return { kind: "cancelled" };
  return isReadOnlyNow(ctx) ? { kind: "paused" } : { kind: "open", formToken: site.formToken(path), expiresAt };
}
