import { addMonths, type BusinessDay, startOfDay } from "../../kernel/time.ts";
import { figuresOf } from "../../modules/vat-returns/rules.ts";
import { otherCurrencies, type VatPeriod, vatSums } from "../../modules/vat-returns/store.ts";
import { vatReturnView } from "../../modules/vat-returns/view.ts";
import type { Tx } from "../../platform/database.ts";

/** The tax period of one or two months that ends with the month that begins on `month`. */
export const vatPeriodOf = (month: BusinessDay, months: number): VatPeriod => ({
  from: startOfDay(addMonths(month, 1 - months)),
  until: startOfDay(addMonths(month, 1)),
});

/** The figures of the return on the invoice basis, from the books (interface 18.4). */
export async function readVatReturn(tx: Tx, period: BusinessDay, months: number) {
  const span = vatPeriodOf(period, months);
  const [sums, others] = await Promise.all([vatSums(tx, span), otherCurrencies(tx, span)]);
  return vatReturnView(figuresOf(sums), { period, months, span, others });
}
