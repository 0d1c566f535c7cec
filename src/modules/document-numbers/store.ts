// Writes: document_numbers. Reads nothing else.
import type { Tx } from "../../platform/database.ts";
import { locking } from "../../platform/locks.ts";

const PREFIXES = { invoice: "INV-", quote: "QUO-", credit_note: "CN-" } as const;
const LOCKS = { invoice: "invoice number", quote: "quote number", credit_note: "credit note number" } as const;
const DIGITS = 6;

/** Documents that have numbers of their own. */
export type NumberedKind = keyof typeof PREFIXES;

/** Locks the numbers of a kind of document until the transaction ends, as `takeNumber` does, without taking one. */
export function lockNumbers(tx: Tx, kind: NumberedKind): void {
  // The row is locked although the condition prevents the update.
  locking(tx, LOCKS[kind]).queue`
    insert into document_numbers (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, 0)
    on conflict (organisation_id, kind) do update set last_number = excluded.last_number where false`;
}

/**
 * Takes the organisation's next number, such as `INV-000001`. There are no gaps, since a rollback returns the number (decision 74).
 * Locks the numbers of this kind until the transaction ends, so take it late.
 */
export async function takeNumber(tx: Tx, kind: NumberedKind): Promise<string> {
  const [row] = await locking(tx, LOCKS[kind]).sql<{ last_number: number }>`
    insert into document_numbers as n (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, 1)
    on conflict (organisation_id, kind) do update set last_number = n.last_number + 1
    returning last_number`;
  return PREFIXES[kind] + String(row?.last_number).padStart(DIGITS, "0");
}
