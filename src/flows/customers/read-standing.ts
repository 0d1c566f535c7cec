import { businessDay } from "../../kernel/time.ts";
import { standingOf } from "../../modules/customers/rules.ts";
import { findWithBalance } from "../../modules/customers/store.ts";
import { standingView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";

/** The customer's `account_standing` (interface 2.14), computed from the kept balances. Null when there is no such customer. */
export async function readStanding(tx: Tx, ctx: Ctx, id: string) {
  const withBalance = await findWithBalance(tx, id, DEFAULT_CURRENCY, businessDay(ctx.now));
  if (!withBalance) return null;
  const { customer, owed } = withBalance;
  return standingView(customer, standingOf(customer, owed), DEFAULT_CURRENCY, owed, ctx.now);
}
