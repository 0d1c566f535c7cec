import { addSeconds } from "../../kernel/time.ts";
import { findOldestByEmail } from "../../modules/customers/store.ts";
import { deletePortalSession, findPortalLink, insertPortalSession, usePortalLink } from "../../modules/portal/store.ts";
import { newSecretToken, readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { issuePortalLink } from "../customers/issue-portal-link.ts";
import type { Services } from "../services.ts";

/** How long a customer stays signed in, by the organisation's clock and by the cookie. */
export const SESSION_SECONDS = 12 * 3600;

/** What opening a sign-in link gives. */
export type SignIn = { readonly kind: "signed_in"; readonly session: string } | { readonly kind: "used" | "expired" };

/** Opens the link, which works once: `session` is the new session's token. Null for a token that names no link. */
export async function openSignInLink(services: Services, ctx: Ctx, token: string): Promise<SignIn | null> {
  const { organisation, now } = ctx;
  const claim = readSecretToken(token);
  if (claim?.organisation !== organisation.id) return null;
  return services.db.transaction(organisation.id, async (tx) => {
    const customerId = await usePortalLink(tx, claim.hash, now);
    if (!customerId) {
      const link = await findPortalLink(tx, claim.hash);
      return link && { kind: link.used ? "used" : "expired" };
    }
    const { token: session, hash } = newSecretToken(organisation.id);
    insertPortalSession(tx, { hash, customerId, expiresAt: addSeconds(now, SESSION_SECONDS), createdAt: now });
    return { kind: "signed_in", session };
  });
}

/** Mails a new link to the oldest customer with the address, if there is one; the caller is not told. */
export async function requestSignInLink(services: Services, ctx: Ctx, email: string): Promise<void> {
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const customer = await findOldestByEmail(tx, email);
    if (customer) await issuePortalLink(tx, ctx, customer.id, { email: true });
  });
}

/** Ends the session; one that is over or unknown stays so. */
export async function signOut(services: Services, ctx: Ctx, session: string): Promise<void> {
  const claim = readSecretToken(session);
  if (claim?.organisation !== ctx.organisation.id) return;
  await services.db.transaction(ctx.organisation.id, async (tx) => deletePortalSession(tx, claim.hash));
}
