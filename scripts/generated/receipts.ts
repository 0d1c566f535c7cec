import { receiptsOf } from "../../src/domain/receipts.ts";
import { Part, part } from "../../src/platform/database.ts";

/** The text of a piece of SQL whose values are pieces too. */
const textOf = ({ strings, values }: Part): string =>
  strings.reduce((text, next, at) => {
    const value = values[at - 1];
    return `${text}${value instanceof Part ? textOf(value) : ""}${next}`;
  });

/** The function of the database that selects receipts for other functions, by its path. */
export const receiptsFunction = (): ReadonlyMap<string, string> =>
  new Map([
    [
      "migrations/functions/receipts_of.sql",
      `-- The money that customers paid and got back in some days (src/domain/receipts.ts), for functions of the database.
-- Made by \`npm run generate\` from src/domain/receipts.ts: change that.
create or replace function receipts_of(p_organisation text, p_from date, p_to date)
 returns table (record text, kind text, day date, amount_cents bigint, currency text, customer_id text, method text,
   reference text, path text)
 language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
${textOf(receiptsOf({ organisation: part`p_organisation` }, { from: part`p_from`, to: part`p_to` })).replace(/^\n/, "")};
end $$;
`,
    ],
  ]);
