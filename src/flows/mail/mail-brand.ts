import type { MailBrand } from "../../modules/emails/templates/layout.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Envelope } from "./record-mail.ts";

/** The merchant as the mails to their customers show them. */
export const mailBrandOf = (organisation: Organisation, { branding }: Settings): MailBrand => ({
  name: branding.companyName ?? organisation.name,
  accentColour: branding.accentColour,
  supportEmail: branding.supportEmail,
  address: branding.address,
  vatNumber: branding.vatNumber,
  sandbox: organisation.sandbox,
});

/** From the merchant to one of their customers or payers. */
export const fromMerchant = (
  brand: MailBrand,
  settings: Settings,
  to: string,
): Pick<Envelope, "to" | "fromName" | "replyTo"> => ({
  to: [to],
  fromName: brand.name,
  replyTo: settings.replyTo ?? settings.branding.supportEmail,
});
