import { taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { InvoiceCreateBody, InvoicePatchBody } from "../../modules/invoices/schema.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { dryRun } from "../../platform/dry-run.ts";
import { documentOfInvoice } from "../../templates/document.ts";
import type { InvoiceDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import { changeInvoice } from "../invoices/change-invoice.ts";
import { createInvoice } from "../invoices/create-invoice.ts";
import { writeInvoiceMail } from "../invoices/invoice-mails.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import { sendInvoice } from "../invoices/send-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { invoiceDocument } from "./invoice-file.ts";
import { type PreviewedDocument, writePdf } from "./parties.ts";

/** An invoice as its customer would get it, with the facts of its pay page. */
export interface InvoicePreview extends PreviewedDocument {
  readonly invoice: InvoiceDocument;
  readonly settings: Settings;
  readonly accounts: readonly GatewayAccount[];
  readonly canBePaidOnline: boolean;
}

/** What the customer would get of a new invoice, by a dry run of `createInvoice`. Throws as it does. */
export const previewNewInvoice = (services: Services, ctx: Ctx, body: InvoiceCreateBody): Promise<InvoicePreview> =>
  previewInvoice(services, ctx, async (tx) => (await createInvoice(tx, ctx, { ...body, send: true })).invoice);

/** What the customer would get of a changed draft, by a dry run of `changeInvoice` and `sendInvoice`. Throws as they do. */
export const previewInvoiceChange = (
  services: Services,
  ctx: Ctx,
  id: string,
  body: InvoicePatchBody,
): Promise<InvoicePreview> =>
  previewInvoice(services, ctx, async (tx) => {
    await changeInvoice(tx, ctx, id, body);
    return (await sendInvoice(tx, ctx, id)).after;
  });

async function previewInvoice(
  services: Services,
  ctx: Ctx,
  send: (tx: Tx) => Promise<Invoice>,
): Promise<InvoicePreview> {
  const read = await dryRun(services.db, ctx.organisation.id, async (tx) => {
    const sent = await send(tx);
    const mailed = { kind: "sent", invoice: documentOfInvoice(sent), url: invoicePayUrl(ctx, sent) } as const;
    const [invoice, settings, accounts, mail] = await Promise.all([
      invoiceDocument(tx, ctx, sent.id),
      currentSettings(tx),
      listGatewayAccounts(tx),
      writeInvoiceMail(tx, ctx, mailed),
    ]);
    return { number: sent.number, invoice, settings, accounts, mail, canBePaidOnline: sent.payLinkId !== null };
  });
  const pdf = await writePdf(services, ctx, read.number, "invoice", read.invoice);
  return { ...read, pdf, taxInvoice: taxInvoiceProblems(read.invoice) };
}
