import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { customerOfSession } from "../../modules/portal/store.ts";
import type { Tx } from "../../platform/database.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** Runs a read for the customer of a session. Null when the session is unknown, has expired, or belongs to another organisation. */
export async function readAsCustomer<T>(
  services: Pick<Services, "db">,
  { organisation, now }: Ctx,
  session: string,
  work: (tx: Tx, customer: Customer) => Promise<T>,
): Promise<T | null> {
  const claim = readSecretToken(session);
  if (claim?.organisation !== organisation.id) return null;
  return services.db.read(organisation.id, async (tx) => {
    const customerId = await customerOfSession(tx, claim.hash, now);
    const customer = customerId && (await findCustomer(tx, customerId));
    return customer ? work(tx, customer) : null;
  });
}
