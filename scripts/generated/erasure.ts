import type { Fate, PersonalTable, PersonalTables } from "../../src/domain/erasure.ts";

/* The functions of the database that erase a customer, made from what the resources declare of their tables (src/domain/erasure.ts). */

const MADE = "-- Made by `npm run generate` from record.ts of the modules: change what they declare.";
const SUBJECTS = `  subjects text[] := subjects_of_customer(p_organisation, p_customer);
  lines text[] := bank_lines_of_customer(p_organisation, p_customer);`;
const AS_OWNER = "language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$";

type Declared = readonly [table: string, PersonalTable];

/** The files of the functions, by their paths. */
export function erasureFunctions(tables: PersonalTables): ReadonlyMap<string, string> {
  const declared = Object.entries(tables);
  return new Map([
    ["migrations/functions/subjects_of_customer.sql", subjectsOfCustomer(declared)],
    ["migrations/functions/erase_customer.sql", eraseCustomer(declared)],
    ["migrations/functions/erase_kept.sql", eraseKept(declared)],
  ]);
}

const subjectsOfCustomer = (
  declared: readonly Declared[],
): string => `-- The ids and references of all records of a customer.
${MADE}
create or replace function subjects_of_customer(p_organisation text, p_customer text) returns text[]
language plpgsql stable as $$
begin
  return (select array_agg(s.id) from (
    ${declared.flatMap(([table, { subjects }]) => (subjects ? [idsOf(table, subjects)] : [])).join("\n    union\n    ")}) s(id)
   where s.id is not null);
end $$;
`;

const idsOf = (table: string, subjects: string): string =>
  subjects === "customer_id"
    ? `select id from ${table} where organisation_id = p_organisation and customer_id = p_customer`
    : subjects;

const eraseCustomer = (
  declared: readonly Declared[],
): string => `-- Erases what is held of a customer, but what the law says to keep, and answers how many rows of each table were changed. Runs as the owner
-- of the tables, since some can only grow. The caller has locked the customer and set the organisation, whose rows alone are seen.
${MADE}
create or replace function erase_customer(p_organisation text, p_customer text, p_sealed_nothing text) returns jsonb
  ${AS_OWNER}
declare
${SUBJECTS}
  mail text := (select lower(email) from customers where organisation_id = p_organisation and id = p_customer);
  counts jsonb := '{}';
  n bigint;
begin
${statements(declared, ([table, declaration]) => [...(declaration.before ?? []), ...erasing(table, declaration), ...(declaration.also ?? [])])}
  return counts;
end $$;
revoke execute on function erase_customer from public;
grant execute on function erase_customer to tefo_app;
`;

const eraseKept = (
  declared: readonly Declared[],
): string => `-- Erases what was kept of an erased customer, after its time; also the customer's words on matched lines of bank statements.
${MADE}
create or replace function erase_kept(p_organisation text, p_customer text, p_sealed_account text) returns void
  ${AS_OWNER}
declare
${SUBJECTS}
begin
${statements(declared, ([table, declaration]) => [...updating(table, declaration, "kept"), ...(declaration.alsoKept ?? [])])}
end $$;
revoke execute on function erase_kept from public;
grant execute on function erase_kept to tefo_app;
`;

const statements = (declared: readonly Declared[], of: (declared: Declared) => readonly string[]): string =>
  declared
    .flatMap(of)
    .map((statement) => `  ${statement};`)
    .join("\n");

function erasing(table: string, declaration: PersonalTable): string[] {
  const { deleted, counted } = declaration;
  const changing = deleted
    ? [`delete from ${table}\n   where ${rowsOf(table, declaration)}`]
    : updating(table, declaration, "erased");
  return counted === undefined
    ? changing
    : [...changing, `get diagnostics n = row_count; counts := counts || jsonb_build_object('${counted}', n)`];
}

/** The statement that sets the columns of one fate; none when there is none. */
function updating(table: string, declaration: PersonalTable, fate: Fate["fate"]): string[] {
  const set = Object.entries(declaration.columns ?? {}).flatMap(([column, one]) =>
    one.fate === fate && "becomes" in one ? [`${column} = ${one.becomes}`] : [],
  );
  return set.length === 0 ? [] : [`update ${table} set ${set.join(", ")}\n   where ${rowsOf(table, declaration)}`];
}

/** Throws for a table whose rows are not named although something of them is erased. */
function rowsOf(table: string, { rows }: PersonalTable): string {
  if (rows === undefined)
    throw new Error(`${table} says which of its rows are erased (rows, in record({…}) of its module)`);
  return `organisation_id = p_organisation and ${rows}`;
}
