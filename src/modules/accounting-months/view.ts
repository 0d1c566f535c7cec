import { toRand } from "../../kernel/money.ts";
import { toTimestampOrNull } from "../../kernel/time.ts";
import type { AccountingMonth, LedgerTotal } from "./types.ts";

/** Interface 18.3, accounting month. */
export const accountingMonthView = ({ month, closedAt, closedBy }: AccountingMonth) => ({
  object: "accounting_month" as const,
  month: month.slice(0, 7),
  status: closedAt === null ? ("open" as const) : ("closed" as const),
  closedAt: toTimestampOrNull(closedAt),
  closedBy,
});

/** With what was posted in it. */
export const accountingMonthWithTotals = (month: AccountingMonth, totals: readonly LedgerTotal[]) => ({
  ...accountingMonthView(month),
  totals: totals.map(({ account, currency, debit, credit }) => ({
    ...{ account, currency },
    debit: toRand(debit),
    credit: toRand(credit),
  })),
});
