import { type Part, part, type Tx } from "../platform/database.ts";
import type { LedgerAccount } from "./ledger.ts";

/*
 * How statements read the journal: its lines are `l`, its entries `e`. What is posted is written by src/modules/books
 * alone.
 */

/** The lines `l`; conditions follow: `${fromLines(tx)} and l.occurred_at < …`. */
export const fromLines = (tx: Tx): Part => part`from journal_lines l where l.organisation_id = ${tx.organisation}`;

/** The lines `l` with their entries `e`; joins and conditions follow. */
export const fromPostedLines = (tx: Tx): Part => part`
  from journal_lines l join journal_entries e
    on l.organisation_id = ${tx.organisation} and e.organisation_id = ${tx.organisation} and e.id = l.entry_id`;

/** The entries `e`; conditions follow. */
export const fromEntries = (tx: Tx): Part => part`from journal_entries e where e.organisation_id = ${tx.organisation}`;

/** Joins entries `e`; the conditions of the join follow: `${joinEntries(tx)} and e.id = s.entry_id`. */
export const joinEntries = (tx: Tx): Part => part`join journal_entries e on e.organisation_id = ${tx.organisation}`;

/** The sum, in cents, that the entry of a subject has posted to an account; 0 without one. */
export const postedTo = (tx: Tx, account: LedgerAccount, kind: string, subject: Part): Part => part`
  coalesce((select sum(l.amount_cents) from journal_entries e
    join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id and l.account = ${account}
   where e.organisation_id = ${tx.organisation} and e.kind = ${kind} and e.subject = ${subject}), 0)`;
