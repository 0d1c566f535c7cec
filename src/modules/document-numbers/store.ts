// Writes: document_numbers. Reads nothing else.

import { documentNumber, NUMBER_PREFIXES, type NumberedKind } from "../../domain/document-numbers.ts";
import { locking } from "../../domain/locks.ts";
import { assert } from "../../kernel/assert.ts";
import type { Tx } from "../../platform/database.ts";

const LOCKS = { invoice: "invoice number", quote: "quote number", credit_note: "credit note number" } as const;

interface Reserved {
  readonly kind: NumberedKind;
  readonly number: Promise<string>;
  used: boolean;
}

/** The numbers that each transaction has reserved. */
const reserved = new WeakMap<Tx, Reserved>();

/**
 * Reserves the next number at the beginning of a transaction that will insert a document; `takeNumber` then returns it. An unused
 * number is returned before the commit. Locks as `takeNumber`.
 */
export function reserveNumber(tx: Tx, kind: NumberedKind): void {
  const one: Reserved = { kind, number: nextNumbers(tx, kind, 1).then(([number]) => number ?? ""), used: false };
  one.number.catch(() => {});
  reserved.set(tx, one);
  tx.beforeCommit(() => {
    if (!one.used)
      tx.queue`
        update document_numbers set last_number = last_number - 1 where organisation_id = ${tx.organisation} and kind = ${kind}`;
  });
}

/** Locks the numbers of a kind of document until the transaction ends, as `takeNumber` does, without taking one. */
export function lockNumbers(tx: Tx, kind: NumberedKind): void {
  if (reserved.get(tx)?.kind === kind) return;
  // The row is locked although the condition prevents the update.
  locking(tx, LOCKS[kind]).queue`
    insert into document_numbers (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, 0)
    on conflict (organisation_id, kind) do update set last_number = excluded.last_number where false`;
}

/**
 * Takes the organisation's next number, such as `INV-000001`. There are no gaps, since a rollback returns the number
 * (decisions.md#gapless-numbers). Locks the numbers of this kind until the transaction ends, so take it late.
 */
export async function takeNumber(tx: Tx, kind: NumberedKind): Promise<string> {
  const [number] = await takeNumbers(tx, kind, 1);
  assert(number, "one number is taken");
  return number;
}

/** As `takeNumber`, `count` numbers in their order, in one statement. */
export async function takeNumbers(tx: Tx, kind: NumberedKind, count: number): Promise<readonly string[]> {
  const one = reserved.get(tx);
  if (count === 0 || one?.kind !== kind || one.used) return nextNumbers(tx, kind, count);
  one.used = true;
  const more = nextNumbers(tx, kind, count - 1);
  return [await one.number, ...(await more)];
}

async function nextNumbers(tx: Tx, kind: NumberedKind, count: number): Promise<readonly string[]> {
  if (count === 0) return [];
  // The prefix is read with the lock: numbers that wait for a change of the prefix have the new one.
  const [row] = await locking(tx, LOCKS[kind]).sql<{ last_number: number; prefix: string | null }>`
    insert into document_numbers as n (organisation_id, kind, last_number) values (${tx.organisation}, ${kind}, ${count})
    on conflict (organisation_id, kind) do update set last_number = n.last_number + excluded.last_number
    returning last_number, n.prefixes[cardinality(n.prefixes)] as prefix`;
  const before = (row?.last_number ?? 0) - count;
  const prefix = row?.prefix ?? NUMBER_PREFIXES[kind];
  return Array.from({ length: count }, (_, place) => documentNumber(prefix, before + place + 1));
}

/** The prefix of the numbers that are taken from now on; they are counted on, and those that were given stay. Locks as `takeNumber`. */
export function changePrefix(tx: Tx, kind: NumberedKind, prefix: string): void {
  locking(tx, LOCKS[kind]).queue`
    insert into document_numbers as n (organisation_id, kind, last_number, prefixes)
    values (${tx.organisation}, ${kind}, 0, array[${prefix}::text])
    on conflict (organisation_id, kind) do update
       set prefixes = array_append(array_remove(n.prefixes, ${prefix}::text), ${prefix}::text)`;
}

/** Every prefix that numbers of the organisation may have, of all kinds. */
export async function knownPrefixes(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.sql<{ prefixes: readonly string[] }>`
    select prefixes from document_numbers where organisation_id = ${tx.organisation}`;
  return [...new Set([...Object.values(NUMBER_PREFIXES), ...rows.flatMap(({ prefixes }) => prefixes)])];
}
