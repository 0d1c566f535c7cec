import assert from "node:assert/strict";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { type Fault, verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { allOrganisations } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { TestApi } from "./api.ts";

/** Organisations that are examined beside one another, since each mostly waits for the database. */
const AT_ONCE = 4;

/** The faults that `verify` finds, of all organisations or of one; none when only the service has written data. */
export async function faultsOf({ services, query }: TestApi, one?: Organisation): Promise<Fault[]> {
  const faults: Fault[] = [];
  // Autovacuum would do it within minutes. Until then PostgreSQL plans large queries as for empty tables.
  await query("analyze");
  const left = (one ? [one] : await allOrganisations(services.db)).values();
  const examineThem = async () => {
    for (const organisation of left)
      for await (const part of verifyOrganisation(services, organisation, EXAMINATIONS)) faults.push(...part.faults);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, examineThem));
  return faults;
}

/** Ends a file's service, and asserts that `verify` finds no faults in what its tests left. It is closed in any case: a file that stays open never ends. */
export async function closeVerified(api: TestApi): Promise<void> {
  const faults = await faultsOf(api).finally(api.close);
  assert.deepEqual(faults, [], "verify finds no faults");
}
