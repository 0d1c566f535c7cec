/*
 * The tables of an SQL text, each with the conditions of the statement or sub-select that names it. Texts are often
 * fragments of statements, which a parser of SQL refuses.
 */

/** A token, or what stands between parentheses or between `case` and `end`. */
type Item = string | readonly Item[];

/** A table in a statement, by the name that conditions call it. */
interface NamedTable {
  readonly name: string;
  readonly alias: string;
}

/** A statement or a sub-select, without the sub-selects in it. */
interface Scope {
  readonly tables: readonly NamedTable[];
  /** Conditions of `where` and `on` that all must hold, as tokens; those that are joined by `or` are left out. */
  readonly conjuncts: readonly (readonly Item[])[];
  /** Whether it joins by `using (organisation_id, …)` or `natural join`. */
  readonly joinsByColumn: boolean;
}

const TOKENS = /'(?:[^']|'')*'|"[^"]*"|\$?\w+|\S/g;
const SUB_SELECT = new Set(["select", "with", "values", "insert", "update", "delete", "merge"]);
const SIDES = new Set(["left", "right", "full", "inner", "cross", "natural"]);
const CLAUSE_ENDS = new Set("; group order having limit offset window returning set for fetch when".split(" "));
const NOT_ALIASES = new Set(
  [...SIDES, ...CLAUSE_ENDS, ..."on using where join tablesample values select with default into".split(" ")].values(),
);

/** The tokens of a text without comments, in lower case, nested by parentheses and by `case … end`. */
export function itemsOf(sql: string): readonly Item[] {
  const root: Item[] = [];
  const open: { readonly items: Item[]; readonly end: string }[] = [{ items: root, end: "" }];
  let before = "";
  for (const token of sql.toLowerCase().match(TOKENS) ?? []) {
    const top = open.at(-1) ?? { items: root, end: "" };
    if (token === "(" || (token === "case" && before !== "end")) {
      const items: Item[] = [];
      top.items.push(items);
      open.push({ items, end: token === "(" ? ")" : "end" });
    } else if (token === top.end) open.pop();
    else if (token !== ")") top.items.push(token.replaceAll('"', ""));
    before = token;
  }
  return root;
}

/** The statements in the body of a function, split where conditions, loops and blocks begin as well. */
export const statementsOf = (body: string): (readonly Item[])[] =>
  splitAt(itemsOf(body), (item) => typeof item === "string" && /^(;|begin|loop|then|else)$/.test(item));

function splitAt(items: readonly Item[], ends: (item: Item) => boolean): Item[][] {
  const parts: Item[][] = [[]];
  for (const item of items) {
    if (ends(item)) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

/** A text of the tokens, with one blank between two. */
export const textOf = (items: readonly Item[]): string =>
  items.map((item) => (typeof item === "string" ? item : `( ${textOf(item)} )`)).join(" ");

/** Whether a select, a statement that writes, or the next member of a union begins here. */
function begins(items: readonly Item[], at: number): boolean {
  const [before, item, next] = [items[at - 1], items[at], items[at + 1]];
  if (item === "insert" || item === "merge") return next === "into";
  if (item === "delete") return next === "from";
  if (item === "update") return before !== "for" && before !== "key" && typeof next === "string" && next !== "set";
  return /^(select|perform|union|intersect|except)$/.test(String(item));
}

/** The statements and sub-selects of a text. What stands before the first one is a scope as well: a fragment may begin with `join`. */
export function scopesOf(items: readonly Item[], isNested = false): Scope[] {
  const starts = [0, ...items.keys().filter((at) => at > 0 && begins(items, at)), items.length];
  const parts = starts.slice(1).map((end, at) => items.slice(starts[at], end));
  // In parentheses `from` may be an argument's, as in extract(epoch from a).
  const own = parts.filter((part, at) => !(isNested && at === 0 && !begins(part, 0)));
  return [...own.map((part) => scopeOf(inlined(part))), ...nestedIn(items).flatMap((group) => scopesOf(group, true))];
}

const nestedIn = (items: readonly Item[]) => items.filter((item) => typeof item !== "string");

/** Takes parentheses away around joined tables, and around conditions that all must hold. */
const inlined = (items: readonly Item[]): Item[] =>
  items.flatMap((item, at) => {
    const before = String(items[at - 1]);
    if (typeof item === "string" || SUB_SELECT.has(String(item[0]))) return [item];
    const isJoin = /^(from|join)$/.test(before);
    const isCondition = /^(where|on|and)$/.test(before) && items[at - 2] !== "distinct" && !item.includes("or");
    return isJoin || isCondition ? inlined(item) : [item];
  });

function scopeOf(items: readonly Item[]): Scope {
  const tables: NamedTable[] = [];
  const conditions: Item[][] = [];
  let joinsByColumn = false;
  let isFrom = false;
  let isCondition = false;
  for (const [at, item] of items.entries()) {
    const [before, next] = [items[at - 1], items[at + 1]];
    const separates = item === "," && isFrom;
    const endsCondition =
      CLAUSE_ENDS.has(String(item)) ||
      (SIDES.has(String(item)) && typeof next === "string") ||
      (item === "on" && next === "conflict");
    const namesTable =
      item === "join" ||
      separates ||
      (item === "from" && before !== "distinct") ||
      (item === "using" && typeof next === "string") ||
      (item === "update" && at === 0) ||
      (item === "into" && before === "merge");
    if (item === "natural" || (item === "using" && typeof next !== "string" && next?.includes("organisation_id")))
      joinsByColumn = true;
    if (namesTable) {
      tables.push(...tableAt(items, at + 1));
      isFrom = true;
    }
    if (item === "where" || CLAUSE_ENDS.has(String(item))) isFrom = false;
    const opens = item === "where" || (item === "on" && before !== "distinct" && next !== "conflict");
    if (opens) conditions.push([]);
    else if (namesTable || endsCondition) isCondition = false;
    else if (isCondition) conditions.at(-1)?.push(item);
    if (opens) isCondition = true;
  }
  const certain = conditions.filter((condition) => !condition.includes("or"));
  return { tables, joinsByColumn, conjuncts: certain.flatMap((one) => splitAt(one, (item) => item === "and")) };
}

/** The table that is named here; none for a sub-select and a function. */
function tableAt(items: readonly Item[], start: number): NamedTable[] {
  let at = start;
  while (items[at] === "only" || items[at] === "lateral") at++;
  while (items[at + 1] === ".") at += 2;
  const [name, next] = [items[at], items[at + 1]];
  if (typeof name !== "string" || !/^[a-z_]\w*$/.test(name) || (typeof next !== "string" && next !== undefined))
    return [];
  const alias = String(next === "as" ? items[at + 2] : next);
  return [{ name, alias: next !== undefined && /^[a-z_]\w*$/.test(alias) && !NOT_ALIASES.has(alias) ? alias : name }];
}

/** The tables of a scope whose tenant no condition compares with a value of `isTenant`, which is given its text. */
export function uncompared(
  { tables, conjuncts }: Scope,
  tenantTables: ReadonlySet<string>,
  isTenant: (value: string) => boolean,
): string[] {
  const ours = tables.filter(({ name }) => tenantTables.has(name));
  const compared = new Set(
    conjuncts.flatMap((conjunct) => {
      const at = conjunct.indexOf("=");
      return at > 0 && isTenant(textOf(conjunct.slice(at + 1))) ? [textOf(conjunct.slice(0, at))] : [];
    }),
  );
  return ours
    .filter(({ name, alias }) => {
      const column = name === "organisations" ? "id" : "organisation_id";
      // Without an alias the column is that of the only table that has it.
      const isOnly = ours.filter((one) => (one.name === "organisations") === (name === "organisations")).length === 1;
      return !compared.has(`${alias} . ${column}`) && !(isOnly && compared.has(column));
    })
    .map(({ name, alias }) => (name === alias ? name : `${name} ${alias}`));
}
