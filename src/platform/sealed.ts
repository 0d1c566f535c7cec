import type { Tx } from "./database.ts";

/** A stored secret, with the id of its row within the column. */
export interface SealedValue {
  readonly id: string;
  readonly sealed: string;
}

/** A column that holds sealed text, for `tefo secrets rotate`: every such column is listed in src/catalogue.ts. */
export interface SealedColumn {
  /** `table.column`, as the database names it. */
  readonly column: string;
  /** `SealContext.column` of its values. */
  readonly sealedFor: string;
  /** At most `limit` values, in the order of their ids after `after`, whose text does not begin with `current`. */
  next(tx: Tx, current: string, after: string, limit: number): Promise<SealedValue[]>;
  /** Replaces `before` by `after`; does nothing when the row holds another value. */
  replace(tx: Tx, id: string, before: string, after: string): void;
}
