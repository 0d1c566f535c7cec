import { z } from "zod";
import { LEDGER_ACCOUNTS } from "../../domain/ledger.ts";
import { currency, filter, pageQuery, timestamp } from "../../platform/schema.ts";

/** Interface 18.3, accounting month; `totals` of a single one only. */
export const AccountingMonthObject = z
  .object({
    object: z.literal("accounting_month"),
    month: z.string(),
    status: z.enum(["open", "closed"]),
    closedAt: timestamp().nullable(),
    closedBy: z.string().nullable(),
    totals: z
      .array(
        z.object({ account: z.enum(LEDGER_ACCOUNTS), currency: z.string(), debit: z.number(), credit: z.number() }),
      )
      .optional(),
  })
  .meta({ id: "AccountingMonth" });

/** The ledger account of a query, which must name one. */
export const ledgerAccount = () =>
  filter()
    .pipe(z.enum(LEDGER_ACCOUNTS, `must be one of ${LEDGER_ACCOUNTS.join(", ")}`))
    .meta({ enum: LEDGER_ACCOUNTS });

/** Query of the records of a ledger account. */
export const LedgerRecordQuery = pageQuery(["jrn"], { account: ledgerAccount(), currency: currency().optional() });

/** Interface 18.3, record of a ledger account. */
export const LedgerRecordObject = z
  .object({
    object: z.literal("ledger_record"),
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    occurredAt: timestamp(),
    description: z.string(),
    currency: z.string(),
    debit: z.number(),
    credit: z.number(),
  })
  .meta({ id: "LedgerRecord" });
