import { calendarDay } from "../../kernel/time.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Examination, examine, type Finding, planToExamine } from "../../platform/examined.ts";
import { clockOf } from "../context.ts";
import type { Services } from "../services.ts";

/** A row that verification found to be wrong, with its organisation. */
export interface Fault extends Finding {
  /** The organisation's slug. */
  readonly organisation: string;
}

/**
 * Most tables of most organisations have no more rows than this: then one transaction with kept plans examines
 * everything.
 */
const FIRST_ROWS = 500;
const PART_ROWS = 10_000;

/**
 * Recomputes every total, balance and state of an organisation from its sources, each table in a first part of at most
 * `firstRows` rows and then in parts of at most `partRows`. It may run beside the service: each part is read in one
 * snapshot, and rows that must agree are written in one transaction.
 */
export async function* verifyOrganisation(
  { db }: Pick<Services, "db">,
  organisation: Pick<Organisation, "id" | "slug" | "clockAt">,
  examinations: readonly Examination[],
  { firstRows = FIRST_ROWS, partRows = PART_ROWS }: { readonly firstRows?: number; readonly partRows?: number } = {},
): AsyncGenerator<{ readonly rows: number; readonly faults: readonly Fault[] }> {
  const { id, slug } = organisation;
  const today = calendarDay(clockOf(organisation));
  const examineFirst = (some: readonly Examination[]) =>
    db.transaction(id, async (tx) => {
      planToExamine(tx, "kept");
      return Promise.all(some.map((one) => examine(tx, one, { after: "", limit: firstRows, today })));
    });
  // A failed examination ends the transaction; each then gets its own, so that the results of the ones before it are
  // reported.
  const first = await examineFirst(examinations).catch(() => null);
  for (const [index, examination] of examinations.entries())
    for (let part = first ? first[index] : (await examineFirst([examination]))[0]; part; ) {
      const { rows, last: after, findings } = part;
      yield { rows, faults: findings.map((finding) => ({ organisation: slug, ...finding })) };
      if (after === null) break;
      part = await db.transaction(id, (tx) => {
        planToExamine(tx, "anew");
        return examine(tx, examination, { after, limit: partRows, today });
      });
    }
}
