import { invalid, notFound } from "../../kernel/errors.ts";
import type { Cents } from "../../kernel/money.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { saveInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { applyOpenCredits } from "../credit-notes/apply-credit.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { mailInvoice } from "../mail/invoice-mails.ts";
import { issueInvoice, postInvoice } from "./issue-invoice.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { renewPayLink } from "./pay-link.ts";

/** Sends an invoice (interface 4.5, send). Locks as `lockInvoiceForChange`. Throws 404; 400 for an invoice that is paid or cancelled. */
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
    status,
    issuedAt: before.issuedAt ?? ctx.now,
    sentAt: ctx.now,
    updatedAt: ctx.now,
  };
  saveInvoice(tx, sent);
  const credit = before.issuedAt === null ? await postInvoice(tx, ctx, sent) : null;
  return { before, after: await issueAndMail(tx, ctx, sent, credit) };
}

/**
 * Asks for the mail of an invoice that was sent. When this transaction has posted it (`postInvoice`, which returned the customer's
 * `credit`), also issues it, applies the customer's open credit notes (interface 4.14) and updates the customer's standing. The
 * caller has locked the customer's balance.
 */
export async function issueAndMail(tx: Tx, ctx: Ctx, sent: Invoice, credit: Cents | null): Promise<Invoice> {
  if (credit !== null) await issueInvoice(tx, ctx, sent);
  // The remaining amounts of credit notes are part of the customer's credit, so without credit there is none to apply.
  const after = credit !== null && credit > 0 ? await applyOpenCredits(tx, ctx, sent) : sent;
  mailInvoice(tx, ctx, after);
  if (credit !== null) await updateStanding(tx, ctx, sent.customer.id, sent.currency);
  return after;
}
