import { firstNameFromEmail } from "../../modules/customers/rules.ts";
import { findOldestByEmail, serialiseCreation } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { createCustomer } from "./save-customer.ts";

/**
 * Finds the customer of `customerEmail` (interface 4.2): the oldest with that address, ignoring case; creates one with
 * the given names when there is none. Locks the address. Throws 403 `plan_limit`.
 */
export async function matchCustomer(
  tx: Tx,
  ctx: Ctx,
  payer: { email: string; firstName: string | null; lastName: string | null },
): Promise<Customer> {
  serialiseCreation(tx, "customer email", payer.email);
  const found = await findOldestByEmail(tx, payer.email);
  return (
    found ??
    createCustomer(tx, ctx, {
      email: payer.email,
      firstName: payer.firstName || firstNameFromEmail(payer.email),
      lastName: payer.lastName || null,
    })
  );
}
