import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ADVISORY_LOCKS, placementOf } from "../../src/platform/distribution.ts";
import type { Source } from "./source.ts";
import { itemsOf, scopesOf, statementsOf, textOf, uncompared } from "./sql-tables.ts";
import type { Finding } from "./tidy-imports.ts";
import { ofProduct, type SqlText, sqlTexts, TENANT } from "./tidy-sql.ts";

/* Rules that a distributed PostgreSQL needs, as far as the text of SQL shows them (decisions.md#distributed-sql). */

/** The text of a migration, or of a function of the database. */
export interface Migration {
  readonly file: string;
  readonly sql: string;
}

/** Every migration and function of the database, without its comments. */
export const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({ file: `migrations/${file}`, sql: withoutComments(readFileSync(join(folder, file), "utf8")) }));

/** Replaces comments by blanks, so that line numbers stay the same. */
const withoutComments = (sql: string): string =>
  sql.replace(/\/\*[\s\S]*?\*\/|--.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, " "));

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;
const find = ({ file, sql }: Migration, pattern: RegExp, mend: string): Finding[] =>
  [...sql.matchAll(pattern)].map(({ index }) => ({ file, line: lineOf(sql, index), mend }));

const OTHER_COLUMN = /\borganisation_id\s*=\s*(?:\w+\.)?organisation_id\b|\borganisation_id\s*,[^()]*\)\s*in\s*\(/;
const TABLES = /(?<!distinct\s)\b(?:from|join|update)\s+(?:only\s+|lateral\s+)?([a-z_]+)\b(?!\s*\()/g;

/** Whether it is the parameter; fragments may follow it. */
const isParameter = (value: string): boolean => value.replaceAll(" ?", "") === TENANT || value === OF_ERASURE;
/** In texts of which the functions that erase are made: their organisation. `functionFindings` looks at the functions. */
const OF_ERASURE = "p_organisation";

/**
 * Statements and fragments that do not compare the tenant of each table with the parameter. After a comparison with another table's column
 * the planner must find out by itself on which node the table is.
 */
export function comparisonFindings(sources: readonly Source[], tenantTables: ReadonlySet<string>): Finding[] {
  return ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .flatMap(({ file, line, sql }) => {
      const scopes = scopesOf(itemsOf(sql));
      if (OTHER_COLUMN.test(sql) || scopes.some(({ joinsByColumn }) => joinsByColumn))
        return [{ file, line, mend: "compare organisation_id with the parameter, not with a column" }];
      return scopes
        .flatMap((scope) => uncompared(scope, tenantTables, isParameter))
        .map((table) => ({ file, line, mend: `compare organisation_id of ${table} with the parameter` }));
    });
}

const INSERT_SELECT =
  /\binsert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*(?:\([^()]*\)\s*)?(?:with[\s\S]*?\)\s*)?select\b([\s\S]*)$/;

/** `insert … select` without a table and without `returning`: a node would insert the rows by COPY, which row level security refuses. */
export const insertFindings = (sources: readonly Source[], tenantTables: ReadonlySet<string>): Finding[] =>
  ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .filter(({ sql }) => lacksReturning(sql, tenantTables))
    .map(({ file, line }) => ({ file, line, mend: "insert … select from no table needs `returning`, or be `values`" }));

function lacksReturning(sql: string, tenantTables: ReadonlySet<string>): boolean {
  const [, target = "", rest = ""] = INSERT_SELECT.exec(sql) ?? [];
  if (!tenantTables.has(target) || /\breturning\b/.test(rest)) return false;
  return ![...rest.matchAll(TABLES)].some(([, name = ""]) => tenantTables.has(name));
}

/** As `insertFindings`, in bodies of the database's functions; rows with `on conflict` are not inserted by COPY either. */
export const functionInsertFindings = (schema: string, tenantTables: ReadonlySet<string>): Finding[] =>
  bodiesOf(schema).flatMap(({ name, line, body }) =>
    body
      .split(";")
      .filter((sql) => lacksReturning(sql, tenantTables) && !/\bon\s+conflict\b/.test(sql))
      .map(() => ({ file: "schema.sql", line, mend: `${name}: insert … select from no table needs \`returning\`` })),
  );

const SIMPLE_CASE = /\bcase\s+(?!when\b)/;

/**
 * `case x when …` in a statement that writes: a distributed PostgreSQL takes the `x` for a constant, and sends nodes a comparison that
 * they refuse.
 */
export const simpleCaseFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue)$/))
    .filter(({ sql }) => /\b(insert\s+into|update|merge\s+into|delete\s+from)\s+\w/.test(sql) && SIMPLE_CASE.test(sql))
    .map(({ file, line }) => ({ file, line, mend: "in a write, `case when x = … then`, not `case x when … then`" }));

const ADVISORY = /\bpg_(try_)?advisory_(xact_)?lock/;

/** Advisory locks that are not listed, and settings that do not reach every node. */
export const nodeFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part|query)$/))
    .flatMap(({ file, line, sql }) => [
      ...(ADVISORY.test(sql) && !Object.hasOwn(ADVISORY_LOCKS, file) ? [{ file, line, mend: ROW_LOCK }] : []),
      ...(/\bset_config\s*\(/.test(sql)
        ? [{ file, line, mend: "`set local`: what a function sets stays on one node" }]
        : []),
    ]);
const ROW_LOCK = "an advisory lock belongs to one node: lock a row, by `locking` or `lockName` (domain/locks.ts)";

/**
 * Files of the product and functions of the database that take advisory locks without being listed, and what is listed
 * without taking one.
 */
export function unlistedLocks(
  sources: readonly Source[],
  schema: string,
  listed: readonly string[],
): { unlisted: string[]; stale: string[] } {
  const files = ofProduct(sources)
    .filter(({ text }) => ADVISORY.test(text))
    .map(({ path }) => path);
  const functions = schema
    .split(/^CREATE OR REPLACE FUNCTION public\./m)
    .slice(1)
    .filter((text) => ADVISORY.test(text))
    .map((text) => /^\w+/.exec(text)?.[0] ?? "");
  const found = [...files, ...functions];
  return {
    unlisted: found.filter((one) => !listed.includes(one)),
    stale: listed.filter((one) => !found.includes(one)),
  };
}

/** The database's functions, with their arguments, their bodies without comments, and the lines on which they begin. */
const bodiesOf = (schema: string) =>
  [
    ...schema.matchAll(
      /^CREATE OR REPLACE FUNCTION public\.(\w+)\((.*)\)$(?:(?!^;)[\s\S])*?\$function\$([\s\S]*?)\$function\$/gm,
    ),
  ].map(({ index, 1: name = "", 2: given = "", 3: body = "" }) => ({
    name,
    line: lineOf(schema, index),
    given,
    body: withoutComments(body),
  }));

/** The variables of a function: its arguments, what it declares, and the rows of a trigger. Columns of its answer are none. */
function variablesOf(given: string, body: string): Set<string> {
  const [, declared = ""] = /\bdeclare\b([\s\S]*?)\bbegin\b/i.exec(body) ?? [];
  const names = [...given.matchAll(/(?:^|, )(\w+)/g), ...declared.matchAll(/(?:^|;)\s*(\w+)/g)];
  return new Set(["new", "old", ...names.map(([, name = ""]) => name)]);
}

/** What row level security compares with: the organisation of the transaction. */
const OF_POLICIES = "app_organisation (  )";

/**
 * Statements in bodies of the database's functions that do not compare the tenant of each table with a variable. A
 * function of `tefo_gate` may look at all organisations, in a statement that compares none: it lists them first, and
 * acts on one at a time after.
 */
export function functionFindings(schema: string, tenantTables: ReadonlySet<string>): Finding[] {
  const ofGate = new Set([...schema.matchAll(/^alter function (\w+)\(.*owner to tefo_gate/gm)].map(([, name]) => name));
  return bodiesOf(schema).flatMap(({ name, line, given, body }) => {
    const variables = variablesOf(given, body);
    const isVariable = (value: string) =>
      value === OF_POLICIES || variables.has(/^(\w+)(?: \. organisation_id)?$/.exec(value)?.[1] ?? "");
    return statementsOf(body).flatMap((statement) => {
      const scopes = scopesOf(statement);
      const comparesNone =
        !/\borganisation_id =/.test(textOf(statement)) && !scopes.some(({ joinsByColumn }) => joinsByColumn);
      if (comparesNone && ofGate.has(name)) return [];
      return scopes
        .flatMap((scope) => uncompared(scope, tenantTables, isVariable))
        .map((table) => ({
          file: "schema.sql",
          line,
          mend: `${name}: compare organisation_id of ${table} with a variable`,
        }));
    });
  });
}

/** The names under which triggers read the rows of their statement, by the trigger's function. */
function transitionTables(schema: string): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  for (const [, referencing = "", name = ""] of schema.matchAll(
    /^CREATE TRIGGER .* REFERENCING (.*) FOR EACH STATEMENT EXECUTE FUNCTION (\w+)/gm,
  )) {
    const known = named.get(name) ?? new Set();
    for (const [, table = ""] of referencing.matchAll(/TABLE AS (\w+)/g)) known.add(table);
    named.set(name, known);
  }
  return named;
}

const READ_OR_WRITTEN = /(?<!distinct\s)\b(?:from|join|into|update)\s+(?:lateral\s+)?([a-z_]+)\b(?!\s*\()/gi;

/** Statements that read the rows of a trigger's statement and another table: a node cannot read the two together. */
export const transitionFindings = (schema: string, tenantTables: ReadonlySet<string>): Finding[] => {
  const rows = transitionTables(schema);
  return bodiesOf(schema).flatMap(({ name, line, body }) =>
    body.split(/;|\bloop\b/).flatMap((statement) => {
      const tables = [...statement.matchAll(READ_OR_WRITTEN)].map(([, table = ""]) => table.toLowerCase());
      const other = tables.find((table) => tenantTables.has(table));
      if (other === undefined || !tables.some((table) => rows.get(name)?.has(table))) return [];
      return [{ file: "schema.sql", line, mend: `${name}: read the trigger's rows in a statement without ${other}` }];
    }),
  );
};

/** Functions in SQL, with arguments, over the tables of organisations: the planner of a node does not know what they will read. */
export const sqlFunctionFindings = (functions: readonly Migration[], tenantTables: ReadonlySet<string>): Finding[] =>
  functions.flatMap(({ file, sql }) => {
    const [, name = "", given = "", body = ""] = SQL_FUNCTION.exec(sql) ?? [];
    const reads = [...body.matchAll(TABLES)].some(([, table = ""]) => tenantTables.has(table));
    if (given.trim() === "" || !reads) return [];
    return [{ file, line: 1, mend: `${name}: write it in plpgsql, or as a piece of SQL of src/domain` }];
  });
const SQL_FUNCTION = /\bfunction\s+(\w+)\s*\(([^)]*)\)[\s\S]*?\blanguage\s+sql\b[\s\S]*?\$\$([\s\S]*)\$\$/i;

/** Foreign keys of a schema that the nodes refuse, because they would empty a column. */
export const keyFindings = (schema: string): Finding[] =>
  find({ file: "schema.sql", sql: schema }, /\bon delete set (?:null|default)\b/gi, "empty the column by a statement");

/** Keys that are checked at each statement: pairs `child parent`. */
const keysAtOnce = (schema: string): ReadonlySet<string> =>
  new Set(
    schema.split(/^create table /m).flatMap((table) => {
      const child = /^\w+/.exec(table)?.[0] ?? "";
      return [...table.matchAll(/FOREIGN KEY .*? REFERENCES (\w+)\((.*)$/gm)].flatMap(([, parent = "", rest = ""]) =>
        /DEFERRED/.test(rest) ? [] : [`${child} ${parent}`],
      );
    }),
  );

/** Rows that a `with` inserts before those that their key needs: a node runs the parts one after the other, and checks each. */
export function orderFindings(sources: readonly Source[], schema: string): Finding[] {
  const keys = keysAtOnce(schema);
  return ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .flatMap(({ file, line, sql }) => {
      const inserted = [...sql.matchAll(/\binsert\s+into\s+(\w+)/g)].map(([, table = ""]) => table);
      return inserted.flatMap((child, at) =>
        inserted
          .slice(at + 1)
          .filter((parent) => parent !== child && keys.has(`${child} ${parent}`))
          .map((parent) => ({ file, line, mend: `insert into ${parent} before ${child}, whose key refers to it` })),
      );
    });
}

/** Writes to a table of every node that read a table of organisations, which has its rows on one. */
export const everyNodeFindings = (sources: readonly Source[], tenantTables: ReadonlySet<string>): Finding[] =>
  ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue)$/))
    .flatMap(({ file, line, sql }) => {
      const [, written = ""] = /\b(?:insert\s+into|update|delete\s+from)\s+(\w+)/.exec(sql) ?? [];
      if (placementOf(written) !== "every node") return [];
      const reads = [...sql.matchAll(TABLES)].map(([, table = ""]) => table);
      return reads
        .filter((table) => tenantTables.has(table) && placementOf(table) === "organisation")
        .map((table) => ({ file, line, mend: `read ${table} in a statement before the write to ${written}` }));
    });

/** Functions in migrations that compare the tenants of two tables, and statements that change two things. */
export const migrationFindings = (migrations: readonly Migration[]): Finding[] =>
  migrations.flatMap((one) => [
    ...find(
      one,
      /\borganisation_id\s*=\s*\w+\.organisation_id\b(?<!(?:share|held|member|new|old)\.organisation_id)/g,
      VARIABLE,
    ),
    ...find(one, ALTER, "").flatMap(({ line }, index) =>
      hasTwoActions([...one.sql.matchAll(ALTER)][index]?.[0] ?? "")
        ? [{ file: one.file, line, mend: "change one thing a statement" }]
        : [],
    ),
  ]);
/** Not one that is made of texts while it runs. */
const ALTER = /(?<!')\balter\s+table\b[^;]*/g;
const VARIABLE = "compare organisation_id with a variable, one organisation a statement";

function hasTwoActions(statement: string): boolean {
  let depth = 0;
  for (const character of statement.replaceAll(/'[^']*'/g, "")) {
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "," && depth === 0) return true;
  }
  return false;
}

const LOCKS = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b(?!\s+(?:of\s+\w+\s+)?skip\s+locked)/;
/** Due work is locked under its record's lock, or leased: LOCK_ORDER says why it is not in it. Counts of uses are ranked by their caller. */
const NOT_RANKED = new Set(["src/platform/due-work.ts", "src/platform/rate-windows.ts"]);

/** Row locks that are not taken by `locking`, so that their order cannot be checked. */
export const lockFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .filter(({ path }) => !NOT_RANKED.has(path))
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .filter(({ sql, locking }: SqlText) => LOCKS.test(sql) && !locking)
    .map(({ file, line }) => ({
      file,
      line,
      mend: 'say what it locks: locking(tx, "invoice").sql (domain/locks.ts)',
    }));
