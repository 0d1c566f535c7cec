import type { Services } from "../../flows/services.ts";
import type { ApiError } from "../../kernel/errors.ts";
import { countUses } from "../../platform/rate-windows.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";

/** At most `uses` within a window of `seconds`. */
export interface Limit {
  readonly uses: number;
  readonly seconds: number;
}

/** Submissions of one page from one network (interface 4.12). */
export const SUBMISSIONS: Limit = { uses: 15, seconds: 600 };
/**
 * Submissions of one pay page from one network. More than `SUBMISSIONS`: many payers of one link may share an address
 * (decisions.md#pay-page-submissions).
 */
export const PAYMENTS: Limit = { uses: 120, seconds: 600 };

/**
 * Counts one use of each scope, across all processes. Returns the refusal (429 with Retry-After) when a limit is
 * exceeded, else null.
 */
export async function countSubmission(
  { db }: Pick<Services, "db">,
  scopes: Readonly<Record<string, Limit>>,
): Promise<ApiError | null> {
  for (const [scope, { uses, seconds }] of Object.entries(scopes)) {
    const start = windowStart(seconds);
    const [used = 0] = await countUses(db.sql, [scope], start);
    if (used > uses)
      return rateLimited(
        { limit: uses, used, resetsAt: start + seconds },
        "Too many attempts. For safety this page takes a short break; please try again in a few minutes.",
      );
  }
  return null;
}
