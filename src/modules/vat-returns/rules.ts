import { isBusinessDay } from "../../kernel/business-days.ts";
import { type Cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay, firstOfMonth, monthsSinceYearZero } from "../../kernel/time.ts";
import type { VatCategory } from "../../kernel/vat-rates.ts";
import type { VatBasis, VatField, VatFigure, VatQuestion, VatSums } from "./types.ts";

const TAKEN_BACK: Readonly<Record<VatBasis, string>> = {
  invoice: "Other: credit notes, cancelled invoices and payments that banks took back",
  payments: "Other: credit notes, refunds, cancelled invoices and payments that were taken back",
};

/** The field for supplies without VAT that are not marked as exempt. Those marked as exempt are always in field 3. */
export const untaxedField = ({ untaxed }: Pick<VatQuestion, "untaxed">): VatField => (untaxed === "exempt" ? "3" : "2");

/** The figures of the return in the order of the form; a figure that the books do not have is zero. */
export function figuresOf(
  { standard, outputTax, untaxed, exempt, credited }: VatSums,
  asked: Pick<VatQuestion, "basis" | "untaxed">,
): readonly VatFigure[] {
  const figure = (field: VatFigure["field"], description: string, amount: Cents = ZERO): VatFigure => ({
    field,
    description,
    amount,
  });
  const withoutVat = (field: VatField) => (field === untaxedField(asked) ? untaxed : ZERO);
  return [
    figure("1", "Standard rate, consideration including VAT", standard),
    figure("1A", "Standard rate, capital goods and services only"),
    figure("2", "Zero rate, without exported goods", withoutVat("2")),
    figure("2A", "Zero rate, exported goods only"),
    figure("3", "Exempt and non-supplies", sum([exempt, withoutVat("3")])),
    figure("4", "Output tax on field 1", outputTax),
    figure("4A", "Output tax on field 1A"),
    figure("12", "Adjustments: other and imported services"),
    figure("13", "Total output tax", outputTax),
    figure("14", "Capital goods and services supplied to you"),
    figure("15", "Other goods and services supplied to you"),
    figure("16", "Change in use"),
    figure("17", "Bad debts"),
    figure("18", TAKEN_BACK[asked.basis], credited),
    figure("19", "Total input tax", credited),
    figure("20", "VAT payable, below zero refundable", subtract(outputTax, credited)),
  ];
}

/** A tax period, by the first days of its first and last month, and the last day on which its return can be submitted online. */
export interface TaxPeriod {
  readonly first: CalendarDay;
  readonly last: CalendarDay;
  readonly due: CalendarDay;
}

/** The newest tax period that has ended before a day. Returns are due online on the last business day of the month after the period. */
export function lastTaxPeriod(category: VatCategory, today: CalendarDay): TaxPeriod {
  const ended = addMonths(firstOfMonth(today), -1);
  // They are counted from 0 in January.
  const isOddMonth = monthsSinceYearZero(ended) % 2 === 0;
  const isLast = category === "C" || isOddMonth === (category === "A");
  const last = isLast ? ended : addMonths(ended, -1);
  let due = addDays(addMonths(last, 2), -1);
  while (!isBusinessDay(due)) due = addDays(due, -1);
  return { first: category === "C" ? last : addMonths(last, -1), last, due };
}
