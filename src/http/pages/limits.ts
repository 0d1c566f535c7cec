import type { Services } from "../../flows/services.ts";
import type { ApiError } from "../../kernel/errors.ts";
import { countUses } from "../../platform/rate-windows.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";

/** How often something may be sent. */
export interface Limit {
  readonly uses: number;
  readonly seconds: number;
}

/** Interface 4.12: submissions of one page from one address. */
export const SUBMISSIONS: Limit = { uses: 15, seconds: 600 };
/** As `SUBMISSIONS`, of a pay page: a link of many uses is paid by all who share the address of a school or a market. */
export const PAYMENTS: Limit = { uses: 120, seconds: 600 };

/** Counts one use of each scope, for all processes. The refusal (429 with Retry-After) when one of them is used up, else null. */
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
