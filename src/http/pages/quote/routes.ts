import type { FastifyInstance, FastifyReply } from "fastify";
import { isReadOnlyNow } from "../../../flows/context.ts";
import { quoteFile } from "../../../flows/documents/quote-file.ts";
import { answerQuote, isAnswer, type QuoteAnswer } from "../../../flows/quotes/answer-quote.ts";
import { type QuotePageFacts, readQuotePage } from "../../../flows/quotes/read-quote-page.ts";
import type { Services } from "../../../flows/services.ts";
import type { QuoteId } from "../../../kernel/ids.ts";
import { customerName } from "../../../modules/customers/rules.ts";
import { QUOTE_PAGE } from "../../../modules/quotes/declarations.ts";
import { statusAt } from "../../../modules/quotes/rules.ts";
import type { QuoteStatus } from "../../../modules/quotes/types.ts";
import { documentOfQuote } from "../../../templates/document.ts";
import { type QuoteState, quotePage } from "../../../templates/pages/quote.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { countSubmission, SUBMISSIONS } from "../limits.ts";
import { createSite, mountPages, noSuchPage, type PageOptions } from "../site.ts";
import { type Refused, type Visit, visitOf } from "../visit.ts";

/** `/quote/<token>` (interface 3.4): the quote as its customer sees it, to be accepted or declined. */
export function registerQuotePages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/quote", [
    {
      url: "/:token",
      safe: true,
      get: async (request, reply) => show(await visitOf(site, request, QUOTE_PAGE), reply),
      post: async (request, reply) => {
        const visit = await visitOf(site, request, QUOTE_PAGE);
        return submit(visit, site.form(request, visit.path), reply);
      },
    },
    {
      url: "/:token/quote.pdf",
      safe: true,
      get: async (request, reply) => {
        const { ctx, id } = await visitOf(site, request, QUOTE_PAGE);
        if (!(await readQuotePage(services, ctx, id))) throw noSuchPage();
        return sendFile(reply, await quoteFile(services, ctx, id));
      },
    },
  ]);
}

async function show(visit: Visit<QuoteId>, reply: FastifyReply, refused: Refused | null = null): Promise<FastifyReply> {
  const { site, ctx } = visit;
  const facts = await readQuotePage(site.services, ctx, visit.id);
  if (!facts) throw noSuchPage();
  const { quote, customer, settings } = facts;
  return site.send(reply, {
    status: refused?.status ?? 200,
    headers: refused?.headers ?? {},
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: quotePage({
      brand: brandOf(ctx.organisation, settings),
      vatNumber: settings.branding.vatNumber,
      customerName: customer && customerName(customer),
      quote: documentOfQuote(quote),
      pdf: `${visit.path}/quote.pdf`,
      state: stateOf(visit, facts),
      problems: refused ? [refused.problem] : [],
    }),
  });
}

function stateOf({ site, ctx, path }: Visit<QuoteId>, { quote, payUrl }: QuotePageFacts): QuoteState {
  const status = statusAt(quote, ctx.now);
  switch (status) {
    // A draft has no page; it is as if it were not there.
    case "draft":
      throw noSuchPage();
    case "sent":
      return isReadOnlyNow(ctx) ? { kind: "paused" } : { kind: "open", formToken: site.formToken(path) };
    case "expired":
      return { kind: status, lastDay: quote.expiryDate };
    case "accepted":
      return { kind: status, at: quote.acceptedAt };
    case "declined":
      return { kind: status, at: quote.declinedAt };
    case "invoiced":
      return { kind: status, invoiceNumber: quote.invoice?.number ?? "", payUrl };
  }
}

async function submit(visit: Visit<QuoteId>, form: Form, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx } = visit;
  const again = (status: number, problem: string, headers = {}) => show(visit, reply, { status, problem, headers });
  if (form.distrust) return again(403, form.distrust);
  const limited = await countSubmission(site.services, { [`page:quote:${visit.id}:${visit.network}`]: SUBMISSIONS });
  if (limited) return again(429, limited.message, limited.headers);
  const answer = form.field("action");
  if (!isAnswer(answer)) return again(400, "Choose whether to accept or to decline.");
  if (isReadOnlyNow(ctx)) return show(visit, reply);
  const { taken, status } = await answerQuote(site.services, ctx, visit.id, answer);
  return taken ? site.goTo(reply, visit.path) : again(409, tooLate(answer, status));
}

const tooLate = (answer: QuoteAnswer, status: QuoteStatus): string => {
  const done = answer === "accept" ? "accepted" : "declined";
  return status === "expired"
    ? `The quote has expired, so it can no longer be ${done} here.`
    : `The quote was ${status} in the meantime, so it can no longer be ${done} here.`;
};
