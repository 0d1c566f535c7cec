/** Where the money of a line went, as the account's owner sees it. */
export type Side = "in" | "out";

/** Which column of a CSV statement holds what, by the headings of the file; by `placeName` in a file without headings. */
export interface ColumnMapping {
  readonly date?: string | undefined;
  /** Several columns are joined in this order. */
  readonly description?: string | readonly string[] | undefined;
  readonly amount?: string | undefined;
  readonly debit?: string | undefined;
  readonly credit?: string | undefined;
  /** A column that says of each amount whether it came in or went out, such as `Dr` or `Credit`. */
  readonly direction?: string | undefined;
  readonly balance?: string | undefined;
  /** The bank's own id of a transaction. */
  readonly id?: string | undefined;
  readonly reference?: string | undefined;
  readonly currency?: string | undefined;
  /** Such as `DD/MM/YYYY`. */
  readonly dateFormat?: string | undefined;
  /** What an amount without a sign is, where the file does not say. */
  readonly unsigned?: Side | undefined;
}
