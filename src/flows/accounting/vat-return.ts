import { notFound } from "../../kernel/errors.ts";
import { addMonths, type CalendarDay, parseCalendarDay, startOfDay } from "../../kernel/time.ts";
import { figuresOf } from "../../modules/vat-returns/rules.ts";
import { otherCurrencies, vatSums } from "../../modules/vat-returns/store.ts";
import type { UntaxedKind, VatBasis, VatQuestion } from "../../modules/vat-returns/types.ts";
import { vatReturnView } from "../../modules/vat-returns/view.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * The return of a tax period of one or two months that ends with the month that begins on `month`; by default one
 * month, on the invoice basis. Throws 404 when its first month is before those that the database can hold.
 */
export function vatQuestion(
  month: CalendarDay,
  query: { months?: "1" | "2" | undefined; basis?: VatBasis | undefined; untaxed?: UntaxedKind | undefined },
): VatQuestion {
  const months = query.months === "2" ? 2 : 1;
  const first = parseCalendarDay(addMonths(month, 1 - months));
  if (!first) throw notFound("month");
  const span = { from: startOfDay(first), until: startOfDay(addMonths(month, 1)) };
  return { month, months, span, basis: query.basis ?? "invoice", untaxed: query.untaxed ?? "zero_rated" };
}

/** The figures of the return, and currencies other than rand with revenue. */
export async function vatFigures(tx: Tx, asked: VatQuestion) {
  const [sums, others] = await Promise.all([vatSums(tx, asked), otherCurrencies(tx, asked.span)]);
  return { figures: figuresOf(sums, asked), otherCurrencies: others };
}

/** The return as the API shows it (interface 18.4). */
export async function readVatReturn(tx: Tx, asked: VatQuestion) {
  const { figures, otherCurrencies: others } = await vatFigures(tx, asked);
  return vatReturnView(figures, asked, others);
}
