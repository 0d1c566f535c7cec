import { standingOf } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { standingView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { customerBalance } from "./customer-balance.ts";

/** Interface 2.14, `account_standing`, read from the books. Null when there is no such customer. */
export async function standingNow(tx: Tx, ctx: Ctx, id: string) {
  const customer = await findCustomer(tx, id);
  if (!customer) return null;
  const owed = await customerBalance(tx, ctx, customer.id, DEFAULT_CURRENCY);
  return standingView(customer, standingOf(customer, owed), DEFAULT_CURRENCY, owed, ctx.now);
}
