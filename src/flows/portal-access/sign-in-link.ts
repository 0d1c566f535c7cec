import { addSeconds } from "../../kernel/time.ts";
import { findCustomer, findOldestByEmail } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { deletePortalSession, findPortalLink, insertPortalSession, usePortalLink } from "../../modules/portal/store.ts";
import { newSecretToken, readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { issuePortalLink } from "./issue-portal-link.ts";

/** How long a session lasts, by the organisation's clock and by the cookie. */
export const SESSION_SECONDS = 12 * 3600;

/** The state of a sign-in link: an `open` one can sign `customer` in, the others cannot. */
export type SignInLink = { readonly kind: "open"; readonly customer: Customer } | { readonly kind: "used" | "expired" };

/**
 * Reads the state of a sign-in link, without changing it (decisions.md#opening-a-link-changes-nothing). Null for an
 * unknown token.
 */
export async function readSignInLink(services: Services, ctx: Ctx, token: string): Promise<SignInLink | null> {
  const { organisation, now } = ctx;
  const claim = readSecretToken(token);
  if (claim?.organisation !== organisation.id) return null;
  return services.db.read(organisation.id, async (tx) => {
    const link = await findPortalLink(tx, claim.hash);
    if (!link) return null;
    if (link.used) return { kind: "used" };
    const customer = link.expiresAt > now ? await findCustomer(tx, link.customerId) : null;
    return customer ? { kind: "open", customer } : { kind: "expired" };
  });
}

/** Uses the link, only once, and returns the token of the new session. Null when it is used, expired or unknown. */
export async function signInByLink(services: Services, ctx: Ctx, token: string): Promise<string | null> {
  const { organisation, now } = ctx;
  const claim = readSecretToken(token);
  if (claim?.organisation !== organisation.id) return null;
  return services.db.transaction(organisation.id, async (tx) => {
    const signedIn = await usePortalLink(tx, claim.hash, now);
    if (!signedIn) return null;
    const { token: session, hash } = newSecretToken(organisation.id);
    insertPortalSession(tx, { ...signedIn, hash, expiresAt: addSeconds(now, SESSION_SECONDS), createdAt: now });
    return session;
  });
}

/**
 * Requests a mail with a new link to the oldest customer with the address, if there is one. Returns nothing, so that
 * the caller cannot find out whether there is one.
 */
export async function requestSignInLink(services: Services, ctx: Ctx, email: string): Promise<void> {
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    const customer = await findOldestByEmail(tx, email);
    if (customer) await issuePortalLink(tx, ctx, customer.id, { email: true });
  });
}

/** Deletes the session; does nothing when it is unknown. */
export async function signOut(services: Services, ctx: Ctx, session: string): Promise<void> {
  const claim = readSecretToken(session);
  if (claim?.organisation !== ctx.organisation.id) return;
  await services.db.transaction(ctx.organisation.id, async (tx) => deletePortalSession(tx, claim.hash));
}
