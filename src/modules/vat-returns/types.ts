import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Fields of the return that the books have figures for. */
export const VAT_FIELDS = ["1", "2", "4", "18"] as const;
export type VatField = (typeof VAT_FIELDS)[number];

/** What the entries of a period add to the return, in cents. */
export interface VatSums {
  /** Consideration with VAT of supplies at a rate above zero, and the VAT in it. */
  readonly standard: Cents;
  readonly outputTax: Cents;
  /** Consideration of supplies without VAT, less what was credited or cancelled of it. */
  readonly untaxed: Cents;
  /** VAT that was credited, cancelled or taken back. */
  readonly credited: Cents;
}

/** A figure of the return, in cents. */
export interface VatFigure {
  readonly field: string;
  readonly description: string;
  readonly amount: Cents;
}

/** An entry of the books with what it adds to a field. */
export interface VatRecord {
  /** Of the journal entry. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  /** In cents: with VAT in fields 1 and 2, the VAT itself in 4 and 18. */
  readonly amount: Cents;
}
