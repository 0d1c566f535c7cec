import type { Organisation } from "../../modules/organisations/types.ts";
import {
  examineCustomers,
  examineDeliveries,
  examineEmails,
  examineEntries,
  examineEventSubjects,
  examinePaymentLinks,
  examineRefunds,
  examineTransactionEvents,
  examineTransactions,
  prepareExamination,
} from "../../modules/verification/store.ts";
import type { Examined, Finding } from "../../modules/verification/types.ts";
import type { Tx } from "../../platform/database.ts";
import { BOOKS_CURRENCY } from "../context.ts";
import type { Services } from "../services.ts";

/** A row that does not hold, and whose it is. */
export interface Fault extends Finding {
  /** The slug. */
  readonly organisation: string;
}

const PART_ROWS = 10_000;

/** Everything that is recomputed (contract 3). Each examines one table, in parts of bounded time. */
const EXAMINATIONS: readonly ((tx: Tx, after: string, limit: number) => Promise<Examined>)[] = [
  examineTransactions,
  examineTransactionEvents,
  examineRefunds,
  examineEntries,
  examinePaymentLinks,
  (tx, after, limit) => examineCustomers(tx, after, limit, BOOKS_CURRENCY),
  examineEventSubjects,
  examineDeliveries,
  examineEmails,
];

/**
 * Recomputes every total, balance and state of an organisation from its sources, part by part. May run beside the service: what must be
 * true together is written together, and each part is read in one snapshot.
 */
export async function* verifyOrganisation(
  { db }: Pick<Services, "db">,
  { id, slug }: Pick<Organisation, "id" | "slug">,
  partRows = PART_ROWS,
): AsyncGenerator<{ readonly rows: number; readonly faults: readonly Fault[] }> {
  for (const examine of EXAMINATIONS)
    for (let after: string | null = ""; after !== null; ) {
      const from: string = after;
      const { rows, last, findings } = await db.transaction(id, (tx) => {
        prepareExamination(tx);
        return examine(tx, from, partRows);
      });
      yield { rows, faults: findings.map((finding) => ({ organisation: slug, ...finding })) };
      after = last;
    }
}
