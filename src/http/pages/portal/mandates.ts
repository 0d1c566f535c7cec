import {
  type PortalMandate,
  type PortalMandates,
  readPortalMandates,
  signPortalMandate,
} from "../../../flows/portal/portal-mandates.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { isStorable } from "../../../kernel/text.ts";
import { bankOfBranch, MANDATE_CURRENCY } from "../../../modules/mandates/rules.ts";
import { type PortalMandateModel, portalMandatesPage } from "../../../templates/pages/portal-mandates.ts";
import { brandOf } from "../brand.ts";
import { type Action, redisplay } from "../form-page.ts";
import type { PageRoute, Site } from "../site.ts";
import { signedInPage } from "./signed-in-page.ts";
import { type Visit, visitOf } from "./visit.ts";

/** Redirects to the page on which the agreement is signed; to the sign-in page when nobody is signed in. */
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
export const mandateRoutes = (site: Site): PageRoute =>
  signedInPage<Visit, PortalMandates>(site, {
    name: "portal-mandates",
    url: "/:slug/debit-orders",
    pathOf: ({ path }) => `${path}/debit-orders`,
    open: visitOf,
    read: ({ ctx, session }) => readPortalMandates(site.services, ctx, session),
    actions: { sign },
    render: ({ ctx, path }, facts, { formToken, sent }) =>
      portalMandatesPage({
        brand: brandOf(ctx.organisation, facts.settings),
        mandates: facts.mandates.map(mandateShown),
        homePath: path,
        formToken,
        problems: sent?.problem ? [sent.problem] : [],
      }),
  });

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
