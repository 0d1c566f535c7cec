import { verifyOrganisation } from "../../flows/verify/verify-organisation.ts";
import { allOrganisations } from "../../modules/organisations/store.ts";
import type { Run } from "./command.ts";
import { organisationNamed, withDatabase } from "./database.ts";

/** `verify`: `{faults: [{organisation, table, id, rule, expected, found}], checked, ok}`, written as it is found; 1 when there are any. */
export const verify: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const slug = call.text("org");
    const organisations = slug === undefined ? await allOrganisations(db) : [await organisationNamed(db, slug)];
    let checked = 0;
    let found = 0;
    if (call.json) await call.print('{"faults":[');
    for (const organisation of organisations)
      for await (const { rows, faults } of verifyOrganisation({ db }, organisation)) {
        checked += rows;
        for (const fault of faults) {
          const { organisation: owner, table, id, rule, expected, found: is } = fault;
          const words = `${owner}  ${table} ${id}  ${rule}: ${is ?? "nothing"} instead of ${expected ?? "nothing"}\n`;
          await call.print(call.json ? `${found === 0 ? "" : ","}${JSON.stringify(fault)}` : words);
          found += 1;
        }
      }
    const ok = found === 0;
    const verdict = ok ? "everything holds" : `${found} ${found === 1 ? "fault" : "faults"}`;
    await call.print(call.json ? `],"checked":${checked},"ok":${ok}}\n` : `${checked} rows checked: ${verdict}.\n`);
    return ok ? 0 : 1;
  });
