import type { Cents } from "../kernel/money.ts";
import type { BusinessDay, Instant } from "../kernel/time.ts";
import type { Part, Tx } from "./database.ts";
import type { Named } from "./schema.ts";

/* What stores answer about records of any kind, for search, names, relations and timelines over all kinds of records. */

/** The name of a record. */
export interface NameRow {
  readonly id: string;
  /** The number, reference or name by which people know it. */
  readonly name: string | null;
  /** The id, in the page's address, of the record on whose page it is shown. */
  readonly target: string;
}

/** The names of the records of one kind, by their ids; those that are absent or another organisation's are left out. */
export type Names = (tx: Tx, ids: readonly string[]) => Promise<NameRow[]>;

/** A record that was found. */
export interface Hit {
  readonly id: string;
  /** The number, reference or name by which people know it. */
  readonly title: string;
  /** The customer, or the purpose. */
  readonly detail: string | null;
  readonly status: string | null;
  readonly amount: Cents | null;
  readonly currency: string | null;
  readonly at: Instant | BusinessDay;
}

/** Finds the records of one kind: at most `limit`, the newest first. */
export type Finder = (tx: Tx, search: Named, limit: number) => Promise<Hit[]>;

/** A related record and its relation; without an id there is none. */
export interface RelatedRow {
  readonly relation: string;
  /** Of a payment, its reference. */
  readonly id: string | null;
}

/** Reads the related records of a record of one kind, by indexes; none for one that is absent or another organisation's. */
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
 * Selects the rows `t` of a customer in a resource's table, as the rest of a statement: `from vouchers t where …`. The archive gets them without
 * columns that are not personal data or give access to something.
 */
export type Held = (tx: Tx, customer: string) => Part;
