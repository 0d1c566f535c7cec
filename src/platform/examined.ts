import type { CalendarDay } from "../kernel/time.ts";
import type { Part, Tx } from "./database.ts";

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

/** Which rows of the table are examined, and when. */
export interface Scope {
  /** Rows with a greater id; empty: from the first. */
  readonly after: string;
  readonly limit: number;
  /** The business day of the organisation's clock. */
  readonly today: CalendarDay;
}

/**
 * Recomputes a table for `tefo verify`, part by part. Declared in `verify.ts` of the module that the table belongs to
 * (decisions.md#examinations-stand-with-their-table).
 */
export interface Examination {
  readonly table: string;
  /**
   * A `with` of two queries, and others that they need: `part`, the rows of the scope, ordered by their `id`; `faults`, what does not hold,
   * as `id`, `rule`, `expected` and `found`.
   */
  readonly sql: (tx: Tx, scope: Scope) => Part;
}

/** Declares an examination. */
export const examination = (table: string, sql: Examination["sql"]): Examination => ({ table, sql });

interface ExaminedRow {
  rows: number;
  last: string | null;
  findings: Omit<Finding, "table">[];
}

/**
 * Sets how the planner plans the examinations of this transaction; call it first. Plans are kept for the connection
 * where parts have few rows, since planning these statements takes longer than running them. A kept plan would join the
 * rows of a large organisation one by one, so they are planned `again` for a large part. With the default cost of a
 * random page, the planner would read each other table as a whole for every part, in place of looking up the rows of
 * the part by their keys.
 */
export function planToExamine(tx: Tx, plans: "kept" | "anew"): void {
  tx.queue`set local jit = 'off'`;
  if (plans === "anew") tx.queue`set local plan_cache_mode = 'force_custom_plan'`;
  tx.queue`set local random_page_cost = 1`;
  // As revisions are kept: what is compared as text is the same everywhere.
  tx.queue`set local timezone = 'UTC'`;
}

/** Examines one part of a table, in a transaction that `planToExamine` has begun. */
export async function examine(tx: Tx, { table, sql }: Examination, scope: Scope): Promise<Examined> {
  const [row] = await tx.sql<ExaminedRow>`${sql(tx, scope)}
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  const { rows, last, findings } = row ?? { rows: 0, last: null, findings: [] };
  return {
    rows,
    last: rows === scope.limit ? last : null,
    findings: findings.map((finding) => ({ table, ...finding })),
  };
}
