import type { FastifyInstance } from "fastify";
import { isReadOnlyNow } from "../../../flows/context.ts";
import { quoteFile } from "../../../flows/documents/quote-file.ts";
import { recordView } from "../../../flows/documents/record-view.ts";
import { answerQuote, type QuoteAnswer } from "../../../flows/quotes/answer-quote.ts";
import { type QuotePageFacts, readQuotePage } from "../../../flows/quotes/read-quote-page.ts";
import type { Services } from "../../../flows/services.ts";
import type { QuoteId } from "../../../kernel/ids.ts";
import { codePoints } from "../../../kernel/text.ts";
import { customerName } from "../../../modules/customers/rules.ts";
import { QUOTE_PAGE } from "../../../modules/quotes/declarations.ts";
import { statusAt } from "../../../modules/quotes/rules.ts";
import { ACCEPTED_BY_MAX, type QuoteStatus } from "../../../modules/quotes/types.ts";
import { documentOfQuote } from "../../../templates/document.ts";
import { NAME_FIELD, type QuoteState, quotePage } from "../../../templates/pages/quote.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import { type Action, type FormPage, formPage, invalidFields, redisplay } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { type Visit, visitOf } from "../visit.ts";

/** Registers `/quote/<token>` (interface 3.4): the page on which a customer accepts or declines a quote. */
export function registerQuotePages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/quote", [
    formPage(site, PAGE),
    {
      url: "/:token/quote.pdf",
      safe: true,
      get: async (request, reply) => {
        const visit = await visitOf(site, request, QUOTE_PAGE);
        await read(visit);
        return sendFile(reply, await quoteFile(services, visit.ctx, visit.id));
      },
    },
  ]);
}

type QuoteVisit = Visit<QuoteId>;

async function read({ site, ctx, id, byPayer }: QuoteVisit): Promise<QuotePageFacts> {
  const facts = await readQuotePage(site.services, ctx, id);
  // A draft has no page: 404.
  if (!facts || facts.quote.status === "draft") throw noSuchPage();
  if (byPayer) await recordView(site.services, ctx, facts.quote.id);
  return facts;
}

const answerAs =
  (answer: QuoteAnswer): Action<QuoteVisit, QuotePageFacts> =>
  async ({ site, ctx, id, path }, _facts, form) => {
    // The page asks for the name of who accepts; a form without one counts too.
    const by = answer === "accept" ? form.field(NAME_FIELD) : "";
    if (codePoints(by) > ACCEPTED_BY_MAX)
      return invalidFields({ [NAME_FIELD]: `Write at most ${ACCEPTED_BY_MAX} characters.` });
    const { taken, status } = await answerQuote(site.services, ctx, id, answer, by || null);
    return taken ? { goTo: path } : redisplay(409, tooLate(answer, status));
  };

const PAGE: FormPage<QuoteVisit, QuotePageFacts> = {
  url: "/:token",
  open: (site, request) => visitOf(site, request, QUOTE_PAGE),
  read,
  limits: ({ id, network }) => ({ [`page:quote:${id}:${network}`]: SUBMISSIONS }),
  acceptsForm: ({ ctx }) => !isReadOnlyNow(ctx),
  formName: ({ path }) => path,
  actions: { accept: answerAs("accept"), decline: answerAs("decline") },
  choose: "Choose whether to accept or to decline.",
  show: (visit, facts, sent) => ({
    sandbox: visit.ctx.organisation.sandbox,
    capability: true,
    html: quotePage({
      brand: brandOf(visit.ctx.organisation, facts.settings),
      vatNumber: facts.settings.branding.vatNumber,
      customerName: facts.customer && customerName(facts.customer),
      quote: documentOfQuote(facts.quote),
      pdf: `${visit.path}/quote.pdf`,
      state: stateOf(visit, facts),
      problems: sent?.problem ? [sent.problem] : [],
      acceptedBy: { value: sent?.form?.field(NAME_FIELD) ?? "", error: sent?.errors?.[NAME_FIELD] ?? null },
    }),
  }),
};

function stateOf({ site, ctx, path }: QuoteVisit, { quote, erased, payUrl }: QuotePageFacts): QuoteState {
  const status = statusAt(quote, ctx.now);
  switch (status) {
    // A draft has no page: 404.
    case "draft":
      throw noSuchPage();
    case "sent":
      return isReadOnlyNow(ctx) || erased ? { kind: "paused" } : { kind: "open", formToken: site.formToken(path) };
    case "expired":
      return { kind: status, lastDay: quote.expiryDate };
    case "accepted":
      return { kind: status, at: quote.acceptedAt, by: quote.acceptedBy };
    case "declined":
      return { kind: status, at: quote.declinedAt };
    case "invoiced":
      return { kind: status, invoiceNumber: quote.invoice?.number ?? "", payUrl };
  }
}

function tooLate(answer: QuoteAnswer, status: QuoteStatus): string {
  const done = answer === "accept" ? "accepted" : "declined";
  switch (status) {
    case "sent":
      return `The quote can no longer be ${done} here.`;
    case "expired":
      return `The quote has expired, so it can no longer be ${done} here.`;
    default:
      return `The quote was ${status} in the meantime, so it can no longer be ${done} here.`;
  }
}
