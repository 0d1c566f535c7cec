import type { Cents } from "../kernel/money.ts";
import type { BusinessDay, Instant } from "../kernel/time.ts";
import type { Part, Tx } from "./database.ts";
import type { Named } from "./schema.ts";

/* What stores answer about records of any kind, where records of all kinds are told together. */

/** What a record is called. */
export interface NameRow {
  readonly id: string;
  /** The number, reference or name by which people know it. */
  readonly name: string | null;
  /** Of the record on whose page it is shown, as that page's address has it. */
  readonly target: string;
}

/** The names of the records of one kind, by their ids; those that are absent or another organisation's are left out. */
export type Names = (tx: Tx, ids: readonly string[]) => Promise<NameRow[]>;

/** A record that was found. */
export interface Hit {
  readonly id: string;
  /** The number, reference or name by which people know it. */
  readonly title: string;
  /** Whose it is, or what it is for. */
  readonly detail: string | null;
  readonly status: string | null;
  readonly amount: Cents | null;
  readonly currency: string | null;
  readonly at: Instant | BusinessDay;
}

/** What finds the records of one kind: at most `limit`, the newest first. */
export type Finder = (tx: Tx, search: Named, limit: number) => Promise<Hit[]>;

/** A record that another one concerns, and what it is to that one; without an id there is none. */
export interface RelatedRow {
  readonly relation: string;
  /** Of a payment, its reference. */
  readonly id: string | null;
}

/** What a record of one kind concerns, by indexes; nothing of one that is absent or another organisation's. */
export type Related = (tx: Tx, id: string) => Promise<RelatedRow[]>;

/** How a record came about that another one, or nobody of the organisation, has made. */
export interface Origin {
  /** Of the record, where it stands in the order of ids. */
  readonly id: string;
  readonly madeAt: Instant;
  /** Id, or reference, of the record that it was made of; null when it was made of none. */
  readonly from: string | null;
  /** Who does so when no member of staff or API key did. */
  readonly by: "payer" | "gateway" | "system";
}

/** How a record of one kind came about, as at most one row. */
export type Origins = (tx: Tx, id: string) => Promise<Origin[]>;

/**
 * The rows `t` that a resource holds of a customer, as the rest of a statement: `from vouchers t where …`. They are handed over whole but for what
 * belongs to nobody or opens a door.
 */
export type Held = (tx: Tx, customer: string) => Part;
