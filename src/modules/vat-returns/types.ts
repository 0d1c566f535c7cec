import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Fields of the return that the books have figures for. */
export const VAT_FIELDS = ["1", "2", "3", "4", "18"] as const;
export type VatField = (typeof VAT_FIELDS)[number];

/** The other fields: sums on the form, and figures that the books do not have. */
export const OTHER_VAT_FIELDS = ["1A", "2A", "4A", "12", "13", "14", "15", "16", "17", "19", "20"] as const;

/** When VAT is accounted for: with the document, or with its payments. */
export const VAT_BASES = ["invoice", "payments"] as const;
export type VatBasis = (typeof VAT_BASES)[number];

/** The kind of supplies without VAT that are not marked as exempt: supplies from before the mark existed may be zero-rated or exempt. */
export const UNTAXED_KINDS = ["zero_rated", "exempt"] as const;
export type UntaxedKind = (typeof UNTAXED_KINDS)[number];

/** Since `from`, before `until`. */
export interface VatPeriod {
  readonly from: Instant;
  readonly until: Instant;
}

/** The parameters of a return. */
export interface VatQuestion {
  /** First day of the last month of the tax period. */
  readonly month: CalendarDay;
  readonly months: 1 | 2;
  readonly span: VatPeriod;
  readonly basis: VatBasis;
  readonly untaxed: UntaxedKind;
}

/** The sums of a period's entries for the return, in cents. */
export interface VatSums {
  /** Consideration with VAT of supplies at a rate above zero, and the VAT in it. */
  readonly standard: Cents;
  readonly outputTax: Cents;
  /** Consideration of supplies without VAT that are not marked as exempt, minus what was credited, cancelled or returned of it. */
  readonly untaxed: Cents;
  /** As `untaxed`, of supplies that are marked as exempt. */
  readonly exempt: Cents;
  /** VAT that was credited, cancelled, returned or taken back. */
  readonly credited: Cents;
}

/** A figure of the return, in cents. */
export interface VatFigure {
  readonly field: VatField | (typeof OTHER_VAT_FIELDS)[number];
  readonly description: string;
  readonly amount: Cents;
}

/** An entry of the books with its amount in a field. */
export interface VatRecord {
  /** Of the journal entry. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly occurredAt: Instant;
  readonly description: string;
  /** In cents: with VAT in fields 1 to 3, the VAT itself in 4 and 18. */
  readonly amount: Cents;
}
