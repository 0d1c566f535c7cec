import type { OrganisationId } from "../kernel/ids.ts";
import type { Database, Tx } from "./database.ts";

/** Carries the result of a work out of the transaction that it rolls back. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("a dry run is rolled back");
    this.result = result;
  }
}

/**
 * Runs a work in a transaction that is then rolled back, and returns its result: what would happen, by the very code
 * that does it. Throws what the work throws.
 */
export async function dryRun<T>(
  db: Pick<Database, "transaction">,
  organisation: OrganisationId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(organisation, async (tx): Promise<never> => {
      throw new RolledBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}
