import type { Settings } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Mail, MailBrand } from "../../templates/mails/layout.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { recordMail } from "./record-mail.ts";

/** The merchant as the mails to their customers show them. */
export const mailBrandOf = (organisation: Organisation, { branding }: Settings): MailBrand => ({
  name: branding.companyName ?? organisation.name,
  accentColour: branding.accentColour,
  supportEmail: branding.supportEmail,
  address: branding.address,
  vatNumber: branding.vatNumber,
  sandbox: organisation.sandbox,
});

/** From the merchant to one of their customers or payers. Records it (`recordMail`); false when there is no address. */
export async function mailFromMerchant(
  tx: Tx,
  ctx: Ctx,
  mail: {
    readonly to: string | null;
    readonly kind: string;
    readonly dedupeKey: string;
    write(brand: MailBrand): Mail;
  },
): Promise<boolean> {
  const { to, kind, dedupeKey } = mail;
  if (!to) return false;
  const settings = await currentSettings(tx);
  const brand = mailBrandOf(ctx.organisation, settings);
  const replyTo = settings.replyTo ?? settings.branding.supportEmail;
  recordMail(tx, ctx, { dedupeKey, kind, to: [to], fromName: brand.name, replyTo }, mail.write(brand));
  return true;
}
