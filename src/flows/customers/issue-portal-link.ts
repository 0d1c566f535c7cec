import { addSeconds, DAY_SECONDS, toTimestamp } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { insertPortalLink } from "../../modules/portal/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import { type Ctx, issuerOf } from "../context.ts";
import { mailPortalLink, portalLinkUrl } from "../mail/portal-link-mail.ts";
import { refuseErased } from "./identified-customer.ts";

/** How long a link works, by the organisation's clock (interface 4.4). */
const LINK_SECONDS = 15 * 60;
/** How long an expired link is stored, so that its page can say that it has expired and offer a new one. */
const REMEMBERED_SECONDS = 30 * DAY_SECONDS;

/**
 * Creates a link that signs the customer in to the portal, once (interface 4.4). With `email`, asks for a mail with it if the
 * customer has an address. Null when there is no such customer. Throws 409 for one that was erased.
 */
export async function issuePortalLink(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  { email }: { email: boolean },
): Promise<{ url: string; expiresAt: string; emailed: boolean } | null> {
  const customer = await findCustomer(tx, customerId);
  if (!customer) return null;
  await refuseErased(tx, customer);
  const { token, hash } = newSecretToken(ctx.organisation.id);
  const expiresAt = addSeconds(ctx.now, LINK_SECONDS);
  const emailed = email && mailPortalLink(tx, ctx, customer, { text: token, hash, expiresAt });
  const link = {
    hash,
    customerId: customer.id,
    expiresAt,
    createdAt: ctx.now,
    issuedBy: emailed ? null : issuerOf(ctx),
  };
  insertPortalLink(tx, link, addSeconds(ctx.now, -REMEMBERED_SECONDS));
  return { url: portalLinkUrl(ctx, token), expiresAt: toTimestamp(expiresAt), emailed };
}
