import { toRand } from "../../kernel/money.ts";
import { addDays, calendarDay, toTimestamp } from "../../kernel/time.ts";
import { VAT_FIELDS, type VatFigure, type VatQuestion, type VatRecord } from "./types.ts";

/** Interface 18.4, VAT return. */
export function vatReturnView(figures: readonly VatFigure[], asked: VatQuestion, others: readonly string[]) {
  const period = asked.month.slice(0, 7);
  const { months, basis, untaxed, span } = asked;
  const list = (field: string) =>
    `/accounting/vat201/${period}/records?months=${months}&basis=${basis}&untaxed=${untaxed}&field=${field}`;
  return {
    object: "vat_return" as const,
    period,
    from: calendarDay(span.from),
    to: addDays(calendarDay(span.until), -1),
    basis,
    untaxed,
    currency: "ZAR" as const,
    otherCurrencies: others,
    figures: figures.map(({ field, description, amount }) => ({
      field,
      description,
      amount: toRand(amount),
      list: VAT_FIELDS.some((one) => one === field) ? list(field) : null,
    })),
  };
}

/** Interface 18.4, record of a field. */
export const vatRecordView = ({ amount, occurredAt, ...record }: VatRecord) => ({
  object: "vat_record" as const,
  ...record,
  occurredAt: toTimestamp(occurredAt),
  amount: toRand(amount),
});
