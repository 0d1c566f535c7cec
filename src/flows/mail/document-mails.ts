import type { Decimal } from "../../kernel/decimal.ts";
import { newId } from "../../kernel/ids.ts";
import { type Cents, subtract } from "../../kernel/money.ts";
import { type BusinessDay, businessDay } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import { type InvoiceFacts, invoiceMail } from "../../templates/mails/invoice.ts";
import type { MailBrand } from "../../templates/mails/layout.ts";
import { quoteMail } from "../../templates/mails/quote.ts";
import type { Ctx } from "../context.ts";
import { mailFromMerchant } from "./merchant-mail.ts";

/** What mails show of a document with lines. */
interface MailedDocument {
  readonly id: string;
  readonly number: string;
  readonly customer: { readonly email: string | null };
  readonly currency: string;
  readonly issueDate: BusinessDay;
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
  readonly notes: string | null;
  readonly lines: readonly { readonly description: string; readonly quantity: Decimal; readonly amount: Cents }[];
}

/** An invoice as mails show it; its lines are without VAT (spec 2.5). */
export interface MailedInvoice extends MailedDocument {
  readonly dueDate: BusinessDay | null;
  /** Payments and credits applied. */
  readonly paid: Cents;
}

/** A quote as mails show it. */
export interface MailedQuote extends MailedDocument {
  readonly taxInclusive: boolean;
  readonly expiryDate: BusinessDay | null;
}

/** Mails the invoice with a link to its page, if it has one; each time it is sent (spec 3.3). False when the customer has no address. */
export const mailInvoice = (tx: Tx, ctx: Ctx, invoice: MailedInvoice, payUrl: string | null): Promise<boolean> =>
  mailFromMerchant(tx, ctx, {
    to: invoice.customer.email,
    kind: "invoice",
    dedupeKey: `invoice:${invoice.id}:${newId("mail")}`,
    write: (brand) => invoiceMail({ ...invoiceFacts(brand, invoice, payUrl, portalUrl(ctx)), kind: "sent" }),
  });

/** Reminds of a due date that comes (`before`) or has passed (`after`); once a day at most. False when the customer has no address. */
export const mailInvoiceReminder = (
  tx: Tx,
  ctx: Ctx,
  invoice: MailedInvoice,
  payUrl: string | null,
  kind: "before" | "after",
): Promise<boolean> =>
  mailFromMerchant(tx, ctx, {
    to: invoice.customer.email,
    kind: "invoice_reminder",
    dedupeKey: `invoice-reminder:${invoice.id}:${businessDay(ctx.now)}`,
    write: (brand) => invoiceMail({ ...invoiceFacts(brand, invoice, payUrl, portalUrl(ctx)), kind }),
  });

/** Mails the quote with a link to its page; each time it is sent (spec 3.4). False when the customer has no address. */
export const mailQuote = (tx: Tx, ctx: Ctx, quote: MailedQuote, url: string): Promise<boolean> =>
  mailFromMerchant(tx, ctx, {
    to: quote.customer.email,
    kind: "quote",
    dedupeKey: `quote:${quote.id}:${newId("mail")}`,
    write: (brand) => {
      const { number, issueDate, expiryDate, notes, currency, lines, taxInclusive, subtotal, tax, total } = quote;
      const priced = { currency, lines, taxInclusive, subtotal, tax, total };
      return quoteMail({ brand, number, issueDate, expiryDate, notes, ...priced, url });
    },
  });

const portalUrl = ({ baseUrl, organisation }: Ctx): string => `${baseUrl}/portal/${organisation.slug}`;

function invoiceFacts(
  brand: MailBrand,
  invoice: MailedInvoice,
  url: string | null,
  accountUrl: string,
): Omit<InvoiceFacts, "kind"> {
  const { number, issueDate, dueDate, notes, currency, lines, subtotal, tax, total } = invoice;
  const priced = { currency, lines, taxInclusive: false, subtotal, tax, total };
  const amountDue = subtract(total, invoice.paid);
  return { brand, number, issueDate, dueDate, amountDue, notes, ...priced, url, accountUrl };
}
