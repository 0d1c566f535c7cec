import { toRand } from "../../kernel/money.ts";
import { addDays, type BusinessDay, businessDay, toTimestamp } from "../../kernel/time.ts";
import type { VatPeriod } from "./store.ts";
import { VAT_FIELDS, type VatFigure, type VatRecord } from "./types.ts";

/** Interface 18.4, VAT return; `period` is its last month, of `months`. */
export function vatReturnView(
  figures: readonly VatFigure[],
  about: { period: BusinessDay; months: number; span: VatPeriod; others: readonly string[] },
) {
  const period = about.period.slice(0, 7);
  const list = (field: string) => `/accounting/vat201/${period}/records?months=${about.months}&field=${field}`;
  return {
    object: "vat_return" as const,
    period,
    from: businessDay(about.span.from),
    to: addDays(businessDay(about.span.until), -1),
    basis: "invoice" as const,
    currency: "ZAR" as const,
    otherCurrencies: about.others,
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
