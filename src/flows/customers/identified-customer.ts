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

type Named = Pick<Customer, "id"> & Partial<Pick<Customer, "active">>;

/** Whether a customer was erased (interface 18.7). An active customer needs no query, since an erased one is inactive. */
export const isErased = async (tx: Tx, { id, active }: Named): Promise<boolean> =>
  active !== true && (await findErasure(tx, id)) !== null;

/** The customer, or 409 `invalid_state` when it was erased (interface 18.7). */
export async function refuseErased<Of extends Named>(tx: Tx, customer: Of): Promise<Of> {
  if (await isErased(tx, customer))
    throw new ApiError(
      "invalid_state",
      409,
      "The customer was erased, so it cannot be changed and nothing new can be made for it. Create a new one.",
    );
  return customer;
}
