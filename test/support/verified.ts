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
  for (const organisation of one ? [one] : await allOrganisations(services.db))
    for await (const part of verifyOrganisation(services, organisation, EXAMINATIONS)) faults.push(...part.faults);
  return faults;
}
