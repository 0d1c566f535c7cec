import { appendEvent } from "../../events/outbox.ts";
import { standingOf } from "../../modules/customers/rules.ts";
import { updateCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { standingView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { BOOKS_CURRENCY, type Ctx } from "../context.ts";
import { customerAccount } from "../customers/account.ts";

/**
 * Compares how the customer stands by the books with what was last told, and sends `customer.standing.changed` when it
 * differs (contract 7). Call it after any change of the customer or of what is owed.
 */
export async function noteStanding(tx: Tx, ctx: Ctx, customer: Customer): Promise<Customer> {
  const account = await customerAccount(tx, ctx, customer.id, BOOKS_CURRENCY);
  const standing = standingOf(customer, account);
  if (standing === customer.standing) return customer;
  const changed = { ...customer, standing };
  updateCustomer(tx, changed);
  appendEvent(tx, ctx.now, "customer.standing.changed", customer.id, {
    ...standingView(changed, standing, BOOKS_CURRENCY, account, ctx.now),
    previousStatus: customer.standing,
  });
  return changed;
}
