import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";
import type { Named } from "../../platform/schema.ts";

/** Kinds of records that a search finds, in the order in which they are shown. */
export const SEARCHED_KINDS = [
  "customer",
  "invoice",
  "quote",
  "credit_note",
  "transaction",
  "refund",
  "payment_link",
  "eft_order",
  "mandate",
  "customer_subscription",
  "subscription",
] as const;
export type SearchedKind = (typeof SEARCHED_KINDS)[number];

/** The relation of a record to another one. `about`: the record that a mail is about. */
export const RELATIONS = [
  "about",
  "customer",
  "quote",
  "invoice",
  "credit_note",
  "transaction",
  "payment_link",
  "checkout_session",
  "eft_order",
  "customer_subscription",
  "subscription",
  "mandate",
  "debit_batch",
  "card",
  "coupon",
  "product",
  "package",
  "reconciliation_item",
  "gateway",
] as const;
export type Relation = (typeof RELATIONS)[number];

/** A search text, prepared for comparison with records. */
export type Search = Omit<Named, "customers">;

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
