// Writes: journal_entries, journal_lines, customer_balances. Reads: invoices (whose balance is locked),
// accounting_months (which are closed).

import type { CustomerBalance } from "../../domain/customer-balance.ts";
import type { LedgerAccount, LedgerRecord, LedgerTotal } from "../../domain/ledger.ts";
import { locking, lockingSeveral } from "../../domain/locks.ts";
import type { CustomerBalancesRow, JournalEntriesRow, JournalLinesRow } from "../../domain/rows.ts";
import { assert } from "../../kernel/assert.ts";
import type { CustomerId, GatewayAccountId } from "../../kernel/ids.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { EntryKind, Posting } from "./types.ts";

/** A journal entry to post. */
export interface NewEntry {
  readonly kind: EntryKind;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  readonly currency: string;
  /** The gateway account that the money passes through; the lines of clearing and fees carry it. */
  readonly gatewayAccountId?: GatewayAccountId;
  /** The lines name at most one customer. */
  readonly postings: readonly Posting[];
}

/**
 * Posts an entry in the transaction of its cause, and changes the kept balance of the customer that its lines name
 * (decisions.md#balances-are-kept), in one statement. Only one entry of a kind and subject can exist, and one that does
 * not balance is refused. Locks the customer's balance; a caller that takes other locks has locked it before
 * (decisions.md#customer-balance-first).
 */
export const postEntry = (tx: Tx, entry: NewEntry): void => postEntries(tx, [entry]);

/** As `postEntry`, of several entries, in one statement. */
export function postEntries(tx: Tx, entries: readonly NewEntry[]): void {
  if (entries.length === 0) return;
  const movements = movementsOf(entries);
  if (movements.length === 0) tx.queue`${written(tx, entries)} select`;
  else lockingBalances(tx, movements).queue`${written(tx, entries)} ${moved(tx, movements)}`;
}

/** A customer's credit in one currency, in cents. */
export interface CustomerCredit {
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly credit: Cents;
}

/**
 * As `postEntries`, for entries that each change a customer's balance; returns the credit of these customers after all
 * of them. Of several customers, the caller has locked the invoice numbers.
 */
export async function postToCustomers(tx: Tx, entries: readonly NewEntry[]): Promise<readonly CustomerCredit[]> {
  if (entries.length === 0) return [];
  const movements = movementsOf(entries);
  const rows = await lockingBalances(tx, movements).sql<
    Pick<CustomerBalancesRow, "customer_id" | "currency" | "credit_cents">
  >`
    ${written(tx, entries)} ${moved(tx, movements)}`;
  return rows.map((row) => ({ customerId: row.customer_id, currency: row.currency, credit: cents(row.credit_cents) }));
}

const lockingBalances = (tx: Tx, movements: readonly Movement[]): Tx =>
  (movements.length === 1 ? locking : lockingSeveral)(tx, "customer balance");

/**
 * The beginning of a statement that inserts entries and their lines. An entry dated in a closed month gets the first
 * moment of the first open one (interface 18.3).
 */
function written(tx: Tx, entries: readonly NewEntry[]): Part {
  const made = entries.map((entry) => ({ ...entry, id: newId("jrn") }));
  const lines = made.flatMap(({ postings, ...entry }) =>
    postings.map((posting, place) => ({ ...posting, entry, line: place + 1 })),
  );
  return part`
    with open_books as (
      select start_of_day((max(month) + interval '1 month')::date) as open_from
        from accounting_months where organisation_id = ${tx.organisation}),
    entry as (
      insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
      select ${tx.organisation}, n.id, n.kind, n.subject, greatest(n.occurred_at, (select open_from from open_books)), n.description
        from ${rowsOf(made, ENTRY)} returning id),
    posted as (
      insert into journal_lines (organisation_id, entry_id, line, account, customer_id, gateway_account_id,
                                 amount_cents, currency, occurred_at)
      select ${tx.organisation}, n.entry_id, n.line, n.account, n.customer_id, n.gateway_account_id, n.amount_cents, n.currency,
             greatest(n.occurred_at, (select open_from from open_books))
        from ${rowsOf(lines, LINE)}
      returning line)`;
}

type MadeEntry = Omit<NewEntry, "postings"> & { readonly id: string };
const ENTRY: RowColumns<MadeEntry> = {
  id: ["text", ({ id }) => id],
  kind: ["text", ({ kind }) => kind],
  subject: ["text", ({ subject }) => subject],
  occurred_at: ["timestamptz", ({ occurredAt }) => occurredAt],
  description: ["text", ({ description }) => description],
};
const LINE: RowColumns<Posting & { readonly entry: MadeEntry; readonly line: number }> = {
  entry_id: ["text", ({ entry }) => entry.id],
  line: ["integer", ({ line }) => line],
  account: ["text", ({ account }) => account],
  customer_id: ["text", ({ customerId }) => customerId],
  gateway_account_id: [
    "text",
    ({ account, entry }) => (GATEWAY_LEDGER_ACCOUNTS.includes(account) ? (entry.gatewayAccountId ?? null) : null),
  ],
  amount_cents: ["bigint", ({ amount }) => amount],
  currency: ["text", ({ entry }) => entry.currency],
  occurred_at: ["timestamptz", ({ entry }) => entry.occurredAt],
};

interface Movement {
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly receivable: Cents;
  readonly credit: Cents;
}

/** The change of the customer's balance by an entry; null when there is none. */
function movementOf({ postings, currency }: NewEntry): Movement | null {
  const moving = postings.filter(
    ({ account, customerId }) => customerId !== null && CUSTOMER_LEDGER_ACCOUNTS.includes(account),
  );
  const [first] = moving;
  if (!first?.customerId) return null;
  const { customerId } = first;
  assert(
    moving.every((posting) => posting.customerId === customerId),
    "an entry names one customer at most",
  );
  const of = (wanted: LedgerAccount) =>
    sum(moving.filter(({ account }) => account === wanted).map(({ amount }) => amount));
  return { customerId, currency, receivable: of("receivable"), credit: subtract(ZERO, of("customer_credit")) };
}

/** The changes of each balance by the entries. */
function movementsOf(entries: readonly NewEntry[]): readonly Movement[] {
  const movements = entries.flatMap((entry) => movementOf(entry) ?? []);
  const ofBalance = Map.groupBy(movements, ({ customerId, currency }) => `${customerId} ${currency}`);
  return [...ofBalance.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : {
          ...first,
          receivable: sum([first, ...others].map(({ receivable }) => receivable)),
          credit: sum([first, ...others].map(({ credit }) => credit)),
        },
  );
}

const MOVED: RowColumns<Movement> = {
  customer_id: ["text", ({ customerId }) => customerId],
  currency: ["text", ({ currency }) => currency],
  receivable: ["bigint", ({ receivable }) => receivable],
  credit: ["bigint", ({ credit }) => credit],
};

/** The end of a statement that changes the stored balances, in the order in which they are locked. */
const moved = (tx: Tx, movements: readonly Movement[]): Part => part`
    insert into customer_balances as b (organisation_id, customer_id, currency, receivable_cents, credit_cents, posted)
    select ${tx.organisation}, n.*, true from ${rowsOf(movements, MOVED)} order by n.customer_id, n.currency
    on conflict (organisation_id, customer_id, currency) do update set posted = true,
      receivable_cents = b.receivable_cents + excluded.receivable_cents, credit_cents = b.credit_cents + excluded.credit_cents
    returning customer_id, currency, credit_cents`;

/** Ledger accounts whose lines name the gateway account that the money passed through. */
const GATEWAY_LEDGER_ACCOUNTS: readonly LedgerAccount[] = ["gateway_clearing", "gateway_fees"];
/** Ledger accounts that have a kept balance for each customer. */
const CUSTOMER_LEDGER_ACCOUNTS: readonly LedgerAccount[] = ["receivable", "customer_credit"];

/** Locks an existing row without changing it: PostgreSQL locks it before it evaluates the condition. */
const LOCK_EXISTING = part`on conflict (organisation_id, customer_id, currency) do update set posted = b.posted where false`;

/**
 * Locks a customer's balance in one currency until the transaction ends, so that changes of what the customer owes run
 * one after the other. The first lock of such a change (decisions.md#customer-balance-first). The customer exists.
 */
export function lockCustomerBalance(tx: Tx, customer: CustomerId, currency: string): void {
  locking(tx, "customer balance").queue`
    insert into customer_balances as b (organisation_id, customer_id, currency)
    values (${tx.organisation}, ${customer}, ${currency}) ${LOCK_EXISTING}`;
}

/** As `lockCustomerBalance`, for the customer and currency of an invoice; nothing when there is no such invoice. */
export function lockCustomerBalanceOfInvoice(tx: Tx, invoice: string): void {
  locking(tx, "customer balance").queue`
    insert into customer_balances as b (organisation_id, customer_id, currency)
    select organisation_id, customer_id, currency from invoices where organisation_id = ${tx.organisation}
        and id = ${invoice} ${LOCK_EXISTING}`;
}

/**
 * As `lockCustomerBalanceOfInvoice`, for many invoices: each balance once, ordered by customer and currency. The caller
 * has locked the invoice numbers.
 */
export function lockCustomerBalancesOfInvoices(tx: Tx, invoices: readonly string[]): void {
  lockingSeveral(tx, "customer balance").queue`
    insert into customer_balances as b (organisation_id, customer_id, currency)
    select distinct organisation_id, customer_id, currency from invoices
     where organisation_id = ${tx.organisation} and id = any (${invoices}) order by customer_id, currency ${LOCK_EXISTING}`;
}

/** The output VAT, in cents, in the entries of these kinds about these subjects. */
export async function vatOfEntries(tx: Tx, kinds: readonly EntryKind[], subjects: readonly string[]): Promise<Cents> {
  const [row] = await tx.sql<{ vat: number }>`
    select coalesce(-sum(l.amount_cents), 0)::bigint as vat from journal_entries e
      join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id and l.account = 'vat_output'
     where e.organisation_id = ${tx.organisation} and e.kind = any (${kinds}) and e.subject = any (${subjects})`;
  return cents(row?.vat ?? 0);
}

/** The entries of a kind about these subjects, as they were posted. */
export async function entriesOf(tx: Tx, kind: EntryKind, subjects: readonly string[]): Promise<NewEntry[]> {
  const rows = await tx.sql<JournalRow & Pick<JournalLinesRow, "gateway_account_id">>`
    select e.*, l.line, l.account, l.customer_id, l.amount_cents, l.currency, l.gateway_account_id from journal_entries e
      join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
     where e.organisation_id = ${tx.organisation} and e.kind = ${kind} and e.subject = any (${subjects}) order by e.id, l.line`;
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((lines) => {
    const [entry] = lines;
    const through = lines.find(({ gateway_account_id }) => gateway_account_id !== null)?.gateway_account_id;
    if (!entry) return [];
    return {
      kind,
      subject: entry.subject,
      occurredAt: entry.occurred_at,
      description: entry.description,
      currency: entry.currency,
      ...(through ? { gatewayAccountId: through } : {}),
      postings: lines.map((line) => ({
        account: line.account as LedgerAccount,
        amount: line.amount_cents,
        customerId: line.customer_id,
      })),
    };
  });
}

/** A journal line with its entry. */
export interface JournalLine {
  readonly entryId: string;
  readonly kind: string;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  readonly line: number;
  readonly account: string;
  readonly customerId: CustomerId | null;
  /** In cents; a debit is positive, a credit negative. */
  readonly amount: Cents;
  readonly currency: string;
}

type JournalRow = JournalEntriesRow &
  Pick<JournalLinesRow, "line" | "account" | "customer_id" | "amount_cents" | "currency">;

/**
 * Entries with all their lines, at most `limit` entries after the entry `after`, in the order of their ids; `from` is
 * inclusive, `until` exclusive.
 */
export async function exportJournal(
  tx: Tx,
  query: { after: string; limit: number; from: Instant | null; until: Instant | null },
): Promise<JournalLine[]> {
  const rows = await tx.sql<JournalRow>`
    select e.*, l.line, l.account, l.customer_id, l.amount_cents, l.currency
      from (select * from journal_entries where organisation_id = ${tx.organisation} and id > ${query.after}
              ${when(query.from, (from) => part`and occurred_at >= ${from}`)}
              ${when(query.until, (until) => part`and occurred_at < ${until}`)}
             order by id limit ${query.limit}) e
      join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
     order by e.id, l.line`;
  return rows.map((row) => ({
    entryId: row.id,
    kind: row.kind,
    subject: row.subject,
    occurredAt: row.occurred_at,
    description: row.description,
    line: row.line,
    account: row.account,
    customerId: row.customer_id,
    amount: row.amount_cents,
    currency: row.currency,
  }));
}

/** What a customer owes, and the customer's credit, in each currency in which something was posted. */
export async function balancesOf(
  tx: Tx,
  customer: CustomerId,
): Promise<(Pick<CustomerBalance, "balance" | "credit"> & { readonly currency: string })[]> {
  const rows = await tx.sql<CustomerBalancesRow>`
    select * from customer_balances
     where organisation_id = ${tx.organisation} and customer_id = ${customer} and posted order by currency`;
  return rows.map(({ currency, receivable_cents, credit_cents }) => ({
    currency,
    balance: cents(receivable_cents),
    credit: cents(credit_cents),
  }));
}

/** An entry that changed a customer's balance. */
export interface BalanceMovement {
  readonly kind: EntryKind;
  readonly description: string;
  readonly occurredAt: Instant;
  /** In cents; positive when the customer owes more. */
  readonly amount: Cents;
}

/**
 * A customer's balance in one currency (what is owed less the customer's credit) at `from`, and its entries since then,
 * before `until`, oldest first, at most `limit`. Entries that only apply a credit do not change the balance and are
 * left out. The query reads the lines since `from`.
 */
export async function balanceMovementsOf(
  tx: Tx,
  customer: CustomerId,
  currency: string,
  { from, until, limit }: { from: Instant; until: Instant; limit: number },
): Promise<{ opening: Cents; movements: BalanceMovement[] }> {
  const [[before], rows] = await Promise.all([
    tx.sql<{ opening: number }>`
      select (coalesce((select receivable_cents - credit_cents from customer_balances
                where organisation_id = ${tx.organisation} and customer_id = ${customer} and currency = ${currency}), 0)
              - coalesce(sum(amount_cents), 0))::bigint as opening
        from journal_lines
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and currency = ${currency}
         and account in ('receivable', 'customer_credit') and occurred_at >= ${from}`,
    tx.sql<Pick<JournalEntriesRow, "kind" | "description" | "occurred_at"> & { amount: number }>`
      select e.kind, e.description, e.occurred_at, m.amount
        from (select occurred_at, entry_id, sum(amount_cents)::bigint as amount from journal_lines
               where organisation_id = ${tx.organisation} and customer_id = ${customer} and currency = ${currency}
                 and account in ('receivable', 'customer_credit') and occurred_at >= ${from} and occurred_at < ${until}
               group by occurred_at, entry_id having sum(amount_cents) <> 0 order by occurred_at, entry_id limit ${limit}) m
        join journal_entries e on e.organisation_id = ${tx.organisation} and e.id = m.entry_id
       order by m.occurred_at, m.entry_id`,
  ]);
  return {
    opening: cents(before?.opening ?? 0),
    movements: rows.map((row) => ({
      kind: row.kind,
      description: row.description,
      occurredAt: row.occurred_at,
      amount: cents(row.amount),
    })),
  };
}

/** The time of the first posted entry; null when there is none. */
export async function firstPosted(tx: Tx): Promise<Instant | null> {
  const [row] = await tx.sql<{ first: Instant | null }>`
    select min(occurred_at) as first from journal_lines where organisation_id = ${tx.organisation}`;
  return row?.first ?? null;
}

/** The sums posted to each ledger account from `from` until before `until`. */
export async function ledgerTotals(tx: Tx, from: Instant, until: Instant): Promise<LedgerTotal[]> {
  const rows = await tx.sql<{ account: LedgerAccount; currency: string; debit: number; credit: number }>`
    select account, currency, coalesce(sum(amount_cents) filter (where amount_cents > 0), 0)::bigint as debit,
           coalesce(-sum(amount_cents) filter (where amount_cents < 0), 0)::bigint as credit
      from journal_lines
     where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
     group by account, currency order by currency, account`;
  return rows.map((row) => ({ ...row, debit: cents(row.debit), credit: cents(row.credit) }));
}

/** Which ledger account, since `from`, before `until`; a field that is null or left out does not filter. */
export interface LedgerQuery {
  readonly account: LedgerAccount;
  readonly currency?: string | undefined;
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly after: string;
  readonly limit: number;
}

/**
 * Entries with the sums that they posted to a ledger account, in the order of their ids, at most `limit` after the
 * entry `after`.
 */
export async function ledgerRecords(tx: Tx, query: LedgerQuery): Promise<LedgerRecord[]> {
  const rows = await tx.sql<Omit<LedgerRecord, "occurredAt"> & { occurred_at: Instant }>`
    select e.id, e.kind, e.subject, e.occurred_at, e.description, s.currency, s.debit, s.credit
      from (select entry_id, currency, coalesce(sum(amount_cents) filter (where amount_cents > 0), 0)::bigint as debit,
                   coalesce(-sum(amount_cents) filter (where amount_cents < 0), 0)::bigint as credit
              from journal_lines where organisation_id = ${tx.organisation} and account = ${query.account} and entry_id > ${query.after}
               ${when(query.currency, (currency) => part`and currency = ${currency}`)}
               ${when(query.from, (from) => part`and occurred_at >= ${from}`)}
               ${when(query.until, (until) => part`and occurred_at < ${until}`)}
             group by entry_id, currency order by entry_id limit ${query.limit}) s
      join journal_entries e on e.organisation_id = ${tx.organisation} and e.id = s.entry_id
     order by e.id`;
  return rows.map(({ occurred_at, ...row }) => ({
    ...row,
    occurredAt: occurred_at,
    debit: cents(row.debit),
    credit: cents(row.credit),
  }));
}
