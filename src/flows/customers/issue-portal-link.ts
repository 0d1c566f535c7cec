import { addSeconds, DAY_SECONDS, toTimestamp } from "../../kernel/time.ts";
import { greetingName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { insertPortalLink } from "../../modules/portal/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import { portalLinkMail } from "../../templates/mails/portal-link.ts";
import type { Ctx } from "../context.ts";
import { mailBrandOf } from "../mail/merchant-mail.ts";
import { recordMail } from "../mail/record-mail.ts";
import { currentSettings } from "../organisations/settings.ts";

/** Contract 7, by the organisation's clock. */
const LINK_SECONDS = 15 * 60;
/** As long as a link that is over can still say so, and offer to mail a new one. */
const REMEMBERED_SECONDS = 30 * DAY_SECONDS;

/**
 * A link that signs the customer in to the portal, once (spec 4.4, contract 7). With `email` it is mailed, if there is an address.
 * Null when there is no such customer.
 */
export async function issuePortalLink(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  { email }: { email: boolean },
): Promise<{ url: string; expiresAt: string; emailed: boolean } | null> {
  const { organisation, now } = ctx;
  const [customer, settings] = await Promise.all([findCustomer(tx, customerId), currentSettings(tx)]);
  if (!customer) return null;
  const { token, hash } = newSecretToken(organisation.id);
  const expiresAt = addSeconds(now, LINK_SECONDS);
  const link = { hash, customerId: customer.id, expiresAt, createdAt: now };
  insertPortalLink(tx, link, addSeconds(now, -REMEMBERED_SECONDS));
  const url = `${ctx.baseUrl}/portal/${organisation.slug}/sign-in/${token}`;
  const emailed = email && customer.email !== null;
  if (email && customer.email !== null) {
    const brand = mailBrandOf(organisation, settings);
    const envelope = {
      dedupeKey: `portal-link:${hash.toString("base64url")}`,
      kind: "portal_link",
      to: [customer.email],
      fromName: brand.name,
      replyTo: settings.replyTo,
    };
    const customerName = greetingName(customer);
    recordMail(tx, ctx, envelope, portalLinkMail({ brand, customerName, url, expiresAt }));
  }
  return { url, expiresAt: toTimestamp(expiresAt), emailed };
}
