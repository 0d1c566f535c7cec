import type { PaymentLinkId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfInvoice } from "../../templates/document.ts";
import { type InvoiceFacts, invoiceMail } from "../../templates/mails/invoice.ts";
import type { Ctx } from "../context.ts";
import { type Composed, declareMail, requestMail, requestMails } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";
import { invoicePayUrl } from "./invoice-object.ts";

/**
 * The paid amount of the invoice, and its pay link, at the time of the request. A later payment does not change the
 * mail.
 */
type Balance = { readonly paid: Cents; readonly payLinkId: PaymentLinkId | null };

const balanceOf = ({ paid, payLinkId }: Invoice): Balance => ({ paid, payLinkId });

/** To the customer: an invoice that was sent. */
export const INVOICE_MAIL = declareMail<Balance>("invoice", (tx, ctx, { about, facts }) =>
  compose(tx, ctx, about, facts, "sent"),
);

/** To the customer: a reminder of an invoice before or after its due date. */
export const INVOICE_REMINDER_MAIL = declareMail<Balance & { readonly reminder: "before" | "after" }>(
  "invoice_reminder",
  (tx, ctx, { about, facts }) => compose(tx, ctx, about, facts, facts.reminder),
);

/**
 * Requests the mail of each invoice, each time that it is sent (interface 3.3), with a link to its page if it has one.
 * Sends none to a customer without an address.
 */
export const mailInvoices = (tx: Tx, ctx: Ctx, invoices: readonly Invoice[]): void =>
  requestMails(
    tx,
    ctx,
    INVOICE_MAIL,
    invoices.map((invoice) => ({ about: invoice.id, to: [invoice.customer.email], facts: balanceOf(invoice) })),
  );

/** Requests a reminder before or after the due date, at most one a day. False when the customer has no address. */
export const mailInvoiceReminder = (tx: Tx, ctx: Ctx, invoice: Invoice, reminder: "before" | "after"): boolean =>
  requestMail(tx, ctx, INVOICE_REMINDER_MAIL, {
    about: invoice.id,
    to: [invoice.customer.email],
    once: `invoice-reminder:${invoice.id}:${calendarDay(ctx.now)}`,
    facts: { ...balanceOf(invoice), reminder },
  });

async function compose(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { paid, payLinkId }: Balance,
  kind: "sent" | "before" | "after",
): Promise<Composed | null> {
  const invoice = await findInvoice(tx, id);
  if (!invoice) return null;
  const url = invoicePayUrl(ctx, { payLinkId });
  return writeInvoiceMail(tx, ctx, { kind, invoice: documentOfInvoice({ ...invoice, paid }), url });
}

/** Writes the mail about an invoice, by the settings of the transaction. `url` is that of its pay page. */
export const writeInvoiceMail = (
  tx: Tx,
  ctx: Ctx,
  facts: Pick<InvoiceFacts, "kind" | "invoice" | "url">,
): Promise<Composed> =>
  fromMerchant(tx, ctx, (brand, { mail }) =>
    invoiceMail({
      ...facts,
      brand,
      accountUrl: `${ctx.baseUrl}/portal/${ctx.organisation.slug}`,
      text: facts.kind === "sent" ? mail.invoiceText : mail.reminderText,
    }),
  );
