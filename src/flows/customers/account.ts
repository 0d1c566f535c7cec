import type { CustomerAccount } from "../../kernel/account.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { businessDay } from "../../kernel/time.ts";
import { balanceOf } from "../../modules/books/store.ts";
import { openTotals } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** How a customer's account stands in one currency: the money by the books, what is late by the invoices (contract 7, standing). */
export async function customerAccount(
  tx: Tx,
  { now }: Pick<Ctx, "now">,
  customer: CustomerId,
  currency: string,
): Promise<CustomerAccount> {
  const [balance, open] = await Promise.all([
    balanceOf(tx, customer, currency),
    openTotals(tx, customer, currency, businessDay(now)),
  ]);
  return { ...balance, ...open };
}
