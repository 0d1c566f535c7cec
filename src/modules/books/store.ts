// Writes: journal_entries, journal_lines. Reads nothing else.
import type { CustomerAccount } from "../../kernel/account.ts";
import { type CustomerId, newId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { JournalEntriesRow } from "../../platform/rows.ts";
import type { EntryKind, Posting } from "./types.ts";

/**
 * Posts an entry in the transaction of the change that causes it (design 4.6). One per kind and subject is a constraint, and an
 * entry that does not balance cannot be committed.
 */
export function postEntry(
  tx: Tx,
  entry: {
    kind: EntryKind;
    subject: string;
    occurredAt: Instant;
    description: string;
    currency: string;
    postings: readonly Posting[];
  },
): void {
  const id = newId("jrn");
  tx.queue`
    insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
    values (${tx.organisation}, ${id}, ${entry.kind}, ${entry.subject}, ${entry.occurredAt}, ${entry.description})`;
  tx.queue`
    insert into journal_lines (organisation_id, entry_id, line, account, customer_id, amount_cents, currency)
    select ${tx.organisation}, ${id}, p.line, p.account, p.customer_id, p.amount_cents, ${entry.currency}
      from unnest(${entry.postings.map((p) => p.account)}::text[], ${entry.postings.map((p) => p.customerId)}::text[],
        ${entry.postings.map((p) => p.amount)}::bigint[]) with ordinality as p(account, customer_id, amount_cents, line)`;
}

/** What a customer owes, and what is held for the customer, in one currency. */
export async function balanceOf(
  tx: Tx,
  customer: CustomerId,
  currency: string,
): Promise<Pick<CustomerAccount, "balance" | "credit">> {
  const [row] = await tx.sql<{ balance: number | null; credit: number | null }>`
    select (sum(amount_cents) filter (where account = 'receivable'))::bigint as balance,
           (-sum(amount_cents) filter (where account = 'customer_credit'))::bigint as credit
      from journal_lines where organisation_id = ${tx.organisation} and customer_id = ${customer} and currency = ${currency}`;
  return { balance: cents(row?.balance ?? 0), credit: cents(row?.credit ?? 0) };
}

/** A line of the journal with its entry. */
export interface JournalLine {
  readonly entryId: string;
  readonly kind: string;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  readonly line: number;
  readonly account: string;
  readonly customerId: CustomerId | null;
  /** Debit above zero, credit below. */
  readonly amount: Cents;
  readonly currency: string;
}

interface JournalRow extends JournalEntriesRow {
  line: number;
  account: string;
  customer_id: string | null;
  amount_cents: number;
  currency: string;
}

/** Whole entries, `limit` of them, as they were posted, those after the entry `after`; `from` inclusive, `until` exclusive. */
export async function exportJournal(
  tx: Tx,
  query: { after: string; limit: number; from: Instant | null; until: Instant | null },
): Promise<JournalLine[]> {
  const rows = await tx.sql<JournalRow>`
    select e.*, l.line, l.account, l.customer_id, l.amount_cents, l.currency
      from (select * from journal_entries where organisation_id = ${tx.organisation} and id > ${query.after}
              ${query.from === null ? NOTHING : part`and occurred_at >= ${query.from}`}
              ${query.until === null ? NOTHING : part`and occurred_at < ${query.until}`}
             order by id limit ${query.limit}) e
      join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
     order by e.id, l.line`;
  return rows.map((row) => ({
    entryId: row.id,
    kind: row.kind,
    subject: row.subject,
    occurredAt: row.occurred_at as Instant,
    description: row.description,
    line: row.line,
    account: row.account,
    customerId: row.customer_id as CustomerId | null,
    amount: cents(row.amount_cents),
    currency: row.currency,
  }));
}

/** What a customer owes, and what is held for the customer, in each currency that the books have of them. */
export async function balancesOf(
  tx: Tx,
  customer: CustomerId,
): Promise<(Pick<CustomerAccount, "balance" | "credit"> & { readonly currency: string })[]> {
  const rows = await tx.sql<{ currency: string; balance: number; credit: number }>`
    select currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0)::bigint as balance,
           coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0)::bigint as credit
      from journal_lines
     where organisation_id = ${tx.organisation} and customer_id = ${customer} and account in ('receivable', 'customer_credit')
     group by currency order by currency`;
  return rows.map(({ currency, balance, credit }) => ({ currency, balance: cents(balance), credit: cents(credit) }));
}

/** An entry that moved what a customer owes. */
export interface AccountMovement {
  readonly kind: EntryKind;
  readonly description: string;
  readonly occurredAt: Instant;
  /** Above zero: the customer owes more. */
  readonly amount: Cents;
}

/**
 * A customer's account in one currency, what is owed less what is held for them: how it stood at `from`, and what moved it until before
 * `until`, oldest first and no more than `limit`. What only moves money between the two is left out.
 */
export async function movementsOf(
  tx: Tx,
  customer: CustomerId,
  currency: string,
  { from, until, limit }: { from: Instant; until: Instant; limit: number },
): Promise<{ opening: Cents; movements: AccountMovement[] }> {
  const account = part`
    from journal_lines l join journal_entries e on e.organisation_id = l.organisation_id and e.id = l.entry_id
     where l.organisation_id = ${tx.organisation} and l.customer_id = ${customer} and l.currency = ${currency}
       and l.account in ('receivable', 'customer_credit')`;
  const [[before], rows] = await Promise.all([
    tx.sql<{ opening: number }>`
      select coalesce(sum(l.amount_cents), 0)::bigint as opening ${account} and e.occurred_at < ${from}`,
    tx.sql<{ kind: string; description: string; occurred_at: Date; amount: number }>`
      select e.kind, e.description, e.occurred_at, sum(l.amount_cents)::bigint as amount ${account}
         and e.occurred_at >= ${from} and e.occurred_at < ${until}
       group by e.organisation_id, e.id having sum(l.amount_cents) <> 0 order by e.occurred_at, e.id limit ${limit}`,
  ]);
  return {
    opening: cents(before?.opening ?? 0),
    movements: rows.map((row) => ({
      kind: row.kind as EntryKind,
      description: row.description,
      occurredAt: row.occurred_at as Instant,
      amount: cents(row.amount),
    })),
  };
}
