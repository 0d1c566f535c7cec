import type { Settings } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Brand } from "../../templates/pages/parts.ts";

/** The merchant's brand on hosted pages: from the settings, else the organisation's name. */
export const brandOf = (organisation: Organisation, { branding }: Settings): Brand => ({
  name: branding.companyName ?? organisation.name,
  logoUrl: branding.logo,
  accentColour: branding.accentColour,
  supportEmail: branding.supportEmail,
  hideProduct: branding.hideProduct,
  sandbox: organisation.sandbox,
});
