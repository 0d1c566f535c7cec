import type { OrganisationId } from "../../kernel/ids.ts";
import type { SealedColumn } from "../../platform/sealed.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { Services } from "../services.ts";

/** A secret that stays as it was, because it cannot be opened: its key is missing, or it was damaged. */
export interface UndecryptedSecret {
  readonly organisation: OrganisationId;
  readonly column: string;
  readonly id: string;
  readonly message: string;
}

const BATCH = 200;

/**
 * Seals every value of a column again that is not sealed under the current key, in batches of one transaction each. May run beside the
 * service, be cut off and be run again: what is done is done. Answers how many it sealed, and which it could not open.
 */
export async function rotateColumn(
  { db, secrets }: Pick<Services, "db" | "secrets">,
  organisation: OrganisationId,
  column: SealedColumn,
): Promise<{ sealed: number; unopened: UndecryptedSecret[] }> {
  const unopened: UndecryptedSecret[] = [];
  let sealed = 0;
  for (let after: string | null = ""; after !== null; ) {
    const from: string = after;
    const values = await db.transaction(organisation, async (tx) => {
      const found = await column.next(tx, secrets.currentPrefix, from, BATCH);
      return found.map(({ id, sealed: before }) => {
        const again = sealAgain(secrets, organisation, column.sealedFor, before);
        if ("text" in again) column.replace(tx, id, before, again.text);
        return { id, problem: "problem" in again ? again.problem : null };
      });
    });
    for (const { id, problem } of values)
      if (problem === null) sealed += 1;
      else unopened.push({ organisation, column: column.column, id, message: problem });
    after = values.length < BATCH ? null : (values.at(-1)?.id ?? null);
  }
  return { sealed, unopened };
}

function sealAgain(
  secrets: Secrets,
  organisation: OrganisationId,
  column: string,
  sealed: string,
): { text: string } | { problem: string } {
  const context = { organisation, column };
  try {
    return { text: secrets.seal(secrets.open(sealed, context), context) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
