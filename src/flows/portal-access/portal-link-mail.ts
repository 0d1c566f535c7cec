import { type Instant, instant, toTimestamp } from "../../kernel/time.ts";
import { greetingName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { mayDo } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { portalLinkMail } from "../../templates/mails/portal-link.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail, secretOf } from "../mail/mail.ts";
import { mailBrandOf, senderOf } from "../mail/senders.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * To a customer: a link that signs them in to the portal, once. Staff may read the mail if their role may issue such a
 * link and charge saved cards, since whoever signs in by it may do so (interface 4.11).
 */
export const PORTAL_LINK_MAIL = declareMail<{ readonly expiresAt: string }>(
  "portal_link",
  async (tx, ctx, request) => {
    const [customer, settings] = await Promise.all([findCustomer(tx, request.about), currentSettings(tx)]);
    if (!customer) return null;
    const brand = mailBrandOf(ctx.organisation, settings);
    const customerName = greetingName(customer);
    const [url, expiresAt] = [portalLinkUrl(ctx, secretOf(ctx, request)), instant(request.facts.expiresAt)];
    return {
      fromName: senderOf(settings, brand),
      replyTo: settings.replyTo,
      mail: portalLinkMail({ brand, customerName, url, expiresAt }),
    };
  },
  (role) => mayDo(role, "customers:write") && mayDo(role, "card_charges:write"),
);

/** The URL of the portal that signs a customer in with this token. */
export const portalLinkUrl = ({ baseUrl, organisation }: Ctx, token: string): string =>
  `${baseUrl}/portal/${organisation.slug}/sign-in/${token}`;

/**
 * Requests the mail with the link of `token`; only the token's hash is stored. False when the customer has no address.
 */
export const mailPortalLink = (
  tx: Tx,
  ctx: Ctx,
  { id, email }: Customer,
  token: { text: string; hash: Buffer; expiresAt: Instant },
): boolean =>
  requestMail(tx, ctx, PORTAL_LINK_MAIL, {
    about: id,
    to: [email],
    once: `portal-link:${token.hash.toString("base64url")}`,
    facts: { expiresAt: toTimestamp(token.expiresAt) },
    secret: token.text,
  });
