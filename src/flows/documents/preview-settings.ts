import { taxInvoiceProblems } from "../../modules/documents/rules/tax-invoice.ts";
import type { Settings, SettingsPatchBody } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { PricedDocument } from "../../templates/document.ts";
import type { Ctx } from "../context.ts";
import { writeInvoiceMail } from "../invoices/invoice-mails.ts";
import type { Composed } from "../mail/mail.ts";
import { readNewLogo, trySettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { PDF, type Pdf } from "./parties.ts";
import { sampleInvoice, sampleInvoiceDocument } from "./sample-invoice.ts";

/** The target of links in samples: an existing page on which nothing can be paid. */
const sampleUrl = ({ baseUrl, organisation }: Ctx): string => `${baseUrl}/portal/${organisation.slug}`;

/** A sample of the invoice and the mail that customers get. */
export interface SettingsSample {
  readonly settings: Settings;
  readonly invoice: PricedDocument;
  /** The mail that carries the invoice. */
  readonly mail: Composed;
  /** The title of the invoice's PDF, and what it lacks to be a tax invoice. */
  readonly taxInvoice: ReturnType<typeof taxInvoiceProblems>;
}

/**
 * A sample with the settings after `patch`, which are also the settings for the rest of the transaction. Writes
 * nothing. Throws 400 as `changeSettings`.
 */
export async function sampleBySettings(tx: Tx, ctx: Ctx, patch: SettingsPatchBody): Promise<SettingsSample> {
  const settings = await trySettings(tx, ctx, patch);
  const url = sampleUrl(ctx);
  const [invoice, document] = await Promise.all([sampleInvoice(tx, ctx), sampleInvoiceDocument(tx, ctx, url, null)]);
  const mail = await writeInvoiceMail(tx, ctx, { kind: "sent", invoice, url });
  return { settings, invoice, mail, taxInvoice: taxInvoiceProblems(document) };
}

/**
 * The PDF of a sample with the settings after `patch`. Writes nothing. Throws 400 as `changeSettings`, 503
 * (`Renderer`).
 */
export async function samplePdf(
  { db, renderer }: Pick<Services, "db" | "renderer">,
  ctx: Ctx,
  patch: SettingsPatchBody,
): Promise<Pdf> {
  const logo = await readNewLogo(renderer, ctx, patch);
  const document = await db.read(ctx.organisation.id, async (tx) => {
    await trySettings(tx, ctx, patch);
    return sampleInvoiceDocument(tx, ctx, sampleUrl(ctx), logo?.decoded ?? null);
  });
  return {
    content: await renderer.render(ctx.organisation.id, "invoice", document),
    contentType: PDF,
    fileName: `${document.number}.pdf`,
  };
}
