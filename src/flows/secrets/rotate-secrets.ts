import type { OrganisationId } from "../../kernel/ids.ts";
import type { SealedColumn } from "../../platform/sealed.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { Services } from "../services.ts";

/** A secret that could not be decrypted and was not changed: its key is missing, or it is damaged. */
export interface UndecryptedSecret {
  readonly organisation: OrganisationId;
  readonly column: string;
  readonly id: string;
  readonly message: string;
}

const BATCH = 200;

/**
 * Re-encrypts every value of a column that is not encrypted with the current key, in batches of one transaction each.
 * It may run beside the service, stop at any time and run again. Returns how many it encrypted, and those that it could
 * not decrypt.
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
