import type { Tx } from "./database.ts";

/** A stored secret and what names its row within the column. */
export interface SealedValue {
  readonly id: string;
  readonly sealed: string;
}

/** A column that holds sealed text, for `tefo secrets rotate`: each has its entry in the one list of them. */
export interface SealedColumn {
  /** `table.column`, as the database names it. */
  readonly column: string;
  /** `SealContext.column` of its values. */
  readonly sealedFor: string;
  /** At most `limit` values, in the order of their ids after `after`, whose text does not begin with `current`. */
  next(tx: Tx, current: string, after: string, limit: number): Promise<SealedValue[]>;
  /** Puts `after` in the place of `before`; nothing when another value stands there by now. */
  replace(tx: Tx, id: string, before: string, after: string): void;
}
