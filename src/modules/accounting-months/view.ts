import type { LedgerRecord, LedgerTotal } from "../../domain/ledger.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { AccountingMonth } from "./types.ts";

/** Interface 18.3, accounting month. */
export const accountingMonthView = ({ month, closedAt, closedBy }: AccountingMonth) => ({
  object: "accounting_month" as const,
  month: month.slice(0, 7),
  status: closedAt === null ? ("open" as const) : ("closed" as const),
  closedAt: toTimestampOrNull(closedAt),
  closedBy,
});

/** The month with the sums posted in it. */
export const accountingMonthWithTotals = (month: AccountingMonth, totals: readonly LedgerTotal[]) => ({
  ...accountingMonthView(month),
  totals: totals.map(({ account, currency, debit, credit }) => ({
    ...{ account, currency },
    debit: toRand(debit),
    credit: toRand(credit),
  })),
});

/** Interface 18.3, record of a ledger account. */
export const ledgerRecordView = ({ occurredAt, debit, credit, ...record }: LedgerRecord) => ({
  object: "ledger_record" as const,
  ...record,
  occurredAt: toTimestamp(occurredAt),
  debit: toRand(debit),
  credit: toRand(credit),
});
