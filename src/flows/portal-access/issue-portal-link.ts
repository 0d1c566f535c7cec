import { addSeconds, DAY_SECONDS, toTimestamp } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { insertPortalLink } from "../../modules/portal/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import { type Ctx, issuerOf } from "../context.ts";
import { refuseErased } from "../customers/identified-customer.ts";
import { mayChargeCards } from "./may-charge-cards.ts";
import { mailPortalLink, portalLinkUrl } from "./portal-link-mail.ts";

/** How long a link works, by the organisation's clock (interface 4.4). */
const LINK_SECONDS = 15 * 60;
/** How long an expired link is stored, so that its page can say that it has expired and offer a new one. */
const REMEMBERED_SECONDS = 30 * DAY_SECONDS;

/**
 * Creates a link that signs the customer in to the portal, once (interface 4.4). With `email`, requests a mail with the
 * link if the customer has an address. Null when there is no such customer. Throws 409 for an erased one.
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
  const expiresAt = addSeconds(ctx.now, LINK_SECONDS);
  const insert = (hash: Buffer, issuedBy: string | null) =>
    insertPortalLink(
      tx,
      { hash, customerId: customer.id, expiresAt, createdAt: ctx.now, issuedBy },
      addSeconds(ctx.now, -REMEMBERED_SECONDS),
    );
  const issuer = issuerOf(ctx);
  const answered = newSecretToken(ctx.organisation.id);
  // The link in the mail lets its customer pay by saved card, so an issuer who may not charge cards gets a different
  // link.
  const mayKnow = issuer === null || (await mayChargeCards(tx, issuer));
  const mailed = mayKnow ? answered : newSecretToken(ctx.organisation.id);
  const emailed = email && mailPortalLink(tx, ctx, customer, { text: mailed.token, hash: mailed.hash, expiresAt });
  if (emailed) insert(mailed.hash, null);
  if (!emailed || mailed !== answered) insert(answered.hash, issuer);
  return { url: portalLinkUrl(ctx, answered.token), expiresAt: toTimestamp(expiresAt), emailed };
}
