import type { TransactionId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import { endOfPrefix } from "../kernel/text.ts";
import type { CalendarDay, Instant } from "../kernel/time.ts";
import { type Part, part, type Tx, when } from "../platform/database.ts";
import type { PersonalTables } from "./erasure.ts";
import type { Named } from "./lists.ts";

/*
 * What a resource declares of its records, in `record({…})` of its module, for what the product does with records of
 * every kind.
 */

/** The name of a record. */
export interface NameRow {
  readonly id: string;
  /** The number, reference or name that people know it by. */
  readonly name: string | null;
  /** The id of the record whose page shows this one, as in the page's address. */
  readonly target: string;
}

/** The names of the records of one kind, by their ids; those that are absent or another organisation's are left out. */
export type Names = (tx: Tx, ids: readonly string[]) => Promise<NameRow[]>;

/** A record that was found. */
export interface Hit {
  readonly id: string;
  /** The number, reference or name that people know it by. */
  readonly title: string;
  /** The customer, or the purpose. */
  readonly detail: string | null;
  readonly status: string | null;
  readonly amount: Cents | null;
  readonly currency: string | null;
  readonly at: Instant | CalendarDay;
}

/** Finds the records of one kind: at most `limit`, the newest first. */
export type Finder = (tx: Tx, search: Named, limit: number) => Promise<Hit[]>;

/** A related record and its relation; without an id there is none. */
export interface RelatedRow {
  readonly relation: string;
  /** Of a payment, its reference. */
  readonly id: string | null;
}

/**
 * Reads the related records of a record of one kind, by indexes; none for one that is absent or another organisation's.
 */
export type Related = (tx: Tx, id: string) => Promise<RelatedRow[]>;

/** The origin of a record that was made from another record, or by nobody of the organisation. */
export interface Origin {
  /** The record's position in the order of ids. */
  readonly id: string;
  readonly madeAt: Instant;
  /** Id, or reference, of the record from which it was made; null when there is none. */
  readonly from: string | null;
  /** Who made it when no member of staff or API key did. */
  readonly by: "payer" | "gateway" | "system";
}

/** Reads the origin of a record of one kind, as at most one row. */
export type Origins = (tx: Tx, id: string) => Promise<Origin[]>;

/**
 * Selects the rows `t` of a customer in a resource's table, as the rest of a statement: `from vouchers t where …`. The
 * archive gets them without columns that are not personal data or give access to something.
 */
export type Held = (tx: Tx, customer: string) => Part;

/** The ids and references of all records of a customer, as `any (…)` takes them. */
export const subjectsOf = (tx: Tx, customer: string): Part =>
  part`subjects_of_customer(${tx.organisation}, ${customer})`;

/** The ids of the lines of bank statements that are matched with a customer's records, as `any (…)` takes them. */
export const bankLinesOf = (tx: Tx, customer: string): Part =>
  part`bank_lines_of_customer(${tx.organisation}, ${customer})`;

/**
 * The beginnings of our own numbers and references that a search text may be, as the table `s`: each with the end of
 * its range.
 */
export const startsOf = ({ references }: Named): Part =>
  part`unnest(${references}::text[], ${references.map(endOfPrefix)}::text[]) as s(first, last)`;

/** The records that a caller may read, where a list shows what happened to records of every kind. */
export interface Readable {
  /** The prefixes of the ids of all kinds. */
  readonly known: readonly string[];
  /** Those of the kinds that the caller may read. */
  readonly kinds: readonly string[];
  /** Whether they may read what is about no record, such as the settings, and about payments by their references. */
  readonly others: boolean;
}

/** Condition: `column` names a record that the caller may read. Null is a caller who may read all. */
export const onlyReadable = (readable: Readable | null, column: Part): Part =>
  when(
    readable,
    ({ known, kinds, others }) => part`
      and case when split_part(${column}, '_', 1) = any (${known}::text[]) then split_part(${column}, '_', 1) = any (${kinds}::text[])
               else ${others}::boolean end`,
  );

/** The most related records of one relation that are answered, the newest first. */
export const RELATED_MAX = 10;

/**
 * One kind of record, where the product names, finds and relates records of all kinds: search, names, related records,
 * timelines, notes.
 */
export interface RecordKind<Permission extends string = string> {
  /** The prefix of their ids, such as `inv`. */
  readonly prefix: string;
  /** The API's name of the kind, such as `invoice`, in search results and related records. */
  readonly noun?: string;
  /** The permission that a role needs to read them. */
  readonly permission: Permission;
  /** Their path below `/dashboard/api` and `/dashboard`. */
  readonly path: string;
  /** They have no pages of their own: the path is that of their list. */
  readonly list?: true;
  /** Reads their names, of a whole page at once (decisions.md#records-are-named-by-id). */
  readonly names: Names;
  /**
   * Finds them in the search for records of all kinds; needs a `noun`. Each way of finding one reads an index up to the
   * limit, so that its cost does not grow with the number of matches.
   */
  readonly search?: Finder;
  /** Reads the related records of one of them. */
  readonly related?: Related;
  /** Reads the origin of one that was made from another record, or by nobody of the organisation. */
  readonly origin?: Origins;
  /**
   * Reads the id of the one for which a payment, by its id, was begun; null when there is none. It is a related record
   * of the payment, and the origin in its timeline.
   */
  readonly ofPayment?: (tx: Tx, payment: TransactionId) => Promise<string | null>;
}

/** What a resource declares of its records. */
export interface RecordDeclaration<Permission extends string = string> {
  /** A kind for each prefix of ids; the first is the resource itself. */
  readonly kinds?: readonly RecordKind<Permission>[];
  /** The records of customers that it stores, by the name of their file in the archive of personal data. */
  readonly held?: Readonly<Record<string, Held>>;
  /** Its tables, and what erasure makes of their columns. */
  readonly tables?: PersonalTables;
}

/** Declares what the product does with the records of a resource. */
export const record = <const Declared extends RecordDeclaration>(declared: Declared): Declared => declared;
