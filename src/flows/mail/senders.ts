import type { Settings } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Mail, MailBrand } from "../../templates/mails/layout.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Composed } from "./mail.ts";

/** The merchant's brand in mails to their customers. */
export const mailBrandOf = (organisation: Organisation, { branding }: Settings): MailBrand => ({
  name: branding.companyName ?? organisation.name,
  accentColour: branding.accentColour,
  supportEmail: branding.supportEmail,
  address: branding.address,
  vatNumber: branding.vatNumber,
  sandbox: organisation.sandbox,
});

/** A mail from the merchant to a customer or payer, with the merchant's present branding. */
export async function fromMerchant(tx: Tx, ctx: Ctx, write: (brand: MailBrand) => Mail): Promise<Composed> {
  const settings = await currentSettings(tx);
  const brand = mailBrandOf(ctx.organisation, settings);
  return { fromName: brand.name, replyTo: settings.replyTo ?? settings.branding.supportEmail, mail: write(brand) };
}

/** A mail from the service to the staff of an organisation. */
export const fromTefo = (mail: Mail): Composed => ({ fromName: "Tefo", replyTo: null, mail });
