import type { CustomerId } from "../../kernel/ids.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** Records that are kept of an erased customer, and the law that says so. */
export interface Kept {
  readonly what: "taxDocuments" | "payments" | "mandates" | "bankLines";
  readonly count: number;
  readonly why: string;
}

/** The erasure of a customer (interface 18.7). */
export interface Erasure {
  readonly customerId: CustomerId;
  readonly erasedAt: Instant;
  /** How many records of each kind lost what is personal. */
  readonly erased: Readonly<Record<string, number>>;
  readonly kept: readonly Kept[];
  /** The last day on which `kept` is kept; null when nothing is. */
  readonly keptUntil: BusinessDay | null;
  readonly keptErasedAt: Instant | null;
}

/** What a customer still has under way, so that it cannot be erased yet. */
export interface Unfinished {
  readonly what: string;
  readonly count: number;
  /** Numbers or references of some. */
  readonly names: readonly string[];
}

/** How much of a kind the settings have removed so far. */
export interface Removed {
  readonly what: string;
  /** Records up to this id were looked at. */
  readonly reached: string;
  readonly removed: number;
  /** Of `removed`, what the audit log tells of. */
  readonly audited: number;
  readonly appliedAt: Instant;
}
