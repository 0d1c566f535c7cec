import { EXAMINATIONS } from "../../src/catalogue.ts";
import { type Fault, verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { allOrganisations } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { TestApi } from "./api.ts";

/** The faults that `verify` finds, of every organisation or of one; none when only the product has written. */
export async function faultsOf({ services, query }: TestApi, one?: Organisation): Promise<Fault[]> {
  const faults: Fault[] = [];
  // Autovacuum does so within minutes; before that, the plans of a large examination are those of empty tables.
  await query("analyze");
  for (const organisation of one ? [one] : await allOrganisations(services.db))
    for await (const part of verifyOrganisation(services, organisation, EXAMINATIONS)) faults.push(...part.faults);
  return faults;
}
