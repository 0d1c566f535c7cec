import type { MailBrand } from "../../modules/emails/templates/layout.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";

/** The merchant as the mails to their customers show them. */
export const mailBrandOf = (organisation: Organisation, { branding }: Settings): MailBrand => ({
  name: branding.companyName ?? organisation.name,
  accentColour: branding.accentColour,
  supportEmail: branding.supportEmail,
  address: branding.address,
  vatNumber: branding.vatNumber,
  sandbox: organisation.sandbox,
});
