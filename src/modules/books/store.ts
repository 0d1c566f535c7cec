// Writes: journal_entries, journal_lines. Reads nothing else.
import type { CustomerAccount } from "../../kernel/account.ts";
import { type CustomerId, newId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { JournalEntriesRow } from "../../platform/rows.ts";
import type { AccountName, EntryKind, Posting } from "./types.ts";

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

/** Posts the opposite of an entry, as a new entry about the same subject. */
export async function reverseEntry(
  tx: Tx,
  { kind, subject, as, occurredAt }: { kind: EntryKind; subject: string; as: EntryKind; occurredAt: Instant },
): Promise<void> {
  const lines = await tx.sql<{ account: string; customer_id: string | null; amount_cents: number; currency: string }>`
    select l.account, l.customer_id, l.amount_cents, l.currency from journal_entries e
      join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
     where e.organisation_id = ${tx.organisation} and e.kind = ${kind} and e.subject = ${subject} order by l.line`;
  postEntry(tx, {
    kind: as,
    subject,
    occurredAt,
    description: `Reversal of ${kind} ${subject}`,
    currency: lines[0]?.currency ?? "",
    postings: lines.map((line) => ({
      account: line.account as AccountName,
      customerId: line.customer_id as CustomerId | null,
      amount: cents(-line.amount_cents),
    })),
  });
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
