import { SEALED_COLUMNS } from "../../catalogue.ts";
import { rotateColumn, type UndecryptedSecret } from "../../flows/secrets/rotate-secrets.ts";
import { allOrganisations } from "../../modules/organisations/store.ts";
import { columns, type Run } from "./command.ts";
import { answer, withDatabase } from "./database.ts";
import { withIdentity } from "./identity.ts";

/** Second factors of staff: outside organisations, and encrypted by the sign-in library. */
const SECOND_FACTORS = "identity.two_factor.secret";

/** `secrets rotate`: `{keyId, resealed, columns, unopened}`; 1 when a secret could not be opened. */
export const secretsRotate: Run = (call) =>
  withDatabase(call, async (context) => {
    const services = { db: context.db, secrets: context.opened.secrets() };
    const counts: Record<string, number> = Object.fromEntries(SEALED_COLUMNS.map(({ column }) => [column, 0]));
    const unopened: UndecryptedSecret[] = [];
    for (const { id } of await allOrganisations(context.db))
      for (const column of SEALED_COLUMNS) {
        const done = await rotateColumn(services, id, column);
        counts[column.column] = (counts[column.column] ?? 0) + done.sealed;
        unopened.push(...done.unopened);
      }
    counts[SECOND_FACTORS] = await withIdentity(context, (identity) => identity.reseal());
    const resealed = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const { keyId } = services.secrets;
    const rows = Object.entries(counts).map(([column, count]) => [column, String(count)]);
    const words = [
      columns(rows),
      `${resealed} sealed again under key ${keyId}.`,
      ...unopened.map((one) => `Not opened: ${one.column} ${one.id} of ${one.organisation}: ${one.message}`),
    ].join("\n");
    await answer(call, { keyId, resealed, columns: counts, unopened }, words);
    return unopened.length === 0 ? 0 : 1;
  });
