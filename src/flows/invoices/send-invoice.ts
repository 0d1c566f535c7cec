import { appendEvents } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay, daysBetween } from "../../kernel/time.ts";
import type { CustomerCredit } from "../../modules/books/store.ts";
import { INVOICE_SENT } from "../../modules/invoices/declarations.ts";
import { InvoicePatch, type InvoiceSendBody } from "../../modules/invoices/schema.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { vatRateOn } from "../../modules/organisations/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { updateStandings } from "../customers/update-standing.ts";
import { currentSettings } from "../organisations/settings.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { changeInvoice } from "./change-invoice.ts";
import { exchangeAsked } from "./exchange.ts";
import { mailInvoices } from "./invoice-mails.ts";
import { invoiceObject } from "./invoice-object.ts";
import { creditFor, issueInvoices, postInvoices } from "./issue-invoice.ts";
import { type LockedInvoice, lockInvoiceForChange } from "./lock-invoice.ts";
import { renewPayLink } from "./pay-link.ts";

/**
 * Sends an invoice (interface 4.5, send); with `issueToday` a draft is dated today first. Locks as `lockInvoiceForChange`. Throws 404;
 * 400 for an invoice that is paid or cancelled, as `exchangeAsked` for a draft without a rate, and as `dateToday`.
 */
export async function sendInvoice(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { issueToday }: InvoiceSendBody = { issueToday: false },
): Promise<{ before: Invoice; after: Invoice }> {
  const opened = await lockInvoiceForChange(tx, id);
  if (!opened) throw notFound("invoice");
  if (!issueToday) return send(tx, ctx, opened);
  await dateToday(tx, ctx, opened.invoice);
  const dated = await lockInvoiceForChange(tx, id);
  assert(dated, "a locked invoice stays");
  return { before: opened.invoice, after: (await send(tx, ctx, dated)).after };
}

/**
 * Moves the dates of a draft to today (decisions.md#dates-move-when-a-draft-is-sent). Throws 400 unless it is a draft, for the bill of a
 * subscription, and when the VAT rate is another one today.
 */
async function dateToday(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<void> {
  const { id, issueDate, dueDate, issuedAt } = invoice;
  const today = calendarDay(ctx.now);
  if (issuedAt !== null) throw invalidField(["issueToday"], "Only the dates of a draft are moved. Leave it out.");
  if (issueDate === today) return;
  const settings = await currentSettings(tx);
  if (vatRateOn(settings, issueDate) !== vatRateOn(settings, today))
    throw invalidField(
      ["issueToday"],
      `The VAT rate was another one on ${issueDate} than it is today. Change the draft's lines and its date, then send it.`,
    );
  const moved = dueDate && addDays(today, daysBetween(termBegins(invoice, dueDate), dueDate));
  await changeInvoice(tx, ctx, id, InvoicePatch.parse({ issueDate: today, dueDate: moved }));
}

/** The day from which a draft's days to pay were counted: a due date by default is counted from the day of its making, if that is later. */
function termBegins({ issueDate, createdAt }: Invoice, dueDate: CalendarDay): CalendarDay {
  const made = calendarDay(createdAt);
  return made > issueDate && dueDate >= made ? made : issueDate;
}

async function send(tx: Tx, ctx: Ctx, locked: LockedInvoice): Promise<{ before: Invoice; after: Invoice }> {
  const { invoice: before, links } = locked;
  const link = links.find((candidate) => candidate.id === before.payLinkId);
  const status = moveInvoice(before.status, "send");
  if (!status) throw invalid(`The invoice is ${before.status}, so it cannot be sent.`);
  const ready = await renewPayLink(tx, ctx, before, link?.amount ?? null);
  const sent: Invoice = {
    ...ready,
    ...(await exchangeOnIssue(tx, ctx, before)),
    status,
    issuedAt: before.issuedAt ?? ctx.now,
    sentAt: ctx.now,
    updatedAt: ctx.now,
  };
  saveInvoice(tx, sent);
  const credits = before.issuedAt === null ? await postInvoices(tx, ctx, [sent]) : [];
  const [after] = await issueAndMail(tx, ctx, [sent], credits);
  assert(after, "one invoice is sent");
  return { before, after };
}

/**
 * The rate of a draft without one, as `exchangeAsked`: a VAT vendor's invoice in another currency is not sent without the amounts in
 * rand.
 */
const exchangeOnIssue = async (tx: Tx, ctx: Ctx, before: Invoice) =>
  before.issuedAt === null && before.exchange === null && before.currency !== DEFAULT_CURRENCY
    ? exchangeAsked(ctx, await currentSettings(tx), before, null)
    : {};

/**
 * Requests the mails of sent invoices and appends `invoice.sent`, except for those that are not `mailed`. Invoices that
 * this transaction has posted (`postInvoices`, which returned their customers' `credits`) are also issued, use the open
 * credit notes of their customers (interface 4.14), and change the customers' standings. The caller has locked the
 * balances of the customers;
 * for several customers, the invoice numbers as well.
 */
export async function issueAndMail(
  tx: Tx,
  ctx: Ctx,
  sent: readonly Invoice[],
  credits: readonly CustomerCredit[],
  mailed: (invoice: Invoice) => boolean = () => true,
): Promise<readonly Invoice[]> {
  const posted = sent.filter((invoice) => creditFor(invoice, credits) !== null);
  await issueInvoices(tx, ctx, posted);
  const toMail = sent.filter(mailed);
  // Before credit is applied, whose events say what follows from it.
  if (toMail.length > 0)
    appendEvents(
      tx,
      ctx.now,
      INVOICE_SENT,
      toMail.map((invoice) => ({ subject: invoice.id, data: invoiceObject(ctx, invoice) })),
    );
  const after: Invoice[] = [];
  // The remaining amounts of credit notes are part of the customer's credit, so a customer without credit has none to
  // apply.
  for (const invoice of sent)
    after.push((creditFor(invoice, credits) ?? 0) > 0 ? await applyOpenCredits(tx, ctx, invoice) : invoice);
  mailInvoices(tx, ctx, after.filter(mailed));
  const inDefaultCurrency = posted.filter(({ currency }) => currency === DEFAULT_CURRENCY);
  await updateStandings(tx, ctx, [...new Set(inDefaultCurrency.map(({ customer }) => customer.id))]);
  return after;
}
