import { type TemplateLiteral, Visitor } from "oxc-parser";
import { isTestFile, lineAt, type Source } from "./source.ts";
import type { Finding } from "./tidy-imports.ts";

/** An SQL text in the code; values are written as `?`, the organisation as `TENANT`. */
export interface SqlText {
  readonly file: string;
  readonly line: number;
  readonly sql: string;
  /** Whether it is a whole tagged template, and not a fragment or a plain string. */
  readonly isStatement: boolean;
  /** Whether it is sent by `locking(…).sql` or `.queue`. */
  readonly locking: boolean;
}

const STATEMENT =
  /^\s*(select\b[\s\S]*\bfrom\b|insert\s+into\b|update\s+\S+[\s\S]*\sset\b|delete\s+from\b|with\s+(recursive\s+)?\w+(\s*\([^)]*\))?\s+as\b|merge\s+into\b|truncate\s)/;
const WRITE =
  /\b(?:insert\s+into|delete\s+from(?:\s+only)?|merge\s+into|truncate(?:\s+table)?|update(?=\s+(?:only\s+)?[\w?."]+(?:\s+(?:as\s+)?\w+)?\s+set\b)(?:\s+only)?)\s+([\w?."]+)/g;
const READ = /(?<!distinct\s)\b(?:from|join|into|update|using)\s+(?:only\s+|lateral\s+)?([a-z_][a-z0-9_]*)\b(?!\s*\()/g;
const MODULE_SQL = /^src\/modules\/[^/]+\/(store(\.ts$|\/)|(record|verify)\.ts$)/;
const HOMES = /^src\/(events|domain|platform)\//;

/** Strips SQL comments, so that words in them are not taken for statements. */
const withoutComments = (sql: string) => sql.replace(/--.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");

/** In the text of a statement: the organisation for which its transaction acts. */
export const TENANT = "$tenant";

/** What a text has for a value. Another organisation's id is a value like any other. */
const valueIn = (source: Source, { start, end }: { readonly start: number; readonly end: number }): string =>
  source.text.slice(start, end) === "tx.organisation" ? TENANT : "?";

/** The SQL texts of a file, in lower case: templates with an SQL tag, and strings that begin like SQL. */
export function sqlTexts(source: Source, tags = /^(sql|queue)$/): SqlText[] {
  const found: SqlText[] = [];
  const tagged = new Set<number>();
  const add = (at: number, text: string, isStatement: boolean, locking = false) => {
    const sql = withoutComments(text).toLowerCase();
    if (isStatement || STATEMENT.test(sql))
      found.push({ file: source.path, line: lineAt(source.text, at), sql, isStatement: STATEMENT.test(sql), locking });
  };
  const join = ({ quasis, expressions }: TemplateLiteral) =>
    quasis
      .map(({ value }, at) => value.raw + (expressions[at] === undefined ? "" : valueIn(source, expressions[at])))
      .join("");
  new Visitor({
    TaggedTemplateExpression: (node) => {
      const { tag } = node;
      const name =
        tag.type === "Identifier"
          ? tag.name
          : tag.type === "MemberExpression" && "name" in tag.property
            ? tag.property.name
            : "";
      tagged.add(node.quasi.start);
      const sent = source.text.slice(node.start, node.quasi.start);
      if (tags.test(String(name))) add(node.start, join(node.quasi), true, /\blocking\(/.test(sent));
    },
    TemplateLiteral: (node) => {
      if (!tagged.has(node.start)) add(node.start, join(node), false);
    },
    Literal: (node) => {
      if (typeof node.value === "string") add(node.start, node.value, false);
    },
  }).visit(source.program);
  return found;
}

/** The code of the product, without tests. */
export const ofProduct = (sources: readonly Source[]) =>
  sources.filter(({ path }) => path.startsWith("src/") && !isTestFile(path));

/** SQL anywhere but in a module's store, its `record.ts` and examinations, the events, the domain and the platform. */
export const sqlHomeFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .filter(({ path }) => !HOMES.test(path) && !MODULE_SQL.test(path))
    .flatMap((source) => sqlTexts(source))
    .map(({ file, line }) => ({ file, line, mend: "SQL belongs in a module's store.ts; call a function of it" }));

/** The owner of the tables that a file writes: `modules/invoices`, `events` or `platform`. */
function ownerOf(path: string): string {
  const [, layer = "", part = ""] = path.split("/");
  return layer === "modules" ? `modules/${part}` : layer;
}

/** Tables written by two owners or by an examination, and writes whose table cannot be read from the text. */
export function writerFindings(sources: readonly Source[]): Finding[] {
  const owners = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { file, line, sql } of ofProduct(sources).flatMap((source) => sqlTexts(source))) {
    for (const [, written = ""] of sql.matchAll(WRITE)) {
      const table = written.replaceAll('"', "");
      const owner = owners.get(table) ?? ownerOf(file);
      if (table.includes("?"))
        findings.push({ file, line, mend: "name the written table in the text of the statement" });
      else if (file.endsWith("/verify.ts"))
        findings.push({ file, line, mend: "an examination reads; write in the module's store.ts" });
      else if (owner !== ownerOf(file))
        findings.push({ file, line, mend: `${table} is written by ${owner}: call its store from a flow` });
      else owners.set(table, owner);
    }
  }
  return findings;
}

/** SQL of the platform on tables that are not its own; the organisation, whose rows everything belongs to, is read by both. */
export const platformTableFindings = (
  sources: readonly Source[],
  tables: ReadonlySet<string>,
  own: ReadonlySet<string>,
): Finding[] =>
  ofProduct(sources)
    .filter(({ path }) => path.startsWith("src/platform/"))
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .flatMap(({ file, line, sql }) =>
      [...sql.matchAll(/\b(?:from|join|into|update)\s+(?:only\s+)?(\w+)/g)]
        .map(([, name = ""]) => name)
        .filter((name) => tables.has(name) && !own.has(name) && name !== "organisations")
        .map((name) => ({
          file,
          line,
          mend: `${name} belongs to the product: move this to src/domain or to its module`,
        })),
    );

/** Stores and examinations whose first lines do not name the tables that they write, and those of others that they read. */
export function headerFindings(sources: readonly Source[], tables: ReadonlySet<string>): Finding[] {
  return ofProduct(sources)
    .filter(({ path }) => MODULE_SQL.test(path))
    .flatMap((source) => {
      const code = withoutTypeScriptComments(source);
      const known = (pattern: RegExp, text: string) =>
        new Set([...text.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => tables.has(name)));
      const written = known(WRITE, code);
      const read = known(/\b(?:from|join)\s+(?:only\s+)?(\w+)/g, code).difference(written);
      const [, saysWritten = "", saysRead = ""] =
        /^\/\/ Writes(.*?)\. Reads(.*?)\.\n/.exec(source.text.replaceAll(/\([^)]*\)|\n\/\//g, "")) ?? [];
      const named = /\b(\w+)/g;
      const differs =
        written.symmetricDifference(known(named, saysWritten)).size > 0 ||
        read.symmetricDifference(known(named, saysRead)).size > 0;
      const says = (words: ReadonlySet<string>, none: string) =>
        words.size === 0 ? ` ${none}` : `: ${[...words].join(", ")}`;
      const mend = `begin it with // Writes${says(written, "nothing")}. Reads${says(read, "nothing else")}.`;
      return differs ? [{ file: source.path, line: 1, mend }] : [];
    });
}

const withoutTypeScriptComments = ({ text, comments }: Source): string =>
  comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);

/** Statements of the modules on a tenant table that do not name `organisation_id` (decisions.md#tenant-first). */
export function tenantFindings(sources: readonly Source[], notTenantTables: ReadonlySet<string>): Finding[] {
  return ofProduct(sources)
    .filter(({ path }) => path.startsWith("src/modules/"))
    .flatMap((source) => sqlTexts(source))
    .filter(({ sql, isStatement }) => isStatement && !/\borganisation_id\b/.test(sql))
    .flatMap(({ file, line, sql }) => {
      const own = new Set(
        [...sql.matchAll(/\b(\w+)(?:\s*\([^)]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/g)].map(
          ([, name = ""]) => name,
        ),
      );
      const tables = [...sql.matchAll(READ)].map(([, name = ""]) => name);
      const tenant = tables.find((name) => !own.has(name) && !notTenantTables.has(name) && !NOT_TABLES.has(name));
      return tenant ? [{ file, line, mend: `name organisation_id: ${tenant} belongs to an organisation` }] : [];
    });
}
const NOT_TABLES = new Set([
  "set",
  "select",
  "skip",
  "nowait",
  "of",
  "unnest",
  "generate_series",
  "jsonb_to_recordset",
]);

/** Events and kinds of due work that SQL names by literal text: a declaration that is renamed would be missed. */
export const literalNameFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .flatMap((source) => sqlTexts(source, /^(sql|queue|part)$/))
    .flatMap(({ file, line, sql }) =>
      [...sql.matchAll(/'[a-z_]+\.[a-z_]+'/g)].map(([name]) => ({
        file,
        line,
        mend: `take ${name} from its declaration: its kind or name is a parameter`,
      })),
    );

/** The database's clock in business SQL (docs/architecture.md, Data). */
export const sqlClockFindings = (sources: readonly Source[]): Finding[] =>
  ofProduct(sources)
    .filter(({ path }) => path.startsWith("src/modules/"))
    .flatMap((source) => sqlTexts(source))
    .filter(({ sql }) =>
      /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(|\b(current_date|current_timestamp|localtimestamp)\b/i.test(
        sql,
      ),
    )
    .map(({ file, line }) => ({
      file,
      line,
      mend: "pass `now` as a parameter: time comes from the organisation's clock",
    }));
