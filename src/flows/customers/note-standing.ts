import { appendEvent } from "../../events/outbox.ts";
import type { CustomerBalance } from "../../kernel/customer-balance.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { CUSTOMER_STANDING_CHANGED } from "../../modules/customers/declarations.ts";
import { standingOf } from "../../modules/customers/rules.ts";
import { lockCustomer, updateCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { standingView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { customerBalance } from "./customer-balance.ts";

/**
 * Compares how the customer stands by the books with what was last told, and sends `customer.standing.changed` when it
 * differs (interface 2.14). Call it after any change of what is owed; it locks the customer, which comes last (decision 93, lock order).
 */
export async function noteStanding(tx: Tx, ctx: Ctx, id: CustomerId): Promise<void> {
  const [customer, owed] = await Promise.all([lockCustomer(tx, id), customerBalance(tx, ctx, id, DEFAULT_CURRENCY)]);
  if (customer) tell(tx, ctx, customer, owed);
}

/** As `noteStanding`, after a change of the customer, whom the caller has locked or made; answers them as they stand. */
export async function noteStandingOf(tx: Tx, ctx: Ctx, customer: Customer): Promise<Customer> {
  return tell(tx, ctx, customer, await customerBalance(tx, ctx, customer.id, DEFAULT_CURRENCY));
}

function tell(tx: Tx, ctx: Ctx, customer: Customer, owed: CustomerBalance): Customer {
  const standing = standingOf(customer, owed);
  if (standing === customer.standing) return customer;
  const changed = { ...customer, standing };
  updateCustomer(tx, changed);
  appendEvent(tx, ctx.now, CUSTOMER_STANDING_CHANGED, customer.id, {
    ...standingView(changed, standing, DEFAULT_CURRENCY, owed, ctx.now),
    previousStatus: customer.standing,
  });
  return changed;
}
