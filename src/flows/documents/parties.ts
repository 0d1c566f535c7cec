import type { OrganisationId } from "../../kernel/ids.ts";
import { personName } from "../../kernel/person-name.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { type taxInvoiceProblems, withSnapshot } from "../../modules/documents/rules/tax-invoice.ts";
import { findPartiesSnapshot } from "../../modules/documents/store.ts";
import type { PartiesSnapshot } from "../../modules/documents/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { findDecodedLogo, findLogo, saveDecodedLogo } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Parties, PaymentDetails, Supplier } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import { bankDetailsOf, manualTransferAccounts } from "../gateways/accounts.ts";
import type { Composed } from "../mail/mail.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { DocumentKinds } from "../renderer.ts";
import type { Services } from "../services.ts";

/** The media type of a PDF. */
export const PDF = "application/pdf";

/**
 * Supplier and recipient of a document. An issued invoice or credit note (`id`) shows the parties as they were when it
 * was issued; every other document shows the present settings and customer.
 */
export async function partiesOf(
  tx: Tx,
  ctx: Ctx,
  document: { readonly id: string | null; readonly customerId: string },
): Promise<Parties> {
  const kept = document.id === null ? null : findPartiesSnapshot(tx, document.id);
  const [supplier, customer, snapshot] = await Promise.all([
    supplierOf(tx, ctx, kept),
    findCustomer(tx, document.customerId),
    kept,
  ]);
  return {
    supplier,
    recipient: recipientOf(customer && withSnapshot(snapshot?.customer, customer)),
    sandbox: ctx.organisation.sandbox,
  };
}

/** The organisation as supplier; where a snapshot has no value, the settings of the transaction give it. */
export async function supplierOf(
  tx: Tx,
  { organisation }: Ctx,
  kept: Promise<PartiesSnapshot | null> | null = null,
): Promise<Supplier> {
  const [{ branding }, logo, snapshot] = await Promise.all([currentSettings(tx), findDecodedLogo(tx), kept]);
  const { companyName, address, vatNumber } = withSnapshot(snapshot?.supplier, branding);
  return {
    companyName: companyName ?? organisation.name,
    tradingName: companyName === null ? null : organisation.name,
    address,
    vatNumber,
    logo: branding.logo !== null && logo?.length ? logo : null,
    accentColour: branding.accentColour,
    supportEmail: branding.supportEmail,
  };
}

const recipientOf = (customer: PartiesSnapshot["customer"] | null): Parties["recipient"] => ({
  name: customer && personName(customer),
  company: customer?.company ?? null,
  address: customer?.address ?? null,
  vatNumber: customer?.vatNumber ?? null,
  email: customer?.email ?? null,
});

/**
 * The bank details for a transfer in this currency, with `reference` as payment reference; null when no enabled Manual
 * EFT account has the currency.
 */
export async function bankFor(tx: Tx, ctx: Ctx, currency: string, reference: string): Promise<PaymentDetails | null> {
  const [account] = manualTransferAccounts(await listGatewayAccounts(tx), currency);
  return account ? { ...bankDetailsOf(ctx, account), reference } : null;
}

/** A PDF to download. */
export interface Pdf {
  readonly content: Buffer;
  readonly contentType: string;
  readonly fileName: string;
}

/** A document that is not saved, as its customer would get it. */
export interface PreviewedDocument {
  readonly number: string;
  readonly mail: Composed;
  readonly pdf: Pdf;
  /** What an invoice lacks to be a tax invoice; null of a quote. */
  readonly taxInvoice: ReturnType<typeof taxInvoiceProblems> | null;
}

/** Writes a document's PDF, with a file name from `number`. Throws 503 (`Renderer`). */
export async function writePdf<Kind extends keyof DocumentKinds>(
  services: Pick<Services, "db" | "renderer">,
  { organisation }: Ctx,
  number: string,
  kind: Kind,
  document: DocumentKinds[Kind],
): Promise<Pdf> {
  const logo = document.supplier.logo ?? (await decodeStoredLogo(services, organisation.id));
  const content = await services.renderer.render(organisation.id, kind, {
    ...document,
    supplier: { ...document.supplier, logo },
  });
  return { content, contentType: PDF, fileName: `${number}.pdf` };
}

/**
 * Decodes a logo that an earlier version stored without decoding it, and stores the result. Null when there is no logo,
 * or it cannot be drawn.
 */
async function decodeStoredLogo(
  { db, renderer }: Pick<Services, "db" | "renderer">,
  organisation: OrganisationId,
): Promise<Buffer | null> {
  const logo = await db.read(organisation, async (tx) => ((await findDecodedLogo(tx)) ? null : findLogo(tx)));
  if (!logo) return null;
  const decoded = await renderer.decodePicture(organisation, logo);
  await db.transaction(organisation, async (tx) => saveDecodedLogo(tx, logo, decoded ?? Buffer.alloc(0)));
  return decoded;
}
