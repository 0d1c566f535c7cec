import assert from "node:assert/strict";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { type Fault, verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { allOrganisations } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { TestApi } from "./api.ts";

/** The faults that `verify` finds, of all organisations or of one; none when only the service has written data. */
export async function faultsOf({ services, query }: TestApi, one?: Organisation): Promise<Fault[]> {
  const faults: Fault[] = [];
  // Autovacuum would do it within minutes. Until then PostgreSQL plans large queries as for empty tables.
  await query("analyze");
  // Planning takes longer than running, so one connection examines them all, one after the other.
  for (const organisation of one ? [one] : await allOrganisations(services.db))
    for await (const { faults: found } of verifyOrganisation(services, organisation, EXAMINATIONS))
      faults.push(...found);
  return faults;
}

/**
 * Ends a file's service, and asserts that `verify` finds no faults in what its tests left. It is closed in any case: a
 * file that stays open never ends.
 */
export async function closeVerified(api: TestApi): Promise<void> {
  const faults = await faultsOf(api).finally(api.close);
  assert.deepEqual(faults, [], "verify finds no faults");
}
