import { businessDay } from "../../kernel/time.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Examination, examine, type Finding, type Scope } from "../../platform/examined.ts";
import { clockOf } from "../context.ts";
import type { Services } from "../services.ts";

/** A row that verification found to be wrong, with its organisation. */
export interface Fault extends Finding {
  /** The organisation's slug. */
  readonly organisation: string;
}

const PART_ROWS = 10_000;

/**
 * Recomputes every total, balance and state of an organisation from its sources, in parts of at most `partRows` rows. May run
 * beside the service: each part is read in one snapshot, and rows that must agree are written in one transaction.
 */
export async function* verifyOrganisation(
  { db }: Pick<Services, "db">,
  organisation: Pick<Organisation, "id" | "slug" | "clockAt">,
  examinations: readonly Examination[],
  { partRows = PART_ROWS, compiled = "each" }: { readonly partRows?: number } & Pick<Scope, "compiled"> = {},
): AsyncGenerator<{ readonly rows: number; readonly faults: readonly Fault[] }> {
  const { id, slug } = organisation;
  const today = businessDay(clockOf(organisation));
  for (const examination of examinations)
    for (let after: string | null = ""; after !== null; ) {
      const scope: Scope = { after, limit: partRows, today, compiled };
      const { rows, last, findings } = await db.transaction(id, (tx) => examine(tx, examination, scope));
      yield { rows, faults: findings.map((finding) => ({ organisation: slug, ...finding })) };
      after = last;
    }
}
