import type { OrganisationId } from "../../kernel/ids.ts";
import { personName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { withKept } from "../../modules/documents/rules/parties.ts";
import { findParties } from "../../modules/documents/store.ts";
import type { KeptParties } from "../../modules/documents/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { findLogo, findPrintedLogo, savePrintedLogo } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Parties, PaymentDetails } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import { bankDetailsOf, manualTransfers } from "../gateways/accounts.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { DocumentKinds } from "../press.ts";
import type { Services } from "../services.ts";

/** The media type of a PDF. */
export const PDF = "application/pdf";

/**
 * Who sends a document and who it is for. By the settings and the customer as they are; of an invoice or a credit note, `id`, what it named
 * when it was issued.
 */
export async function partiesOf(
  tx: Tx,
  { organisation }: Ctx,
  document: { readonly id: string | null; readonly customerId: string },
): Promise<Parties> {
  const [{ branding }, logo, customer, kept] = await Promise.all([
    currentSettings(tx),
    findPrintedLogo(tx),
    findCustomer(tx, document.customerId),
    document.id === null ? null : findParties(tx, document.id),
  ]);
  const supplier = withKept(kept?.supplier, branding);
  return {
    supplier: {
      companyName: supplier.companyName ?? organisation.name,
      tradingName: supplier.companyName === null ? null : organisation.name,
      address: supplier.address,
      vatNumber: supplier.vatNumber,
      logo: logo?.length ? logo : null,
      accentColour: branding.accentColour,
      supportEmail: branding.supportEmail,
    },
    recipient: recipientOf(customer && withKept(kept?.customer, customer)),
    sandbox: organisation.sandbox,
  };
}

const recipientOf = (customer: KeptParties["customer"] | null): Parties["recipient"] => ({
  name: customer && personName(customer),
  company: customer?.company ?? null,
  address: customer?.address ?? null,
  vatNumber: customer?.vatNumber ?? null,
  email: customer?.email ?? null,
});

/** Where the customer may pay by bank transfer, quoting `reference`; null when the organisation has no such account in the currency. */
export async function bankFor(tx: Tx, ctx: Ctx, currency: string, reference: string): Promise<PaymentDetails | null> {
  const [account] = manualTransfers(await listGatewayAccounts(tx), currency);
  return account ? { ...bankDetailsOf(ctx, account), reference } : null;
}

/** A PDF to download. */
export interface Pdf {
  readonly content: Buffer;
  readonly contentType: string;
  readonly fileName: string;
}

/** Writes a document's PDF, named `number`. Throws 503 (`Press`). */
export async function writePdf<Kind extends keyof DocumentKinds>(
  services: Pick<Services, "db" | "press">,
  { organisation }: Ctx,
  number: string,
  kind: Kind,
  document: DocumentKinds[Kind],
): Promise<Pdf> {
  const logo = document.supplier.logo ?? (await prepareOldLogo(services, organisation.id));
  const content = await services.press.write(kind, { ...document, supplier: { ...document.supplier, logo } });
  return { content, contentType: PDF, fileName: `${number}.pdf` };
}

/** A logo that was saved before logos were decoded as they come is decoded with the first PDF that shows it. Null when there is none to draw. */
async function prepareOldLogo(
  { db, press }: Pick<Services, "db" | "press">,
  organisation: OrganisationId,
): Promise<Buffer | null> {
  const logo = await db.read(organisation, async (tx) => ((await findPrintedLogo(tx)) ? null : findLogo(tx)));
  if (!logo) return null;
  const print = await press.preparePicture(logo);
  await db.transaction(organisation, async (tx) => savePrintedLogo(tx, logo, print ?? Buffer.alloc(0)));
  return print;
}
