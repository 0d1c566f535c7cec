import type { CustomerBalance } from "../../kernel/customer-balance.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { businessDay } from "../../kernel/time.ts";
import { balanceOf } from "../../modules/books/store.ts";
import { openTotals } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** A customer's balance in one currency: what is owed and held by the books, what is open and overdue by the invoices. */
export async function customerBalance(
  tx: Tx,
  { now }: Pick<Ctx, "now">,
  customer: CustomerId,
  currency: string,
): Promise<CustomerBalance> {
  const [balance, open] = await Promise.all([
    balanceOf(tx, customer, currency),
    openTotals(tx, customer, currency, businessDay(now)),
  ]);
  return { ...balance, ...open };
}
