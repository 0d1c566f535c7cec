import type { CustomerId } from "../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Records that are kept of an erased customer, and the law that requires it. */
export interface Kept {
  readonly what: "taxDocuments" | "payments" | "mandates" | "bankLines";
  readonly count: number;
  readonly why: string;
}

/** The erasure of a customer (interface 18.7). */
export interface Erasure {
  readonly customerId: CustomerId;
  readonly erasedAt: Instant;
  /** How many records of each kind lost their personal data. */
  readonly erased: Readonly<Record<string, number>>;
  readonly kept: readonly Kept[];
  /** The last day on which `kept` is kept; null when nothing is kept. */
  readonly keptUntil: CalendarDay | null;
  readonly keptErasedAt: Instant | null;
}

/** Unfinished records of a customer, which must end before it can be erased. */
export interface Unfinished {
  readonly what: string;
  readonly count: number;
  /** Numbers or references of some. */
  readonly names: readonly string[];
}

/** The number of records of a kind that the settings have removed so far. */
export interface Removed {
  readonly what: string;
  /** Records up to this id were checked. */
  readonly reached: string;
  readonly removed: number;
  /** The part of `removed` that the audit log has reported. */
  readonly audited: number;
  readonly appliedAt: Instant;
}
