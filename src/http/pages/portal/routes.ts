import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { currentSettings } from "../../../flows/organisations/settings.ts";
import { portalCreditNoteFile, portalInvoiceFile } from "../../../flows/portal/portal-files.ts";
import { type PortalFacts, readPortal } from "../../../flows/portal/read-portal.ts";
import {
  readSignInLink,
  requestSignInLink,
  SESSION_SECONDS,
  type SignInLink,
  signInByLink,
  signOut,
} from "../../../flows/portal-access/sign-in-link.ts";
import type { Services } from "../../../flows/services.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { customerName } from "../../../modules/customers/rules.ts";
import { email as emailSchema } from "../../../platform/schema.ts";
import type { Brand } from "../../../templates/pages/parts.ts";
import {
  type PortalSignInModel,
  portalConfirmPage,
  portalSentPage,
  portalSignInPage,
} from "../../../templates/pages/portal-sign-in.ts";
import { brandOf } from "../brand.ts";
import { type FormPage, formPage, invalidFields, type Outcome, redisplay, type Sent, validated } from "../form-page.ts";
import { countSubmission, type Limit, SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions } from "../site.ts";
import { accountAnswer, sendDocument, sendStatement, showStatement } from "./account.ts";
import { cardRoutes } from "./cards.ts";
import { mandateRoutes } from "./mandates.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { browserHeaders, PORTAL_COOKIE, portalCookie, signInForm, signOutForm, type Visit, visitOf } from "./visit.ts";

/** Sign-in mails to one address. */
const MAILS_PER_ADDRESS: Limit = { uses: 3, seconds: 3600 };
/**
 * Responses take at least this long: requesting a mail takes longer than finding no customer, and the time must not
 * reveal which it was.
 */
const ANSWER_AFTER_MS = 300;

/**
 * Registers `/portal/<organisation slug>` (interface 15.1 and 4.4): what a customer owes and has paid, after they sign
 * in by a mailed link.
 */
export function registerPortal(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/portal", [
    formPage(site, HOME),
    formPage(site, LINK),
    cardRoutes(site),
    subscriptionRoutes(site),
    mandateRoutes(site),
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
    // It has no page of its own: its button is on the home page.
    { url: SIGN_OUT.url, post: formPage(site, SIGN_OUT).post },
  ]);
}

/**
 * The session's cookies: one for the portal, and one each for the organisation's checkout and for pay pages, where it
 * decides about saved cards (interface 4.11).
 */
const cookies = (visit: Visit, value: string, seconds: number): string[] =>
  [visit.path, `/c/${visit.ctx.organisation.slug}`, "/pay"].map((path) =>
    portalCookie(visit, PORTAL_COOKIE, value, { path, seconds }),
  );

const brand = async ({ site, ctx: { organisation } }: Visit): Promise<Brand> =>
  brandOf(organisation, await site.services.db.read(organisation.id, currentSettings));

async function signInAnswer(
  visit: Visit,
  sent: Sent | null,
  reason: PortalSignInModel["reason"] = "none",
): Promise<PageAnswer> {
  return {
    sandbox: visit.ctx.organisation.sandbox,
    capability: true,
    headers: browserHeaders(visit),
    html: portalSignInPage({
      brand: await brand(visit),
      reason: sent ? "none" : reason,
      formToken: visit.site.formToken(signInForm(visit)),
      email: sent?.form?.field("email") ?? "",
      emailError: sent?.errors?.["email"] ?? null,
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

/** Mails a sign-in link. The response is the same whether or not a customer has the address. */
const mailLink = validated<Visit, unknown, string>(
  (form) => {
    const email = form.field("email");
    if (emailSchema().safeParse(email).success) return { input: email };
    return invalidFields({ email: "Write an email address such as thandi@example.co.za." });
  },
  async (visit, _facts, email) => {
    const { site, ctx } = visit;
    const digest = createHash("sha256").update(email.toLowerCase()).digest("base64url");
    const scope = `page:portal-mail:${ctx.organisation.id}:${digest}`;
    const limited = await countSubmission(site.services, { [scope]: MAILS_PER_ADDRESS });
    if (limited) return redisplay(429, limited.message, { headers: limited.headers });
    await Promise.all([requestSignInLink(site.services, ctx, email), sleep(ANSWER_AFTER_MS)]);
    const html = portalSentPage({ brand: await brand(visit), email });
    return { page: { sandbox: ctx.organisation.sandbox, capability: true, html } };
  },
);

/** The home page: the account of the signed-in customer, else the form for a sign-in link. */
const HOME: FormPage<Visit, PortalFacts | null> = {
  url: "/:slug",
  open: visitOf,
  read: async ({ site, ctx, session }) => (session === "" ? null : readPortal(site.services, ctx, session)),
  limits: ({ ctx, network }) => ({ [`page:portal:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
  acceptsForm: () => true,
  formName: signInForm,
  actions: { "": mailLink },
  show: (visit, facts, sent) => (facts && !sent ? accountAnswer(visit, facts) : signInAnswer(visit, sent)),
};

/** A visit by a sign-in link. */
interface LinkVisit extends Visit {
  readonly token: string;
}

async function signInBy(visit: LinkVisit): Promise<Outcome> {
  const session = await signInByLink(visit.site.services, visit.ctx, visit.token);
  if (session === null) return { redisplay: { status: 200 } };
  return { goTo: visit.path, headers: { "Set-Cookie": cookies(visit, session, SESSION_SECONDS) } };
}

/**
 * The page of a sign-in link, which shows who signs in. Its button uses the link up; opening the page does not, since
 * mail scanners open links. An expired or used link shows the form for a new one.
 */
const LINK: FormPage<LinkVisit, SignInLink> = {
  url: "/:slug/sign-in/:token",
  open: async (site, request) => ({
    ...(await visitOf(site, request)),
    token: (request.params as { token: string }).token,
  }),
  async read({ site, ctx, token }) {
    const link = await readSignInLink(site.services, ctx, token);
    if (!link) throw noSuchPage();
    return link;
  },
  limits: ({ ctx, network, token }) => ({
    [`page:portal-link:${ctx.organisation.id}:${createHash("sha256").update(token).digest("base64url")}:${network}`]:
      SUBMISSIONS,
  }),
  acceptsForm: () => true,
  formName: signInForm,
  actions: { sign_in: signInBy, "": mailLink },
  async show(visit, link, sent) {
    if (link.kind !== "open") return signInAnswer(visit, sent?.problem || sent?.errors ? sent : null, link.kind);
    return {
      sandbox: visit.ctx.organisation.sandbox,
      capability: true,
      headers: browserHeaders(visit),
      html: portalConfirmPage({
        brand: await brand(visit),
        customerName: customerName(link.customer),
        email: link.customer.email,
        formToken: visit.site.formToken(signInForm(visit)),
        problems: sent?.problem ? [sent.problem] : [],
      }),
    };
  },
};

const SIGN_OUT: FormPage<Visit, null> = {
  url: "/:slug/sign-out",
  open: visitOf,
  read: async () => null,
  limits: () => ({}),
  acceptsForm: () => true,
  formName: signOutForm,
  actions: {
    "": async (visit) => {
      await signOut(visit.site.services, visit.ctx, visit.session);
      return { goTo: visit.path, headers: { "Set-Cookie": cookies(visit, "", 0) } };
    },
  },
  show: (_visit, _facts, sent) => {
    throw new ApiError("permission_required", 403, sent?.problem ?? "Sign out by the button of your account.");
  },
};
