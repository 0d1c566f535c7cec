import type { FastifyInstance, FastifyReply } from "fastify";
import { invoiceFile } from "../../../flows/documents/invoice-file.ts";
import { bankDetailsOf, type Gateway } from "../../../flows/gateways/accounts.ts";
import { hostedPath } from "../../../flows/hosted-links.ts";
import { invoicePayUrl } from "../../../flows/invoices/invoice-object.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { startPayment } from "../../../flows/payments/start-payment.ts";
import type { Services } from "../../../flows/services.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { type Cents, formatMoney, roundToCents } from "../../../kernel/money.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import type { Unavailable as Reason } from "../../../modules/payment-links/rules.ts";
import type { PaymentLink } from "../../../modules/payment-links/types.ts";
import { email } from "../../../platform/schema.ts";
import { documentOfInvoice } from "../../../templates/document.ts";
import type { PayerField } from "../../../templates/pages/fields.ts";
import { type GatewayOption, payPage, type Unavailable, unavailablePage } from "../../../templates/pages/pay.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { countSubmission, PAYMENTS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";
import { factsOf } from "./facts.ts";
import { resultRoutes } from "./result-routes.ts";

/** `/pay/<token>` (interface 2.3, 15.1): the pay page, its submission, and where payers come back to. */
export function registerPayPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/pay", [
    {
      url: "/:token",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, PAY_PAGE);
        return show(visit, await factsOf(visit), reply);
      },
      post: async (request, reply) => {
        const visit = await visitOf(site, request, PAY_PAGE);
        return submit(visit, site.form(request, visit.path), reply);
      },
    },
    {
      url: "/:token/invoice.pdf",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, PAY_PAGE);
        const { invoice } = await factsOf(visit);
        if (!invoice) throw noSuchPage();
        return sendFile(reply, await invoiceFile(services, visit.ctx, invoice.id));
      },
    },
    ...resultRoutes(site),
  ]);
}

/** What the payer sent last, and what is wrong with it. */
interface Sent {
  readonly status: number;
  readonly gateway: string;
  readonly email: string;
  readonly emailError?: string | null;
  /** A part of an invoice, as it was written. */
  readonly amount: string;
  readonly amountError?: string | null;
  /** With the form as a whole. */
  readonly problem?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const NOTHING_SENT: Sent = { status: 200, gateway: "", email: "", amount: "" };

function show(
  visit: Visit<PaymentLinkId>,
  facts: PayPageFacts,
  reply: FastifyReply,
  sent = NOTHING_SENT,
): FastifyReply {
  const { site, ctx } = visit;
  const { link, settings, unavailable, gateways, amount } = facts;
  if (unavailable) return showUnavailable(visit, facts, unavailable, reply);
  const { title, description, currency, recurring, expiresAt } = link;
  return site.send(reply, {
    status: sent.status,
    ...(sent.headers ? { headers: sent.headers } : {}),
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: payPage({
      brand: brandOf(ctx.organisation, settings),
      payable: {
        title,
        description,
        amount,
        currency,
        invoice: facts.invoice && { document: documentOfInvoice(facts.invoice), pdf: pdfPath(visit) },
        recurring,
        expiresAt,
      },
      gateways: gateways.map((gateway) => optionOf(visit, gateway)),
      chosenGateway: sent.gateway || null,
      fields: fieldsOf(facts, sent),
      receipts: settings.receipts && site.services.mailEnabled,
      part: link.collectsBalance ? { value: sent.amount, error: sent.amountError ?? null } : null,
      formToken: site.formToken(visit.path),
      problems: sent.problem ? [sent.problem] : [],
    }),
  });
}

const pdfPath = ({ path }: Visit<PaymentLinkId>): string => `${path}/invoice.pdf`;

/** A part of the invoice that the payer wants to pay; null for all of it. */
function partOf({ link, amount }: PayPageFacts, written: string): Cents | null | "wrong" {
  const text = written.replaceAll(/[R\s\u00a0]/gi, "").replace(",", ".");
  if (!link.collectsBalance || text === "") return null;
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(text)) return "wrong";
  const part = roundToCents(text);
  return part > 0 && part <= amount ? part : "wrong";
}

/** A bank transfer is known by its bank; any other way to pay by the name that the merchant gave it. */
function optionOf({ ctx }: Visit<PaymentLinkId>, { account, adapter }: Gateway): GatewayOption {
  if (!adapter.manualBankTransfer) return { id: account.id, name: account.name, methods: [], byHand: false };
  const { bankName } = bankDetailsOf(ctx, account);
  return { id: account.id, name: "Bank transfer", methods: [bankName], byHand: true };
}

/** Payers are asked for nothing that is known (interface 15.3). */
function fieldsOf({ customer, gateways }: PayPageFacts, sent: Sent): PayerField[] {
  if (customer?.email) return [];
  const chosen = gateways.find(({ account }) => account.id === sent.gateway);
  const required = chosen ? needsEmail(chosen) : gateways.every(needsEmail);
  return [{ name: "email", value: sent.email, required, error: sent.emailError ?? null }];
}

const needsEmail = ({ adapter }: Gateway): boolean => adapter.checkout?.needsPayerEmail ?? false;

function showUnavailable(
  visit: Visit<PaymentLinkId>,
  { link, settings, invoice }: PayPageFacts,
  why: Reason,
  reply: FastifyReply,
): FastifyReply {
  const { organisation } = visit.ctx;
  const newer = link.collectsBalance && invoice ? invoicePayUrl(visit.ctx, invoice) : null;
  return visit.site.send(reply, {
    sandbox: organisation.sandbox,
    capability: true,
    html: unavailablePage({
      brand: brandOf(organisation, settings),
      title: link.title,
      amount: link.amount,
      currency: link.currency,
      unavailable: inWords(why, link, invoice?.number ?? null, newer),
      pdf: invoice ? pdfPath(visit) : null,
    }),
  });
}

function inWords(why: Reason, link: PaymentLink, invoiceNumber: string | null, newer: string | null): Unavailable {
  switch (why) {
    case "paid":
      return invoiceNumber === null ? { reason: "already_paid" } : { reason: "invoice_paid", invoiceNumber };
    case "cancelled":
      return { reason: "invoice_cancelled", invoiceNumber: invoiceNumber ?? "" };
    case "deactivated":
      return newer === null
        ? { reason: "deactivated" }
        : { reason: "replaced", invoiceNumber: invoiceNumber ?? "", url: newer };
    case "expired":
      return { reason: "expired", expiredAt: link.expiresAt ?? link.createdAt };
    case "account":
      return { reason: "account_read_only" };
    case "quota":
      return { reason: "monthly_limit_reached" };
    case "gateway":
      return { reason: "no_gateway" };
  }
}

async function submit(visit: Visit<PaymentLinkId>, form: Form, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx } = visit;
  const facts = await factsOf(visit);
  if (facts.unavailable) return show(visit, facts, reply);
  const sent = { gateway: form.field("gateway"), email: form.field("email"), amount: form.field("amount") };
  const again = (status: number, wrong: Pick<Sent, "problem" | "emailError" | "amountError" | "headers">) =>
    show(visit, facts, reply, { ...sent, status, ...wrong });
  if (form.distrust) return again(403, { problem: form.distrust });
  // Per link: many payers may share one address, and nobody has many links to try.
  const limited = await countSubmission(site.services, { [`page:pay:${visit.id}:${visit.network}`]: PAYMENTS });
  if (limited) return again(429, { problem: limited.message, headers: limited.headers });
  const gateway = facts.gateways.find(({ account }) => account.id === sent.gateway);
  if (!gateway) return again(400, { problem: "Choose how to pay." });
  const emailError = emailFault(facts, gateway, sent.email);
  if (emailError) return again(400, { emailError });
  const part = partOf(facts, sent.amount);
  if (part === "wrong") {
    const most = formatMoney(facts.amount, facts.link.currency);
    return again(400, { amountError: `Write an amount up to ${most}, such as 250.00, or leave it empty.` });
  }

  const start = await startPayment(
    site.services,
    ctx,
    visit.id,
    {
      gatewayId: gateway.account.id,
      amount: part,
      email: facts.customer?.email ? null : sent.email || null,
      firstName: null,
      lastName: null,
    },
    (reference) => ({
      returnUrl: `${site.services.baseUrl}${visit.path}/result/${reference}`,
      cancelUrl: `${site.services.baseUrl}${visit.path}/cancel/${reference}`,
    }),
  );
  const { name } = gateway.account;
  switch (start.kind) {
    case "redirect":
      return site.goTo(reply, start.url);
    case "transfer":
      return site.goTo(reply, hostedPath(ctx, EFT_PAGE, start.order));
    case "form":
      return site.goTo(reply, `${visit.path}/go/${start.reference}`);
    case "unavailable":
      return showUnavailable(visit, facts, start.why, reply);
    case "not_offered":
      return again(400, { problem: `${name} is not offered any more. Choose another way to pay.` });
    case "refused":
      return again(200, { problem: `${name} did not take this payment. Try again, or choose another way to pay.` });
    case "unclear":
      return again(503, {
        problem: `${name} does not answer. Nothing has been charged; please try again in a minute, or choose another way to pay.`,
        headers: { "Retry-After": "60" },
      });
  }
}

/** What is wrong with the address, as a sentence; null when it will do. */
function emailFault({ customer }: PayPageFacts, gateway: Gateway, given: string): string | null {
  if (customer?.email) return null;
  if (given === "") return needsEmail(gateway) ? `${gateway.account.name} needs your email address.` : null;
  return email().safeParse(given).success ? null : "Write an email address such as thandi@example.co.za.";
}
