import type { BusinessDay } from "../kernel/time.ts";
import { part, type Tx } from "./database.ts";

/** A row that differs from what it is computed from. `expected` and `found` are text; amounts in cents. */
export interface Finding {
  readonly table: string;
  readonly id: string;
  /** Name of the broken rule, such as `payment_entry`. */
  readonly rule: string;
  readonly expected: string | null;
  readonly found: string | null;
}

/** A part of a table, examined in one snapshot. */
export interface Examined {
  readonly rows: number;
  /** The last id examined, after which the next part begins; null when this was the last part. */
  readonly last: string | null;
  readonly findings: readonly Finding[];
}

/** Recomputes part of a table for `tefo verify`: at most `limit` rows after the id `after`, on the business day `today`. */
export type Examination = (tx: Tx, after: string, limit: number, today: BusinessDay) => Promise<Examined>;

/** The row that the SQL of every examination answers. */
export interface ExaminedRow {
  rows: number;
  last: string | null;
  findings: { id: string; rule: string; expected: string | null; found: string | null }[];
}

/** The last select of every examination: counts the rows of `part`, which has an `id`, and collects the rows of `faults`. */
export const FINDINGS = part`
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;

/** The `Examined` of the row that the SQL answered; `limit` is the size of a part. */
export function examined(table: Finding["table"], rows: ExaminedRow[], limit: number): Examined {
  const [row] = rows;
  return {
    rows: row?.rows ?? 0,
    last: row && row.rows === limit ? row.last : null,
    findings: (row?.findings ?? []).map((finding) => ({ table, ...finding })),
  };
}

/**
 * Sets the planner for the transaction of an examination; call it first. Compiling these statements takes longer than running them, and a
 * generic plan would join the rows of a large organisation one by one.
 */
export function prepareExamination(tx: Tx): void {
  tx.queue`set local jit = 'off'`;
  tx.queue`set local plan_cache_mode = 'force_custom_plan'`;
}
