import { EXAMINATIONS } from "../../catalogue.ts";
import { realTime } from "../../flows/context.ts";
import { type Fault, verifyOrganisation } from "../../flows/verify/verify-organisation.ts";
import { counted } from "../../kernel/text.ts";
import { allOrganisations } from "../../modules/organisations/store.ts";
import { recordResult } from "../../platform/last-results.ts";
import type { Run } from "./command.ts";
import { organisationNamed, withDatabase } from "./database.ts";

/**
 * `verify`: `{faults: [{organisation, table, id, rule, expected, found}], checked, ok}`, written as faults are found;
 * exit code 1 when there are any. When an error ends it early, the document ends with `error` and `message`.
 */
export const verify: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const slug = call.text("org");
    const organisations = slug === undefined ? await allOrganisations(db) : [await organisationNamed(db, slug)];
    let checked = 0;
    let found = 0;
    if (call.json) await call.print('{"faults":[');
    try {
      for (const organisation of organisations)
        for await (const { rows, faults } of verifyOrganisation({ db }, organisation, EXAMINATIONS)) {
          checked += rows;
          for (const fault of faults) {
            await call.print(call.json ? `${found === 0 ? "" : ","}${JSON.stringify(fault)}` : inWords(fault));
            found += 1;
          }
        }
    } catch (error) {
      if (!call.json) throw error;
      const message = error instanceof Error ? error.message : String(error);
      call.note(message);
      const rest = { checked, ok: false, error: "failed", message };
      await call.print(`],${JSON.stringify(rest).slice(1)}\n`);
      return 1;
    }
    if (slug === undefined) await recordResult(db, { kind: "verify", endedAt: realTime(), faults: found });
    const ok = found === 0;
    const verdict = ok ? "everything holds" : counted(found, "fault");
    await call.print(call.json ? `],"checked":${checked},"ok":${ok}}\n` : `${checked} rows checked: ${verdict}.\n`);
    return ok ? 0 : 1;
  });

const inWords = ({ organisation, table, id, rule, expected, found }: Fault): string =>
  `${organisation}  ${table} ${id}  ${rule}: ${found ?? "nothing"} instead of ${expected ?? "nothing"}\n`;
