import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { currentSettings } from "../../../flows/organisations/settings.ts";
import { findMerchant, type SandboxMerchant } from "../../../flows/sandbox-gateway/merchant.ts";
import { choosePaymentOutcome, findPaymentOfPage } from "../../../flows/sandbox-gateway/payments.ts";
import type { Services } from "../../../flows/services.ts";
import { nextUrl, readPaymentForm, type SandboxPayment, TEST_CARDS } from "../../../gateways/sandbox/server.ts";
import { sandboxGatewayDonePage, sandboxGatewayPage } from "../../../templates/pages/sandbox-gateway.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { createSite, mountPages, noSuchPage, type PageOptions, type Site } from "../site.ts";
import { mandatePage } from "./mandate-routes.ts";

/** A request to a page of the sandbox gateway. */
interface Visit {
  readonly site: Site;
  readonly merchant: SandboxMerchant;
  readonly payment: SandboxPayment;
  readonly path: string;
}

interface Faults {
  readonly status: number;
  readonly card?: string;
  readonly expiry?: string;
  readonly problem?: string;
  readonly sent: Form | null;
}

/**
 * Registers the sandbox gateway's pages (interface 13.6): `/sandbox-gateway/pay/<account>/<checkout>`, on which the outcome of a payment is
 * chosen, and `/sandbox-gateway/mandate/<account>/<mandate>`, on which an electronic mandate is signed.
 */
export function registerSandboxPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/sandbox-gateway/mandate", [mandatePage(site)]);
  mountPages(app, site, "/sandbox-gateway/pay", [
    {
      url: "/:account/:checkout",
      safe: true,
      get: async (request, reply) => show(await visitOf(site, request), reply, { status: 200, sent: null }),
      post: async (request, reply) => {
        const visit = await visitOf(site, request);
        return submit(visit, site.form(request, visit.path, request.body), reply);
      },
    },
  ]);
}

async function visitOf(site: Site, request: FastifyRequest): Promise<Visit> {
  const { account, checkout } = request.params as { account: string; checkout: string };
  const merchant = /^sbc_[0-9a-f]{24}$/.test(checkout) ? await findMerchant(site.services, account) : null;
  const payment = merchant && (await findPaymentOfPage(site.services, merchant, checkout));
  if (!merchant || !payment) throw noSuchPage();
  return { site, merchant, payment, path: `/sandbox-gateway/pay/${account}/${checkout}` };
}

async function submit(visit: Visit, form: Form, reply: FastifyReply): Promise<FastifyReply> {
  const { site, merchant, payment } = visit;
  if (payment.status !== "pending") return show(visit, reply, { status: 200, sent: null });
  if (form.originProblem) return show(visit, reply, { status: 403, problem: form.originProblem, sent: form });
  const saveCard = form.field("saveCard");
  const reading = readPaymentForm(
    {
      outcome: form.field("outcome"),
      card: form.field("card"),
      expiry: form.field("expiry"),
      ...(saveCard === "" ? {} : { saveCard }),
    },
    payment,
  );
  if (reading.kind === "wrong") {
    const { outcome, ...faults } = reading.faults;
    return show(visit, reply, { status: 400, ...faults, ...(outcome ? { problem: outcome } : {}), sent: form });
  }
  const decided = await choosePaymentOutcome(site.services, merchant, payment, reading.choice);
  const next = decided && nextUrl(decided);
  if (next) return site.goTo(reply, next);
  const now = await findPaymentOfPage(site.services, merchant, payment.checkoutId ?? "");
  return show({ ...visit, payment: now ?? payment }, reply, { status: 200, sent: null });
}

async function show(
  { site, merchant, payment, path }: Visit,
  reply: FastifyReply,
  faults: Faults,
): Promise<FastifyReply> {
  const { organisation } = merchant.ctx;
  const settings = await site.services.db.read(organisation.id, currentSettings);
  const shown = {
    merchantName: brandOf(organisation, settings).name,
    description: payment.description,
    amount: payment.amount,
    currency: payment.currency,
    reference: payment.reference,
  };
  const { sent } = faults;
  const html =
    payment.status === "pending"
      ? sandboxGatewayPage({
          payment: shown,
          testCards: TEST_CARDS.map(({ number, brand, charge, renewal }) => ({
            number,
            effect: effectOf(brand, charge, renewal),
          })),
          canSaveCard: true,
          card: sent?.field("card") ?? "",
          expiry: sent?.field("expiry") ?? "",
          saveCard: (sent?.field("saveCard") ?? "") !== "",
          cardError: faults.card ?? null,
          expiryError: faults.expiry ?? null,
          problem: faults.problem ?? null,
          formToken: site.formToken(path),
        })
      : sandboxGatewayDonePage({ payment: shown, outcome: payment.status, returnUrl: nextUrl(payment) });
  return site.send(reply, { status: faults.status, html, sandbox: true, capability: true });
}

const BRANDS = { visa: "Visa", mastercard: "Mastercard", amex: "American Express", diners: "Diners Club" } as const;

/** Description of a test card: its brand, and the outcome of later charges of it. */
function effectOf(brand: keyof typeof BRANDS, charge: string, renewal: string): string {
  if (renewal !== "complete") return `${BRANDS[brand]}, declined when charged later`;
  return charge === "complete" ? BRANDS[brand] : `${BRANDS[brand]}, no longer accepted when charged later`;
}
