import type { FastifyInstance } from "fastify";
import { currentSettings } from "../../../flows/organisations/settings.ts";
import { findMerchant, type SandboxMerchant } from "../../../flows/sandbox-gateway/merchant.ts";
import { choosePaymentOutcome, findPaymentOfPage } from "../../../flows/sandbox-gateway/payments.ts";
import type { Services } from "../../../flows/services.ts";
import {
  nextUrl,
  type PaymentChoice,
  readPaymentForm,
  type SandboxPayment,
  TEST_CARDS,
} from "../../../gateways/sandbox/server.ts";
import { sandboxGatewayDonePage, sandboxGatewayPage } from "../../../templates/pages/sandbox-gateway.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { type FormPage, formPage, type Outcome, type Redisplay, type Sent, validated } from "../form-page.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions, type Site } from "../site.ts";
import { MANDATE_PAGE } from "./mandate-page.ts";

/** A request to the page of a payment. */
interface Visit {
  readonly site: Site;
  readonly merchant: SandboxMerchant;
  readonly checkoutId: string;
  readonly path: string;
}

/**
 * Registers the sandbox gateway's pages (interface 13.6): `/sandbox-gateway/pay/<account>/<checkout>`, on which the
 * outcome of a payment is chosen, and `/sandbox-gateway/mandate/<account>/<mandate>`, on which an electronic mandate is
 * signed.
 */
export function registerSandboxPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/sandbox-gateway/mandate", [formPage(site, MANDATE_PAGE)]);
  mountPages(app, site, "/sandbox-gateway/pay", [formPage(site, PAYMENT_PAGE)]);
}

function check(
  form: Form,
  payment: SandboxPayment,
): { readonly input: PaymentChoice } | { readonly redisplay: Redisplay } {
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
  if (reading.kind === "choice") return { input: reading.choice };
  const { outcome, ...errors } = reading.faults;
  return { redisplay: { status: 400, errors, ...(outcome ? { problem: outcome } : {}) } };
}

/** When several choices arrive at once the first counts, and the page shows it. */
async function choose({ site, merchant }: Visit, payment: SandboxPayment, choice: PaymentChoice): Promise<Outcome> {
  const decided = await choosePaymentOutcome(site.services, merchant, payment, choice);
  const next = decided && nextUrl(decided);
  return next ? { goTo: next } : { redisplay: { status: 200 } };
}

async function show({ site, merchant, path }: Visit, payment: SandboxPayment, sent: Sent | null): Promise<PageAnswer> {
  const { organisation } = merchant.ctx;
  const settings = await site.services.db.read(organisation.id, currentSettings);
  const shown = {
    merchantName: brandOf(organisation, settings).name,
    description: payment.description,
    amount: payment.amount,
    currency: payment.currency,
    reference: payment.reference,
  };
  const typed = (field: string) => sent?.form?.field(field) ?? "";
  const error = (field: string) => sent?.errors?.[field] ?? null;
  const html =
    payment.status === "pending"
      ? sandboxGatewayPage({
          payment: shown,
          testCards: TEST_CARDS.map(({ number, brand, charge, renewal }) => ({
            number,
            effect: effectOf(brand, charge, renewal),
          })),
          canSaveCard: true,
          card: typed("card"),
          expiry: typed("expiry"),
          saveCard: typed("saveCard") !== "",
          cardError: error("card"),
          expiryError: error("expiry"),
          problem: sent?.problem ?? null,
          formToken: site.formToken(path),
        })
      : sandboxGatewayDonePage({ payment: shown, outcome: payment.status, returnUrl: nextUrl(payment) });
  return { html, sandbox: true, capability: true };
}

const PAYMENT_PAGE: FormPage<Visit, SandboxPayment> = {
  url: "/:account/:checkout",
  async open(site, request) {
    const { account, checkout } = request.params as { account: string; checkout: string };
    const merchant = /^sbc_[0-9a-f]{24}$/.test(checkout) ? await findMerchant(site.services, account) : null;
    if (!merchant) throw noSuchPage();
    return { site, merchant, checkoutId: checkout, path: `/sandbox-gateway/pay/${account}/${checkout}` };
  },
  async read({ site, merchant, checkoutId }) {
    const payment = await findPaymentOfPage(site.services, merchant, checkoutId);
    if (!payment) throw noSuchPage();
    return payment;
  },
  limits: () => ({}),
  acceptsForm: (_visit, { status }) => status === "pending",
  formName: ({ path }) => path,
  actions: { "": validated(check, choose) },
  show,
};

const BRANDS = { visa: "Visa", mastercard: "Mastercard", amex: "American Express", diners: "Diners Club" } as const;

/** Description of a test card: its brand, and the outcome of later charges of it. */
function effectOf(brand: keyof typeof BRANDS, charge: string, renewal: string): string {
  if (renewal !== "complete") return `${BRANDS[brand]}, declined when charged later`;
  return charge === "complete" ? BRANDS[brand] : `${BRANDS[brand]}, no longer accepted when charged later`;
}
