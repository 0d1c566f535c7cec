import { invalidField } from "../../kernel/errors.ts";
import { type CustomerIdentifier, findIdentifiedCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * Reads the customer that a request names in `field`, without a lock; null when the request names none. Throws 400 at `field` when
 * there is no such customer.
 */
export async function identifiedCustomer(
  tx: Tx,
  name: CustomerIdentifier | null,
  field: string,
): Promise<Customer | null> {
  return name && requireCustomer(await findIdentifiedCustomer(tx, name), field);
}

/** The customer, or 400 at `field` when it is null. */
export function requireCustomer(customer: Customer | null, field: string): Customer {
  if (!customer) throw invalidField([field], "No such customer.");
  return customer;
}
