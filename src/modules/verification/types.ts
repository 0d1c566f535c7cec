/** A row that does not say what its sources say. `expected` and `found` are as text; amounts in cents. */
export interface Finding {
  readonly table: string;
  readonly id: string;
  /** What must hold, such as `payment_entry`: one word per rule. */
  readonly rule: string;
  readonly expected: string | null;
  readonly found: string | null;
}

/** A part of a table, examined in one snapshot. */
export interface Examined {
  readonly rows: number;
  /** Where the next part begins; null when this was the last. */
  readonly last: string | null;
  readonly findings: readonly Finding[];
}
