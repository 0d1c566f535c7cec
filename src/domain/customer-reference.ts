import type { CustomerId } from "../kernel/ids.ts";
import type { Tx } from "../platform/database.ts";
import type { CustomersRow } from "./rows.ts";

/** The short object of a customer that other records embed (interface 2.4). */
export interface CustomerReference {
  readonly id: CustomerId;
  readonly externalReference: string | null;
  readonly email: string | null;
}

/** The API's representation. */
export const customerReferenceView = (customer: CustomerReference) => ({
  id: customer.id,
  externalReference: customer.externalReference,
  email: customer.email,
});

/** The short objects of customers, by their ids. */
export async function customerReferences(
  tx: Tx,
  ids: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, CustomerReference>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<Pick<CustomersRow, "id" | "external_reference" | "email">>`
    select id, external_reference, email from customers where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return new Map(
    rows.map(({ id, external_reference, email }) => [id, { id, externalReference: external_reference, email }]),
  );
}
