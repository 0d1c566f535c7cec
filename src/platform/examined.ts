import type { BusinessDay } from "../kernel/time.ts";
import { part, type Tx } from "./database.ts";

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

/** Recomputes a table for `tefo verify`, in parts of bounded time: `limit` rows after the id `after`, on the business day given. */
export type Examination = (tx: Tx, after: string, limit: number, today: BusinessDay) => Promise<Examined>;

/** The answer of every examination. */
export interface ExaminedRow {
  rows: number;
  last: string | null;
  findings: { id: string; rule: string; expected: string | null; found: string | null }[];
}

/** The end of every examination: of the rows in `part`, which have an `id`, those in `faults`. */
export const FINDINGS = part`
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;

/** Of the table's part that was asked for, `limit` rows at most. */
export function examined(table: Finding["table"], rows: ExaminedRow[], limit: number): Examined {
  const [row] = rows;
  return {
    rows: row?.rows ?? 0,
    last: row && row.rows === limit ? row.last : null,
    findings: (row?.findings ?? []).map((finding) => ({ table, ...finding })),
  };
}

/**
 * First in each transaction. Compiling these statements, where the server would, takes longer than running them; and a plan for an
 * organisation of common size joins ten thousand rows one by one.
 */
export function prepareExamination(tx: Tx): void {
  tx.queue`set local jit = 'off'`;
  tx.queue`set local plan_cache_mode = 'force_custom_plan'`;
}
