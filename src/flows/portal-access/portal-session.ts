import type { Instant } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findPortalSession } from "../../modules/portal/store.ts";
import type { Database, Tx } from "../../platform/database.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** Work for a customer who is signed in. */
type CustomerWork<T> = (tx: Tx, customer: Customer) => Promise<T>;

/**
 * Runs a read for the customer of a session. Null when the session is unknown, has expired, or belongs to another
 * organisation.
 */
export const readAsCustomer = <T>(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  session: string,
  work: CustomerWork<T>,
): Promise<T | null> => asCustomer(db.read, ctx, session, work);

/** Like `readAsCustomer`, in a transaction that may write. */
export const actAsCustomer = <T>(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  session: string,
  work: CustomerWork<T>,
): Promise<T | null> => asCustomer(db.transaction, ctx, session, work);

async function asCustomer<T>(
  run: Database["read" | "transaction"],
  { organisation: { id }, now }: Ctx,
  session: string,
  work: CustomerWork<T>,
): Promise<T | null> {
  const claim = readSecretToken(session);
  if (claim?.organisation !== id) return null;
  return run(id, async (tx) => {
    const signedIn = await signedInBy(tx, claim.hash, now);
    return signedIn && work(tx, signedIn.customer);
  });
}

/**
 * A customer who is signed in to the portal; `issuedBy` is the API key or member of staff who received the sign-in
 * link, null when it was mailed.
 */
export interface SignedIn {
  readonly customer: Customer;
  readonly issuedBy: string | null;
}

/**
 * The customer whom a session's token signs in. Null when the session is unknown, has expired, or belongs to another
 * organisation.
 */
export async function signedInCustomer(tx: Tx, { organisation, now }: Ctx, session: string): Promise<SignedIn | null> {
  const claim = readSecretToken(session);
  return claim?.organisation === organisation.id ? signedInBy(tx, claim.hash, now) : null;
}

async function signedInBy(tx: Tx, hash: Buffer, now: Instant): Promise<SignedIn | null> {
  const found = await findPortalSession(tx, hash, now);
  const customer = found && (await findCustomer(tx, found.customerId));
  return customer ? { customer, issuedBy: found.issuedBy } : null;
}
