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
  hideProduct: branding.hideProduct,
  sandbox: organisation.sandbox,
});

/** The name that a mail to a customer comes from. */
export const senderOf = ({ mail }: Settings, brand: MailBrand): string => mail.senderName ?? brand.name;

/** A mail from the merchant to a customer or payer, with the merchant's present branding. */
export async function fromMerchant(
  tx: Tx,
  ctx: Ctx,
  write: (brand: MailBrand, settings: Settings) => Mail,
): Promise<Composed> {
  const settings = await currentSettings(tx);
  const brand = mailBrandOf(ctx.organisation, settings);
  return {
    fromName: senderOf(settings, brand),
    replyTo: settings.replyTo ?? settings.branding.supportEmail,
    mail: write(brand, settings),
  };
}

/** A mail from the service to the staff of an organisation. */
export const fromTefo = (mail: Mail): Composed => ({ fromName: "Tefo", replyTo: null, mail });
