import type { OrganisationId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findPortalSession } from "../../modules/portal/store.ts";
import type { Tx } from "../../platform/database.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/**
 * Runs a read for the customer of a session; `givenToKey` is the API key that got the sign-in link, if one did (interface 4.11). Null when the session is unknown, has expired, or belongs to another
 * organisation.
 */
export async function readAsCustomer<T>(
  services: Pick<Services, "db">,
  { organisation, now }: Ctx,
  session: string,
  work: (tx: Tx, customer: Customer, givenToKey: string | null) => Promise<T>,
): Promise<T | null> {
  const hash = hashOf(organisation.id, session);
  return hash && services.db.read(organisation.id, (tx) => asCustomer(tx, hash, now, work));
}

/** As `readAsCustomer`, in a transaction that may write. */
export async function actAsCustomer<T>(
  services: Pick<Services, "db">,
  { organisation, now }: Ctx,
  session: string,
  work: (tx: Tx, customer: Customer, givenToKey: string | null) => Promise<T>,
): Promise<T | null> {
  const hash = hashOf(organisation.id, session);
  return hash && services.db.transaction(organisation.id, (tx) => asCustomer(tx, hash, now, work));
}

function hashOf(organisation: OrganisationId, session: string): Buffer | null {
  const claim = readSecretToken(session);
  return claim?.organisation === organisation ? claim.hash : null;
}

async function asCustomer<T>(
  tx: Tx,
  hash: Buffer,
  now: Instant,
  work: (tx: Tx, customer: Customer, givenToKey: string | null) => Promise<T>,
): Promise<T | null> {
  const signedIn = await findPortalSession(tx, hash, now);
  const customer = signedIn && (await findCustomer(tx, signedIn.customerId));
  return customer ? work(tx, customer, signedIn.givenToKey) : null;
}
