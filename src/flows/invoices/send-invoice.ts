import { invalid, notFound } from "../../kernel/errors.ts";
import { lockCustomer } from "../../modules/customers/store.ts";
import { MOVES } from "../../modules/invoices/states.ts";
import { lockAccount, saveInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { applyOpenCredits } from "../credit-notes/apply-credit.ts";
import { mailInvoice } from "../mail/document-mails.ts";
import type { Services } from "../services.ts";
import { noteStanding } from "../steps/note-standing.ts";
import { invoicePayUrl } from "./invoice-object.ts";
import { issueInvoice } from "./issue-invoice.ts";
import { lockToChange } from "./lock-invoice.ts";
import { renewPayLink } from "./pay-link.ts";

/** Spec 4.5, send. 404, 400 for an invoice that is paid or cancelled. */
export async function sendInvoice(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  id: string,
): Promise<{ before: Invoice; after: Invoice }> {
  const locked = await lockToChange(tx, id);
  if (!locked) throw notFound("invoice");
  const { invoice: before, links } = locked;
  const link = links.find((candidate) => candidate.id === before.payLinkId);
  if (!MOVES[before.status].send) throw invalid(`The invoice is ${before.status}, so it cannot be sent.`);
  const ready = await renewPayLink(tx, ctx, before, link?.amount ?? null);
  return { before, after: await putOut(tx, ctx, services, ready) };
}

/** Sends it: a draft becomes sent, is owed from now on, and takes the credit that the customer has (spec 3.3, contract 7). */
export async function putOut(tx: Tx, ctx: Ctx, services: Services, invoice: Invoice): Promise<Invoice> {
  const first = invoice.issuedAt === null;
  const sent: Invoice = {
    ...invoice,
    status: MOVES[invoice.status].send ?? invoice.status,
    issuedAt: invoice.issuedAt ?? ctx.now,
    sentAt: ctx.now,
    updatedAt: ctx.now,
  };
  lockAccount(tx, invoice.customer.id);
  saveInvoice(tx, sent);
  if (first) await issueInvoice(tx, ctx, sent);
  const after = first ? await applyOpenCredits(tx, ctx, services, sent) : sent;
  await mailInvoice(tx, ctx, services, after, invoicePayUrl(services, ctx.organisation, after));
  const customer = first ? await lockCustomer(tx, invoice.customer.id) : null;
  if (customer) await noteStanding(tx, ctx, customer);
  return after;
}
