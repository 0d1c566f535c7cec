import type { FastifyReply, FastifyRequest } from "fastify";
import { type Ctx, hasFeature } from "../../../flows/context.ts";
import type { Pdf } from "../../../flows/documents/parties.ts";
import { hostedUrl } from "../../../flows/hosted-links.ts";
import type { PortalFacts } from "../../../flows/portal/read-portal.ts";
import {
  type PortalStatement,
  portalStatementFile,
  readPortalStatement,
  type StatementQuery,
} from "../../../flows/portal/read-statement.ts";
import type { Services } from "../../../flows/services.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { addDays, calendarDay, daysBetween, firstOfMonth, parseCalendarDay } from "../../../kernel/time.ts";
import { greetingName } from "../../../modules/customers/rules.ts";
import { amountDue } from "../../../modules/invoices/rules.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import { QUOTE_PAGE } from "../../../modules/quotes/declarations.ts";
import type { Problem } from "../../../templates/pages/fields.ts";
import { type OwedItem, portalHomePage } from "../../../templates/pages/portal-home.ts";
import { statementPage } from "../../../templates/pages/portal-statement.ts";
import { sendFile } from "../../files.ts";
import { brandOf } from "../brand.ts";
import type { PageAnswer } from "../site.ts";
import { chargesShown, standingOf } from "./subscription-words.ts";
import { signOutForm, type Visit } from "./visit.ts";

/** The portal's home page of a customer. */
export const accountAnswer = (visit: Visit, facts: PortalFacts): PageAnswer => ({
  sandbox: visit.ctx.organisation.sandbox,
  capability: false,
  html: portalHomePage({
    brand: brandOf(visit.ctx.organisation, facts.settings),
    ...homeModel(visit, facts),
    statementPath: `${visit.path}/statement`,
    cardsPath: hasFeature(visit.ctx.organisation, "rest_api") ? `${visit.path}/cards` : null,
    debitOrdersPath: facts.hasMandates ? `${visit.path}/debit-orders` : null,
    signOutPath: `${visit.path}/sign-out`,
    formToken: visit.site.formToken(signOutForm(visit)),
  }),
});

/** The model of the home page. */
const homeModel = (visit: Visit, facts: PortalFacts) => ({
  customerName: greetingName(facts.customer) ?? facts.customer.email ?? facts.customer.accountCode,
  owed: owedOf(visit, facts),
  totals: facts.totals,
  quotes: facts.quotes.map(({ id, number, total, currency, expiryDate }) => ({
    number,
    amount: total,
    currency,
    lastDay: expiryDate,
    url: hostedUrl(visit.ctx, QUOTE_PAGE, id),
  })),
  subscriptions: facts.subscriptions.map((one) => ({
    planName: one.plan.name,
    standing: standingOf(one),
    charges: chargesShown(one),
    currency: one.state.terms.price.currency,
    path: `${visit.path}/subscriptions/${one.id}`,
  })),
  credits: facts.credits,
  creditNotes: facts.creditNotes.map(({ id, number, amount, currency, remaining, reason, createdAt }) => ({
    number,
    amount,
    currency,
    remaining,
    description: reason,
    day: calendarDay(createdAt),
    pdfPath: `${visit.path}/credit-notes/${id}/pdf`,
  })),
  pastInvoices: facts.settled.map(({ id, number, total, currency, issueDate, status }) => ({
    number,
    amount: total,
    currency,
    issueDay: issueDate,
    status: status === "paid" ? status : ("cancelled" as const),
    pdfPath: `${visit.path}/invoices/${id}/pdf`,
  })),
  payments: facts.payments.map(({ reference, description, status, amount, currency, paidAt, createdAt }) => ({
    title: description ?? reference,
    reference,
    status,
    amount,
    currency,
    at: paidAt ?? createdAt,
  })),
});

function owedOf({ ctx, path }: Visit, { open, links }: PortalFacts): OwedItem[] {
  const payUrlOf = (link: PaymentLinkId) => hostedUrl(ctx, PAY_PAGE, link);
  const invoices = open.map(({ invoice, overdue, payable }) => ({
    title: `Invoice ${invoice.number}`,
    amount: amountDue(invoice),
    currency: invoice.currency,
    invoice: {
      issueDay: invoice.issueDate,
      dueDay: invoice.dueDate,
      overdue,
      total: invoice.total,
      paid: invoice.paid,
      pdfPath: `${path}/invoices/${invoice.id}/pdf`,
    },
    payUrl: payable && invoice.payLinkId ? payUrlOf(invoice.payLinkId) : null,
  }));
  const others = links.map(({ link, payable }) => ({
    title: link.title,
    amount: link.amount,
    currency: link.currency,
    invoice: null,
    payUrl: payable ? payUrlOf(link.id) : null,
  }));
  return [...invoices, ...others];
}

/** Sends a document of the customer as a PDF; redirects to the sign-in page when there is no session. */
export async function sendDocument(
  { site, ctx, path, session }: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (services: Services, ctx: Ctx, session: string, id: string) => Promise<Pdf | null>,
): Promise<FastifyReply> {
  const { id } = request.params as { id: string };
  const file = await read(site.services, ctx, session, id);
  return file ? sendFile(reply, file) : site.goTo(reply, path);
}

/**
 * Shows the statement for the days in the query, by default last month and this one. Redirects to the sign-in page when
 * there is no session.
 */
export async function showStatement(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, path, session } = visit;
  const asked = readQuery(request, ctx);
  const facts = await readPortalStatement(site.services, ctx, session, asked.query);
  if (!facts) return site.goTo(reply, path);
  const problems = [...asked.problems, ...(facts.statement ? [] : [TOO_MUCH])];
  return site.send(reply, {
    status: problems.length > 0 ? 400 : 200,
    sandbox: ctx.organisation.sandbox,
    capability: false,
    html: statementPage({
      brand: brandOf(ctx.organisation, facts.settings),
      currency: facts.currency,
      otherCurrencies: facts.currencies
        .filter((currency) => currency !== facts.currency)
        .map((currency) => ({ currency, path: pathTo(visit, "statement", asked, currency) })),
      from: parseCalendarDay(asked.from) ?? "",
      to: parseCalendarDay(asked.to) ?? "",
      problems,
      account: problems.length > 0 ? null : accountShown(visit, asked, facts),
      homePath: path,
    }),
  });
}

const accountShown = (visit: Visit, asked: Asked, { statement, currency }: PortalStatement) =>
  statement && {
    ...statement.period,
    opening: statement.opening,
    closing: statement.closing,
    movements: statement.movements,
    unpaidDebits: statement.unpaidDebits,
    pdfPath: pathTo(visit, "statement.pdf", asked, currency),
  };

/** Sends the statement as a PDF; redirects to its page when the query has a problem. */
export async function sendStatement(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, ctx, session } = visit;
  const asked = readQuery(request, ctx);
  const file = asked.problems.length > 0 ? null : await portalStatementFile(site.services, ctx, session, asked.query);
  return file ? sendFile(reply, file) : site.goTo(reply, pathTo(visit, "statement", asked, asked.query.currency ?? ""));
}

/** A query for a statement: its valid parts, and problems with the others. */
interface Asked {
  /** The days as they were sent. */
  readonly from: string;
  readonly to: string;
  readonly query: StatementQuery;
  readonly problems: readonly Problem[];
}

const DAYS_MAX = 366;
const TOO_MUCH: Problem = {
  message: "Too much happened in these days for one statement. Choose fewer.",
  inputId: "to",
};

function readQuery(request: FastifyRequest, { now }: Ctx): Asked {
  const sent = request.query as Readonly<Record<string, unknown>>;
  const first = (name: string): string | null => (typeof sent[name] === "string" ? sent[name].slice(0, 100) : null);
  const today = calendarDay(now);
  const usual = { start: firstOfMonth(addDays(firstOfMonth(today), -1)), end: today };
  const from = first("from") ?? usual.start;
  const to = first("to") ?? usual.end;
  const [start, end] = [parseCalendarDay(from), parseCalendarDay(to)];
  const problem = (message: string, inputId: string): Problem[] => [{ message, inputId }];
  const problems = [
    ...(start ? [] : problem("Choose the first day as a date, such as 2026-11-01.", "from")),
    ...(end ? [] : problem("Choose the last day as a date, such as 2026-11-30.", "to")),
    ...(start && end && end < start ? problem("The last day must not be before the first.", "to") : []),
    ...(start && end && daysBetween(start, end) >= DAYS_MAX ? problem("Choose a year at most.", "from") : []),
  ];
  const period = start && end && problems.length === 0 ? { start, end } : usual;
  return { from, to, query: { period, currency: first("currency") }, problems };
}

const pathTo = ({ path }: Visit, page: string, { from, to }: Asked, currency: string): string =>
  `${path}/${page}?${new URLSearchParams({ from, to, currency })}`;
