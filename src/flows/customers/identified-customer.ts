import { ApiError, invalidField } from "../../kernel/errors.ts";
import { type CustomerIdentifier, findIdentifiedCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findErasure } from "../../modules/personal-data/store.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * Reads the customer that a request names in `field`, without a lock; null when the request names none. Throws as `requireCustomer`.
 */
export async function identifiedCustomer(
  tx: Tx,
  name: CustomerIdentifier | null,
  field: string,
): Promise<Customer | null> {
  return name && requireCustomer(tx, await findIdentifiedCustomer(tx, name), field);
}

/** The customer of a new record. Throws 400 at `field` when it is null, 409 `invalid_state` when it was erased. */
export async function requireCustomer(tx: Tx, customer: Customer | null, field: string): Promise<Customer> {
  if (!customer) throw invalidField([field], "No such customer.");
  return refuseErased(tx, customer);
}

/**
 * The customer, or 409 `invalid_state` when it was erased (interface 18.7). An active customer needs no query, since an erased one is inactive.
 */
export async function refuseErased<Of extends Pick<Customer, "id"> & Partial<Pick<Customer, "active">>>(
  tx: Tx,
  customer: Of,
): Promise<Of> {
  if (customer.active !== true && (await findErasure(tx, customer.id)))
    throw new ApiError(
      "invalid_state",
      409,
      "The customer was erased, so it cannot be changed and nothing new can be made for it. Create a new one.",
    );
  return customer;
}
