import { ApiError, invalidField, noSuch } from "../../kernel/errors.ts";
import { type CustomerIdentifier, findCustomer, findIdentifiedCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findErasure } from "../../modules/personal-data/store.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * Reads the customer that a request names in `field`, without a lock; null when the request names none. Throws as
 * `requireCustomer`.
 */
export async function identifiedCustomer(
  tx: Tx,
  name: CustomerIdentifier | null,
  field: string,
): Promise<Customer | null> {
  return name && requireCustomer(tx, await findIdentifiedCustomer(tx, name), field, namedBy(name));
}

/** What a request calls a customer. */
export const namedBy = ({ id, externalReference }: CustomerIdentifier): string | null =>
  id ?? externalReference ?? null;

/**
 * The customer of a new record, as the request has `named` it. Throws 400 at `field` when it is null or the customer is
 * inactive, 409 `invalid_state` when it was erased (interface 4.4).
 */
export async function requireCustomer(
  tx: Tx,
  customer: Customer | null,
  field: string,
  named: string | null,
): Promise<Customer> {
  const known = await requireKnown(tx, customer, field, named);
  requireActive(known, [field]);
  return known;
}

/**
 * Like `requireCustomer`, but also accepts an inactive customer: for a record that corrects another one, or may exist
 * already.
 */
export async function requireKnown(
  tx: Tx,
  customer: Customer | null,
  field: string,
  named: string | null,
): Promise<Customer> {
  if (!customer) throw noSuch([field], "customer", named);
  return refuseErased(tx, customer);
}

/** Throws 400 at `path` for an inactive customer, who gets no new records. */
export function requireActive({ active }: Pick<Customer, "active">, path: readonly (string | number)[]): void {
  if (!active)
    throw invalidField(path, "The customer is inactive, so nothing new is made for them. Activate the customer first.");
}

/** Throws 409 `invalid_state` for an inactive customer, whose record cannot be continued. */
export async function requireActiveAgain(tx: Tx, { id }: Pick<Customer, "id">): Promise<void> {
  if ((await findCustomer(tx, id))?.active === false)
    throw new ApiError(
      "invalid_state",
      409,
      "The customer is inactive, so nothing goes on. Activate the customer first.",
    );
}

type Named = Pick<Customer, "id"> & Partial<Pick<Customer, "active">>;

/**
 * Whether a customer was erased (interface 18.7). An active customer needs no query, since an erased one is inactive.
 */
export const isErased = async (tx: Tx, { id, active }: Named): Promise<boolean> =>
  active !== true && (await findErasure(tx, id)) !== null;

/**
 * The customer, or 409 `invalid_state` when it was erased (interface 18.7, decisions.md#nothing-new-for-the-erased).
 */
export async function refuseErased<Of extends Named>(tx: Tx, customer: Of): Promise<Of> {
  if (await isErased(tx, customer))
    throw new ApiError(
      "invalid_state",
      409,
      "The customer was erased, so it cannot be changed and nothing new can be made for it. Create a new one.",
    );
  return customer;
}
