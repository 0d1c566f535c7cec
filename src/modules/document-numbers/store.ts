// Writes: document_numbers. Reads nothing else.
import type { Tx } from "../../platform/database.ts";
import { locking } from "../../platform/locks.ts";

const PREFIXES = { invoice: "INV-", quote: "QUO-", credit_note: "CN-" } as const;
const LOCKS = { invoice: "invoice number", quote: "quote number", credit_note: "credit note number" } as const;
const DIGITS = 6;

/** What is numbered in a row of its own. */
export type NumberedKind = keyof typeof PREFIXES;

/** Makes whoever wants a number wait until the transaction ends, as `takeNumber` does: for what must be looked up before one is taken. */
export function lockNumbers(tx: Tx, kind: NumberedKind): void {
  // A row that is not updated is locked all the same.
  locking(tx, LOCKS[kind]).queue`
    insert into document_numbers (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, 0)
    on conflict (organisation_id, kind) do update set last_number = excluded.last_number where false`;
}

/**
 * The next number of the organisation, such as `INV-000001`: without gaps, since it is given back with the transaction (decision 74).
 * Whoever takes one makes the others wait until the end of the transaction, so take it late.
 */
export async function takeNumber(tx: Tx, kind: NumberedKind): Promise<string> {
  const [row] = await locking(tx, LOCKS[kind]).sql<{ last_number: number }>`
    insert into document_numbers as n (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, 1)
    on conflict (organisation_id, kind) do update set last_number = n.last_number + 1
    returning last_number`;
  return PREFIXES[kind] + String(row?.last_number).padStart(DIGITS, "0");
}
