import { appendEvents } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import type { CustomerCredit } from "../../modules/books/store.ts";
import { INVOICE_SENT } from "../../modules/invoices/declarations.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { updateStandings } from "../customers/update-standing.ts";
import { currentSettings } from "../organisations/settings.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { exchangeAsked } from "./exchange.ts";
import { mailInvoices } from "./invoice-mails.ts";
import { invoiceObject } from "./invoice-object.ts";
import { creditFor, issueInvoices, postInvoices } from "./issue-invoice.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { renewPayLink } from "./pay-link.ts";

/**
 * Sends an invoice (interface 4.5, send). Locks as `lockInvoiceForChange`. Throws 404; 400 for an invoice that is paid
 * or cancelled, and as `exchangeAsked` for a draft without a rate.
 */
export async function sendInvoice(tx: Tx, ctx: Ctx, id: string): Promise<{ before: Invoice; after: Invoice }> {
  const locked = await lockInvoiceForChange(tx, id);
  if (!locked) throw notFound("invoice");
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
