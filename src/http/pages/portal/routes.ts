import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { currentSettings } from "../../../flows/organisations/settings.ts";
import { portalCreditNoteFile, portalInvoiceFile } from "../../../flows/portal/portal-files.ts";
import {
  readSignInLink,
  requestSignInLink,
  SESSION_SECONDS,
  signInByLink,
  signOut,
} from "../../../flows/portal/sign-in.ts";
import type { Services } from "../../../flows/services.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { personName } from "../../../modules/customers/rules.ts";
import { email as emailSchema } from "../../../platform/schema.ts";
import type { Brand } from "../../../templates/pages/parts.ts";
import {
  type PortalSignInModel,
  portalConfirmPage,
  portalSentPage,
  portalSignInPage,
} from "../../../templates/pages/portal-sign-in.ts";
import { brandOf } from "../brand.ts";
import { countSubmission, type Limit, SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { sendDocument, sendStatement, showAccount, showStatement } from "./account.ts";
import { PORTAL_COOKIE, signOutForm, type Visit, visitOf } from "./visit.ts";

/** So that nobody's mailbox is filled from here. */
const MAILS_PER_ADDRESS: Limit = { uses: 3, seconds: 3600 };
/** Mailing a link takes longer than finding that there is nobody to mail it to; the answer must not tell. */
const ANSWER_AFTER_MS = 300;

/** `/portal/<organisation slug>` (interface 15.1 and 4.4): what a customer owes and has paid, behind a link that is mailed. */
export function registerPortal(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/portal", [
    {
      url: "/:slug",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request);
        return (await showAccount(visit, reply)) ?? showSignIn(visit, reply, {});
      },
      post: async (request, reply) => mailLink(await visitOf(site, request), request, reply),
    },
    {
      url: "/:slug/sign-in/:token",
      safe: true,
      get: async (request, reply) => showLink(await visitOf(site, request), request, reply),
      post: async (request, reply) => submitLink(await visitOf(site, request), request, reply),
    },
    {
      url: "/:slug/statement",
      safe: true,
      get: async (request, reply) => showStatement(await visitOf(site, request), request, reply),
    },
    {
      url: "/:slug/statement.pdf",
      get: async (request, reply) => sendStatement(await visitOf(site, request), request, reply),
    },
    {
      url: "/:slug/invoices/:id/pdf",
      get: async (request, reply) => sendDocument(await visitOf(site, request), request, reply, portalInvoiceFile),
    },
    {
      url: "/:slug/credit-notes/:id/pdf",
      get: async (request, reply) => sendDocument(await visitOf(site, request), request, reply, portalCreditNoteFile),
    },
    { url: "/:slug/sign-out", post: async (request, reply) => leave(await visitOf(site, request), request, reply) },
  ]);
}

/** Says who signs in. Mail scanners open links, so this uses nothing up: the button does (`submitLink`). */
async function showLink(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, path } = visit;
  const link = await readSignInLink(site.services, ctx, tokenOf(request));
  if (!link) throw noSuchPage();
  if (link.kind !== "open") return showSignIn(visit, reply, { reason: link.kind });
  return site.send(reply, {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: portalConfirmPage({
      brand: await brand(visit),
      customerName: link.customer.company ?? personName(link.customer),
      email: link.customer.email,
      formToken: site.formToken(path),
    }),
  });
}

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token;

/** The button of `showLink`; and the form of a link that is over, which asks for a new one. */
async function submitLink(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, path } = visit;
  const form = site.form(request, path);
  if (form.field("action") !== "sign_in") return mailLink(visit, request, reply);
  if (form.distrust) throw new ApiError("permission_required", 403, form.distrust);
  const session = await signInByLink(site.services, ctx, tokenOf(request));
  if (session === null) return showLink(visit, request, reply);
  return site.goTo(reply.header("Set-Cookie", cookie(visit, session, SESSION_SECONDS)), path);
}

const cookie = ({ site, path }: Visit, value: string, seconds: number): string =>
  [
    `${PORTAL_COOKIE}=${value}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(site.services.baseUrl.startsWith("https:") ? ["Secure"] : []),
  ].join("; ");

type SignInState = Partial<Pick<PortalSignInModel, "reason" | "email" | "emailError">> & {
  readonly status?: number;
  readonly problem?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

async function showSignIn(visit: Visit, reply: FastifyReply, state: SignInState): Promise<FastifyReply> {
  const { site, ctx, path } = visit;
  const { status = 200, reason = "none", email = "", emailError = null, problem, headers = {} } = state;
  return site.send(reply, {
    status,
    headers,
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: portalSignInPage({
      brand: await brand(visit),
      reason,
      formToken: site.formToken(path),
      email,
      emailError,
      problems: problem === undefined ? [] : [problem],
    }),
  });
}

const brand = async ({ site, ctx: { organisation } }: Visit): Promise<Brand> =>
  brandOf(organisation, await site.services.db.read(organisation.id, currentSettings));

/** The same answer whether the address is a customer's or not. */
async function mailLink(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, network, path } = visit;
  const form = site.form(request, path);
  const email = form.field("email");
  if (form.distrust) return showSignIn(visit, reply, { status: 403, email, problem: form.distrust });
  if (!emailSchema().safeParse(email).success)
    return showSignIn(visit, reply, {
      status: 400,
      email,
      emailError: "Write an email address such as thandi@example.co.za.",
    });
  const { id } = ctx.organisation;
  const digest = createHash("sha256").update(email.toLowerCase()).digest("base64url");
  const limited = await countSubmission(site.services, {
    [`page:portal:${id}:${network}`]: SUBMISSIONS,
    [`page:portal-mail:${id}:${digest}`]: MAILS_PER_ADDRESS,
  });
  if (limited)
    return showSignIn(visit, reply, { status: 429, email, problem: limited.message, headers: limited.headers });
  await Promise.all([requestSignInLink(site.services, ctx, email), sleep(ANSWER_AFTER_MS)]);
  return site.send(reply, {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: portalSentPage({ brand: await brand(visit), email }),
  });
}

async function leave(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, path, session } = visit;
  const { distrust } = site.form(request, signOutForm(visit));
  if (distrust) throw new ApiError("permission_required", 403, distrust);
  await signOut(site.services, ctx, session);
  return site.goTo(reply.header("Set-Cookie", cookie(visit, "", 0)), path);
}
