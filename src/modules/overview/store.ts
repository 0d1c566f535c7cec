// Writes nothing. Reads: money_sums.

import { joinCustomer } from "../../domain/customer-name.ts";
import { fromDaySums } from "../../domain/day-sums.ts";
import { lookUpPayment } from "../../domain/joins.ts";
import { receiptsOf } from "../../domain/receipts.ts";
import type { CustomerId, OrganisationId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { type Database, type Part, part, type Tx, when } from "../../platform/database.ts";
import type { Days } from "./rules.ts";
import type {
  ExpectedDay,
  MoneyHeld,
  OwedTotal,
  ReceiptKind,
  ReceiptRow,
  ReceivedDay,
  ReceivedWay,
  TaskTotal,
} from "./types.ts";

/** What was received on each of these days, by currency, oldest first; days without receipts are left out. */
export const receivedByDay = (tx: Tx, { from, to }: Days): Promise<ReceivedDay[]> => tx.sql<ReceivedDay>`
  select currency, day,
         coalesce(sum(amount_cents) filter (where figure in ('collected', 'recorded')), 0)::bigint as gross,
         coalesce(sum(amount_cents) filter (where figure = 'refunded'), 0)::bigint as refunded,
         coalesce(sum(amount_cents) filter (where figure = 'reversed'), 0)::bigint as reversed,
         coalesce(sum(records) filter (where figure in ('collected', 'recorded')), 0)::integer as payments
    ${fromDaySums(tx, "collected", "recorded", "refunded", "reversed")} and day between ${from} and ${to}
   group by 1, 2 having bool_or(amount_cents <> 0) order by 1, 2`;

const PAYMENT_PATH = "/transactions/";

/** The receipts `r` of some days, each with the payment `t` that its page shows, if it shows one. */
const fromReceipts = (tx: Tx, { from, to }: Days): Part => part`
  from (${receiptsOf(tx, { from, to })}) r
  left ${lookUpPayment(tx, part`case when starts_with(r.path, ${PAYMENT_PATH}) then substr(r.path, ${PAYMENT_PATH.length + 1}) end`)}`;

/** The gateway that took a receipt, or gave it back; null where none did. */
const GATEWAY = part`case when t.type <> 'eft' and r.method <> 'manual' then t.gateway_type end`;

/** What was received in some days in a currency by each method and gateway, the most first. */
export const receivedByMethod = (
  tx: Tx,
  { currency, ...days }: Days & { readonly currency: string },
): Promise<ReceivedWay[]> => tx.sql<ReceivedWay>`
  select r.method, ${GATEWAY} as gateway,
         coalesce(sum(r.amount_cents) filter (where r.kind not in ('refund', 'reversal')), 0)::bigint as gross,
         coalesce(-sum(r.amount_cents) filter (where r.kind = 'refund'), 0)::bigint as refunded,
         coalesce(-sum(r.amount_cents) filter (where r.kind = 'reversal'), 0)::bigint as reversed,
         coalesce(sum(t.fee_cents) filter (where r.kind = 'payment'), 0)::bigint as fees,
         (count(*) filter (where r.kind not in ('refund', 'reversal')))::integer as payments
    ${fromReceipts(tx, days)} where r.currency = ${currency} group by 1, 2 order by gross desc, 1, 2`;

interface ReceiptPlace {
  readonly day: CalendarDay;
  readonly record: string;
}

/** Which receipts: of some days and one currency; filters that are left out do not filter. */
export interface ReceiptsAsked extends Days {
  readonly currency: string;
  readonly kinds?: readonly ReceiptKind[] | undefined;
  readonly customerId?: string | undefined;
  readonly method?: string | undefined;
  readonly gateway?: string | undefined;
  readonly startingAfter?: ReceiptPlace | undefined;
  readonly endingBefore?: ReceiptPlace | undefined;
  readonly limit: number;
}

interface FoundReceipt extends Omit<ReceiptRow, "id" | "amount" | "customer"> {
  readonly record: string;
  readonly amount_cents: Cents;
  readonly customer_id: CustomerId | null;
  readonly external_reference: string | null;
  readonly email: string | null;
}

/** The money that came and went, newest day first. */
export async function listReceipts(tx: Tx, asked: ReceiptsAsked): Promise<ReceiptRow[]> {
  const { startingAfter: after, endingBefore: before } = asked;
  const to = after && after.day < asked.to ? after.day : asked.to;
  const from = before && before.day > asked.from ? before.day : asked.from;
  const rows = await tx.sql<FoundReceipt>`
    select r.*, ${GATEWAY} as gateway, c.external_reference, c.email ${fromReceipts(tx, { from, to })}
      left ${joinCustomer(tx, part`r.customer_id`)}
     where r.currency = ${asked.currency}
      ${when(asked.kinds, (kinds) => part`and r.kind = any (${kinds})`)}
      ${when(asked.customerId, (id) => part`and r.customer_id = ${id}`)}
      ${when(asked.method, (method) => part`and r.method = ${method}`)}
      ${when(asked.gateway, (gateway) => part`and ${GATEWAY} = ${gateway}`)}
      ${when(after, ({ day, record }) => part`and (r.day, r.record collate "C") < (${day}, ${record})`)}
      ${when(before, ({ day, record }) => part`and (r.day, r.record collate "C") > (${day}, ${record})`)}
     ${before ? part`order by r.day, r.record collate "C"` : part`order by r.day desc, r.record collate "C" desc`} limit ${asked.limit}`;
  return rows.map(({ record, amount_cents, customer_id, external_reference, email, ...row }) => ({
    ...row,
    id: `${row.day}:${record}`,
    amount: amount_cents,
    customer: customer_id && { id: customer_id, externalReference: external_reference, email },
  }));
}

/** What needs a person; failures count since `from`, and gateways are down by the machine's clock. */
export const tasksOf = (
  tx: Tx,
  { from, machineNow }: { readonly from: Instant; readonly machineNow: Instant },
): Promise<TaskTotal[]> => tx.sql<TaskTotal>`
  select kind, currency, records as count, amount_cents as amount, since
    from tasks_of(${tx.organisation}, ${from}, ${machineNow}) order by kind, currency`;

/** The money that is expected in some days, by kind, currency and day. */
export const expectedMoney = (tx: Tx, { from, to }: Days): Promise<ExpectedDay[]> => tx.sql<ExpectedDay>`
  select kind, currency, day, amount_cents as amount, records as count
    from expected_money_of(${tx.organisation}, ${from}, ${to}) order by kind, currency, day`;

/** The amounts due of open invoices, by currency; the part that was due before `today` is overdue. */
export const owedTotals = (tx: Tx, today: CalendarDay): Promise<OwedTotal[]> => tx.sql<OwedTotal>`
  select currency, sum(amount_cents)::bigint as amount, sum(records)::integer as count,
         coalesce(sum(amount_cents) filter (where day < ${today}), 0)::bigint as overdue,
         coalesce(sum(records) filter (where day < ${today}), 0)::integer as "overdueCount"
    ${fromDaySums(tx, "open")} group by 1 having sum(records) <> 0 order by 1`;

/** What each ledger account of money holds now, by currency and gateway account (decisions.md#where-the-money-is-is-kept). */
export const moneyHeld = (tx: Tx): Promise<MoneyHeld[]> => tx.sql<MoneyHeld>`
  select currency, account, nullif(held_by, '') as "gatewayAccountId", sum(amount_cents)::bigint as amount
    from money_sums where organisation_id = ${tx.organisation} group by 1, 2, 3 having sum(amount_cents) <> 0 order by 1, 2, 3`;

/**
 * Brings together the sums of days, and of where the money is, that connections have kept apart
 * (decisions.md#sums-by-day), of every organisation. Harmless in several processes at once.
 */
export async function foldDaySums(db: Pick<Database, "sql" | "transaction">): Promise<void> {
  for (const { id } of await db.sql<{ id: OrganisationId }>`select organisations_with_new_sums() as id`)
    await db.transaction(id, async (tx) => {
      tx.queue`select fold_day_sums(${id})`;
      tx.queue`select fold_money_sums(${id})`;
    });
}

/** The currencies in which something was paid, is owed, or recurs. */
export async function currenciesOf(tx: Tx): Promise<string[]> {
  const rows = await tx.sql<{ currency: string }>`
    select distinct currency ${fromDaySums(tx, "collected", "recorded", "refunded", "open", "recurring")} order by 1`;
  return rows.map(({ currency }) => currency);
}
