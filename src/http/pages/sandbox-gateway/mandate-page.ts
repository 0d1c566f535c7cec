import { currentSettings } from "../../../flows/organisations/settings.ts";
import {
  answerMandate,
  findMandate,
  type MandateChoice,
  type SandboxMandate,
} from "../../../flows/sandbox-gateway/mandates.ts";
import { findMerchant, type SandboxMerchant } from "../../../flows/sandbox-gateway/merchant.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { sandboxMandatePage } from "../../../templates/pages/sandbox-mandate.ts";
import { brandOf } from "../brand.ts";
import { type FormPage, redisplay, validated } from "../form-page.ts";
import { noSuchPage, type Site } from "../site.ts";

/** A request to the page of a mandate. */
interface Visit {
  readonly site: Site;
  readonly merchant: SandboxMerchant;
  readonly mandateId: string;
  readonly path: string;
}

const isChoice = (outcome: string): outcome is MandateChoice =>
  outcome === "complete" || outcome === "failed" || outcome === "cancelled";

const answer = validated<Visit, SandboxMandate, MandateChoice>(
  (form) => {
    const outcome = form.field("outcome");
    return isChoice(outcome) ? { input: outcome } : redisplay(400, "Choose how you answer.");
  },
  async ({ site, merchant, path }, mandate, outcome) => {
    await answerMandate(site.services, merchant, mandate, outcome);
    // The page shows the recorded answer, which may be an earlier one.
    return { goTo: path };
  },
);

/**
 * `/sandbox-gateway/mandate/<account>/<mandate>` (interface 13.6): the page on which a payer signs an electronic
 * mandate.
 */
export const MANDATE_PAGE: FormPage<Visit, SandboxMandate> = {
  url: "/:account/:mandate",
  async open(site, request) {
    const { account, mandate: id } = request.params as { account: string; mandate: string };
    const merchant = /^sba_[0-9a-f]{24}$/.test(id) ? await findMerchant(site.services, account) : null;
    if (!merchant) throw noSuchPage();
    return { site, merchant, mandateId: id, path: `/sandbox-gateway/mandate/${account}/${id}` };
  },
  async read({ site, merchant, mandateId }) {
    const mandate = await findMandate(site.services, merchant, mandateId);
    if (!mandate) throw noSuchPage();
    return mandate;
  },
  limits: () => ({}),
  acceptsForm: (_visit, { status }) => status === "waiting",
  formName: ({ path }) => path,
  actions: { "": answer },
  async show({ site, merchant, path }, mandate, sent) {
    const { organisation } = merchant.ctx;
    const settings = await site.services.db.read(organisation.id, currentSettings);
    const html = sandboxMandatePage({
      ...mandate,
      startDate: mandate.startDate as CalendarDay,
      merchantName: brandOf(organisation, settings).name,
      problem: sent?.problem ?? null,
      formToken: site.formToken(path),
    });
    return { html, sandbox: true, capability: true };
  },
};
