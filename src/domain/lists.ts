import type { Cents } from "../kernel/money.ts";

/** The search text `q` of a list, prepared for comparison with records. */
export interface Named {
  /** Trimmed; compared with the beginning of merchants' identifiers and references. */
  readonly text: string;
  /** Split at spaces: a customer matches who has, for each of them, a word that begins with it. */
  readonly words: readonly string[];
  /** In upper case; compared with the beginning of our own references and numbers. */
  readonly references: readonly string[];
  /**
   * Spellings of an e-mail address that begins with the text: as typed, in lower case, and with a capital first letter.
   */
  readonly addresses: readonly string[];
  /** The text as an amount in cents; null when it is none. */
  readonly amount: Cents | null;
  /** Ids of the customers that match `words`. */
  readonly customers: readonly string[];
}

/** Filters and search of a list as stores receive them. */
export type ListFilter<Filter extends string = never> = {
  readonly [Name in Filter | "q"]?: string | undefined;
} & {
  /** Null: no record can match `q`. */
  readonly named?: Named | null | undefined;
};

/** The query as stores receive it. */
export type ListQuery<Filter extends string = never> = ListFilter<Filter> & {
  readonly startingAfter?: string | undefined;
  readonly limit: number;
};
