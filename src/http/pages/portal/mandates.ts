import {
  type PortalMandate,
  type PortalMandates,
  readPortalMandates,
  signPortalMandate,
} from "../../../flows/portal/portal-mandates.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { isStorable } from "../../../kernel/text.ts";
import { bankOfBranch } from "../../../modules/mandates/rules/check-digits.ts";
import { MANDATE_CURRENCY } from "../../../modules/mandates/rules.ts";
import { type PortalMandateModel, portalMandatesPage } from "../../../templates/pages/portal-mandates.ts";
import { brandOf } from "../brand.ts";
import { type Action, type FormPage, formPage, redisplay } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import type { PageAnswer, PageRoute, Site } from "../site.ts";
import { type Visit, visitOf } from "./visit.ts";

/** Leads to the page on which the agreement is signed; to the sign-in page when nobody is signed in. */
const sign: Action<Visit, PortalMandates | null> = async ({ site, ctx, session, path }, _facts, form) => {
  const id = form.field("mandate");
  if (!isStorable(id)) return redisplay(400, "Choose one of your debit orders.");
  try {
    return { goTo: (await signPortalMandate(site.services, ctx, session, id)) ?? path };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return redisplay(error.status, error.message);
    throw error;
  }
};

/** `/portal/<slug>/debit-orders`: the mandates of the signed-in customer. */
const MANDATES: FormPage<Visit, PortalMandates | null> = {
  url: "/:slug/debit-orders",
  open: visitOf,
  read: ({ site, ctx, session }) =>
    session === "" ? Promise.resolve(null) : readPortalMandates(site.services, ctx, session),
  limits: ({ ctx, network }) => ({ [`page:portal-mandates:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
  // Without a session the action leads to the sign-in page.
  acceptsForm: (_visit, facts) => !facts?.readOnly,
  // Bound to the session, so that a token of another visitor is refused.
  formName: ({ path, session }) => `${path}/debit-orders ${session}`,
  actions: { sign },
  show(visit, facts, sent): PageAnswer {
    const { site, ctx } = visit;
    if (!facts) throw new ApiError("permission_required", 403, sent?.problem ?? "Sign in first.");
    return {
      sandbox: ctx.organisation.sandbox,
      capability: false,
      html: portalMandatesPage({
        brand: brandOf(ctx.organisation, facts.settings),
        mandates: facts.mandates.map(mandateShown),
        homePath: visit.path,
        formToken: site.formToken(MANDATES.formName(visit)),
        problems: sent?.problem ? [sent.problem] : [],
      }),
    };
  },
};

const mandateShown = ({ mandate, stage, nextDebitDate, maySign }: PortalMandate): PortalMandateModel => ({
  id: mandate.id,
  description: mandate.description,
  accountReference: mandate.accountReference,
  amount: mandate.amount,
  currency: MANDATE_CURRENCY,
  frequency: mandate.frequency,
  bank: mandate.bank.name ?? bankOfBranch(mandate.bank.branchCode),
  accountNumberLast4: mandate.bank.accountNumberLast4,
  stage,
  nextDebitDate,
  lastDebitDate: mandate.lastCollectedAt,
  maySign,
  bankUrl: stage === "awaiting_signature" ? mandate.eMandateUrl : null,
});

/** The page's routes. A visitor without a session is redirected to the sign-in page. */
export const mandateRoutes = (site: Site): PageRoute => {
  const route = formPage(site, MANDATES);
  return {
    ...route,
    async get(request, reply) {
      const visit = await visitOf(site, request);
      return (await MANDATES.read(visit)) ? route.get(request, reply) : site.goTo(reply, visit.path);
    },
  };
};
