import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ADVISORY_LOCKS, isTenantTable } from "../src/platform/distribution.ts";
import { refuse, statement, store, where } from "./support/findings.ts";
import { ROOT, readSources } from "./support/source.ts";
import {
  comparisonFindings,
  everyNodeFindings,
  functionFindings,
  functionInsertFindings,
  insertFindings,
  keyFindings,
  lockFindings,
  migrationFindings,
  nodeFindings,
  orderFindings,
  readMigrations,
  simpleCaseFindings,
  sqlFunctionFindings,
  transitionFindings,
  unlistedLocks,
} from "./support/tidy-distributed.ts";

const product = readSources("src");
const migrations = readMigrations(join(ROOT, "migrations"));
const functions = readMigrations(join(ROOT, "migrations/functions"));
const schema = readFileSync(join(ROOT, "schema.sql"), "utf8");
const tenantTables = new Set(
  [...schema.matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name).filter(isTenantTable),
);
/** The table of organisations is distributed too, by its id. */
const comparedTables = tenantTables.union(new Set(["organisations"]));

describe("SQL compares the tenant of each table with the parameter", () => {
  const OURS = "organisation_id = $" + "{tx.organisation}";
  const OTHER = "organisation_id = $" + "{other}";
  const MORE = "$" + "{more}";
  const tables = new Set(["quotes", "customers", "organisations"]);
  const findings = (text: string) => comparisonFindings(store("quotes", text), tables);

  for (const { what, sql } of [
    { what: "one table", sql: `select 1 from quotes where ${OURS}` },
    { what: "one table, and a fragment after it", sql: `select 1 from quotes where ${OURS} ${MORE} ${MORE}` },
    { what: "a table without an organisation", sql: `select 1 from quotes q, plans p where q.${OURS}` },
    { what: "a join", sql: `select 1 from quotes q join customers c on c.${OURS} and c.id = q.id where q.${OURS}` },
    {
      what: "an outer join",
      sql: `select 1 from quotes q left join customers c on c.${OURS} left join plans on true where q.${OURS}`,
    },
    { what: "a comma", sql: `select 1 from quotes q, customers as c where q.${OURS} and c.${OURS}` },
    {
      what: "a comma after a condition",
      sql: `select 1 from a join quotes q on q.${OURS}, customers c where c.${OURS}`,
    },
    {
      what: "joined tables in parentheses",
      sql: `select 1 from (quotes q cross join customers c) where q.${OURS} and c.${OURS}`,
    },
    { what: "conditions in parentheses", sql: `select 1 from quotes q where (q.${OURS} and q.n = 1)` },
    { what: "an alternative beside it", sql: `select 1 from quotes where ${OURS} and (n = 1 or m = 2)` },
    {
      what: "a choice beside it",
      sql: `select 1 from quotes where case when n = 1 or m = 2 then a else b end and ${OURS}`,
    },
    {
      what: "a sub-select",
      sql: `select 1 from quotes where ${OURS} and id in (select id from customers where ${OURS})`,
    },
    { what: "a union", sql: `select 1 from quotes where ${OURS} union all select 1 from customers where ${OURS}` },
    {
      what: "a query before it",
      sql: `with a as (select 1 from quotes where ${OURS}) select 1 from a join customers c on c.${OURS}`,
    },
    { what: "update", sql: `update quotes q set n = 1 from customers c where q.${OURS} and c.${OURS}` },
    { what: "delete", sql: `delete from quotes q using customers c where q.${OURS} and c.${OURS}` },
    {
      what: "merge",
      sql: `merge into quotes q using customers c on q.${OURS} and c.${OURS} when matched then update set n = 1`,
    },
    {
      what: "insert",
      sql: `insert into quotes (id) select id from customers where ${OURS} on conflict (id) do update set n = 1`,
    },
    { what: "a row lock", sql: `select 1 from quotes where ${OURS} for update` },
    { what: "the part of a date", sql: `select extract(epoch from quotes) from customers where ${OURS}` },
    { what: "organisations", sql: "select 1 from organisations o where o.id = $" + "{tx.organisation}" },
  ])
    test(`as in ${what}`, () => assert.deepEqual(findings(statement(sql)), []));

  for (const { what, sql } of [
    { what: "none", sql: "select 1 from quotes where id = 1" },
    { what: "upper case", sql: "SELECT 1 FROM quotes WHERE id = 1" },
    { what: "upper case, named by a column", sql: "SELECT ORGANISATION_ID FROM QUOTES" },
    { what: "a name in quotation marks", sql: 'select 1 from "quotes" where id = 1' },
    { what: "a schema", sql: "select 1 from public.quotes where id = 1" },
    { what: "another value", sql: `select 1 from quotes where ${OTHER}` },
    {
      what: "an expression with the value",
      sql: "select 1 from quotes where organisation_id = $" + "{tx.organisation} || 'a'",
    },
    { what: "a value that is set", sql: `update quotes set ${OURS} where id = 1` },
    { what: "a value that is selected", sql: `select ${OURS} from quotes where id = 1` },
    { what: "an alternative", sql: `select 1 from quotes where ${OURS} or id = 1` },
    { what: "an alternative in parentheses", sql: `select 1 from quotes where (${OURS} or id = 1)` },
    { what: "a choice", sql: `select 1 from quotes where case when true and ${OURS} then true else true end` },
    { what: "a join", sql: `select 1 from quotes q join customers c on c.id = q.id where q.${OURS}` },
    { what: "a comma", sql: `select 1 from quotes q, customers c where q.${OURS}` },
    { what: "a comma after a condition", sql: `select 1 from quotes q join a on q.${OURS}, customers c` },
    { what: "one table twice", sql: `select 1 from quotes q, customers c where q.${OURS} and q.${OURS}` },
    {
      what: "one table under two names",
      sql: `select 1 from quotes q join quotes r on r.id = q.id where q.${OURS} and q.${OURS}`,
    },
    { what: "joined tables in parentheses", sql: `select 1 from (quotes q cross join customers c) where q.${OURS}` },
    { what: "no table by name, of two", sql: `select 1 from quotes join customers using (id) where ${OURS}` },
    {
      what: "columns of one name",
      sql: `select 1 from quotes q join customers c using (organisation_id, id) where q.${OURS} and c.${OURS}`,
    },
    {
      what: "columns of one name, and no table by name",
      sql: `select 1 from quotes join customers using (organisation_id, id) where ${OURS}`,
    },
    {
      what: "all columns of one name",
      sql: `select 1 from quotes q natural join customers c where q.${OURS} and c.${OURS}`,
    },
    {
      what: "a column too",
      sql: `select 1 from quotes q, customers c where q.${OURS} and c.${OURS} and c.organisation_id = q.organisation_id`,
    },
    {
      what: "a row of columns",
      sql: `update quotes set n = 1 where (organisation_id, id) in (select organisation_id, id from quotes where ${OURS})`,
    },
    {
      what: "a sub-select",
      sql: `select 1 from quotes q where q.${OURS} and exists (select from customers where id = q.id)`,
    },
    {
      what: "a sub-select that compares the outer table",
      sql: `select 1 from quotes q where exists (select from customers c where q.${OURS} and c.${OURS})`,
    },
    { what: "a union", sql: `select 1 from quotes where ${OURS} and ${OURS} union select 1 from customers` },
    {
      what: "a query before it",
      sql: `with a as (select 1 from quotes) select 1 from customers where ${OURS} and ${OURS}`,
    },
    { what: "update", sql: `update quotes q set n = 1 from customers c where q.${OURS} and c.id = q.id` },
    { what: "delete", sql: `delete from quotes q using customers c where q.${OURS} and c.id = q.id` },
    {
      what: "merge",
      sql: `merge into quotes q using customers c on c.${OURS} and c.id = q.id when matched then delete`,
    },
    {
      what: "merge, of what is merged",
      sql: `merge into quotes q using customers c on q.${OURS} and c.id = q.id when matched then delete`,
    },
    { what: "organisations", sql: "select 1 from organisations where slug = 'a'" },
  ])
    test(`and not as in ${what}`, () =>
      assert.deepEqual([...new Set(where(findings(statement(sql))))], ["src/modules/quotes/store.ts:1"]));

  test("in fragments as well", () => {
    assert.deepEqual(findings(`const a = part\`join customers c on c.${OURS} and c.id = q.id\`;`), []);
    assert.equal(findings("const a = part`join customers c on c.id = q.id`;").length, 1);
  });

  test("in every statement of the product", () => refuse(comparisonFindings(product, comparedTables)));
});

describe("SQL of functions in the database compares each table's organisation with a variable", () => {
  const tables = new Set(["quotes", "customers"]);
  const asked = (body: string, owner = "tefo_owner") => {
    const made = [
      "CREATE OR REPLACE FUNCTION public.day_of(at text)\nRETURN 1\n;\n",
      "CREATE OR REPLACE FUNCTION public.f(p_organisation text, p_ids text[])\n RETURNS TABLE(organisation_id text, tenant text)",
      `AS $function$\ndeclare\n  one record;\nbegin ${body} end $function$\n;`,
    ].join("\n");
    return where(functionFindings(`${made}\nalter function f(text) owner to ${owner};`, tables)).length;
  };
  const both =
    "update quotes q set n = 1 from customers c where q.organisation_id = p_organisation and c.id = q.customer_id";

  for (const body of [
    "return query select 1 from quotes where organisation_id = p_organisation;",
    "select 1 from quotes q where q.organisation_id = one.organisation_id;",
    "update quotes set n = 1 where organisation_id = new.organisation_id;",
    "perform from quotes where organisation_id = app_organisation();",
    "if n = 1 then select case when n = 1 then 2 else 3 end from quotes where organisation_id = p_organisation; end if;",
    "case n when 1 then select 1 from quotes where organisation_id = p_organisation; end case; perform 1;",
    `${both} and c.organisation_id = p_organisation;`,
  ])
    test(`as in ${body}`, () => assert.equal(asked(body), 0));

  for (const body of [
    "if found then select 1 from quotes; end if;",
    "select 1 from quotes where organisation_id = organisation_id;",
    "select 1 from quotes where organisation_id = tenant;",
    "select 1 from quotes q, unnest(p_ids) as u(organisation_id) where q.organisation_id = u.organisation_id;",
    "select 1 from quotes where organisation_id = 'org_a';",
    `${both};`,
    `${both} and c.organisation_id = q.organisation_id;`,
    "case n when 1 then select 1 from quotes; end case; perform 1;",
    "SELECT 1 FROM quotes;",
  ])
    test(`and not as in ${body}`, () => assert.equal(asked(body), 1));

  test("but for those of the gate, which may list all organisations", () => {
    assert.equal(asked("for one in select id from quotes loop perform 1; end loop;", "tefo_gate"), 0);
    assert.equal(asked(`${both};`, "tefo_gate"), 1);
    assert.equal(
      asked("select 1 from quotes q join customers c on c.organisation_id = q.organisation_id;", "tefo_gate"),
      2,
    );
    assert.equal(asked("select 1 from quotes join customers using (organisation_id, id);", "tefo_gate"), 2);
  });

  test("in every function of the product", () => refuse(functionFindings(schema, comparedTables)));
});

test("SQL returns something of rows that are inserted from no table", () => {
  const tables = new Set(["quotes"]);
  const ask = (sql: string) => where(insertFindings(store("quotes", statement(sql)), tables)).length;
  assert.equal(ask("insert into quotes (id) values (1)"), 0);
  assert.equal(ask("insert into quotes (id) select id from quotes"), 0);
  assert.equal(ask("insert into quotes (id) select n from unnest(1) as u(n) returning id"), 0);
  assert.equal(ask("insert into quotes (id) select n from unnest(1) as u(n)"), 1);
  assert.equal(ask("with a as (select 1) insert into quotes (id) select n from a"), 1);
  refuse(insertFindings(product, tenantTables));
  const made = (body: string) => {
    const text = `CREATE OR REPLACE FUNCTION public.f(a text)\nAS $function$\nbegin ${body} end $function$\n;`;
    return where(functionInsertFindings(text, tables)).length;
  };
  assert.equal(made("insert into quotes (id) values (1);"), 0);
  assert.equal(made("insert into quotes (id) select n from unnest(a) as u(n) on conflict do nothing;"), 0);
  assert.equal(made("insert into quotes (id) select n from unnest(a) as u(n); perform 1 returning;"), 1);
  refuse(functionInsertFindings(schema, tenantTables));
});

test("SQL that writes compares in each branch of a case", () => {
  const asked = (sql: string) => where(simpleCaseFindings(store("quotes", statement(sql)))).length;
  assert.equal(asked("update quotes set a = case when b = 1 then 2 else 3 end"), 0);
  assert.equal(asked("select case b when 1 then 2 end from quotes"), 0);
  assert.equal(asked("update quotes set a = case b when 1 then 2 else 3 end"), 1);
  assert.equal(asked("insert into quotes select case b when 1 then 2 end from quotes"), 1);
  refuse(simpleCaseFindings(product));
});

test("a trigger's function reads the rows of its statement alone", () => {
  const asked = (body: string) =>
    where(
      transitionFindings(
        [
          "CREATE OR REPLACE FUNCTION public.keep()\nAS $function$\nbegin",
          `${body} end $function$\n;`,
          "CREATE TRIGGER k AFTER UPDATE ON quotes REFERENCING OLD TABLE AS before NEW TABLE AS changed " +
            "FOR EACH STATEMENT EXECUTE FUNCTION keep();",
        ].join("\n"),
        new Set(["quotes"]),
      ),
    ).length;
  assert.equal(
    asked("for one in select id from changed join before using (id) loop update quotes set n = 1; end loop;"),
    0,
  );
  assert.equal(asked("select 1 into n from other join quotes using (id);"), 0);
  assert.equal(asked("insert into quotes select * from changed;"), 1);
  assert.equal(asked("delete from quotes where id in (select id from before);"), 1);
  refuse(transitionFindings(schema, tenantTables));
});

test("functions over the tables of organisations are in plpgsql", () => {
  const asked = (given: string, language: string, table = "quotes") =>
    where(
      sqlFunctionFindings(
        [{ file: "f.sql", sql: `create function f(${given}) language ${language} as $$ select 1 from ${table} $$;` }],
        new Set(["quotes"]),
      ),
    ).length;
  assert.equal(asked("a text", "sql"), 1);
  assert.equal(asked("a text", "plpgsql"), 0);
  assert.equal(asked("", "sql"), 0);
  assert.equal(asked("a text", "sql", "unnest(a)"), 0);
  refuse(sqlFunctionFindings(functions, tenantTables));
});

test("keys empty no column", () => {
  const ofTable = (rest: string) =>
    `create table a (\n  constraint k FOREIGN KEY (o, b) REFERENCES b(o, id)${rest}\n);`;
  assert.equal(keyFindings(ofTable(" ON DELETE CASCADE")).length, 0);
  assert.equal(keyFindings(ofTable(" ON DELETE SET NULL (b)")).length, 1);
  refuse(keyFindings(schema));
});

test("a statement inserts a row before those that refer to it", () => {
  const made = (rest: string) =>
    `create table quotes (\n  id text\n);\ncreate table parts (\n  constraint k FOREIGN KEY (o, q) REFERENCES quotes(o, id)${rest}\n);`;
  const asked = (sql: string, rest = "") => where(orderFindings(store("quotes", statement(sql)), made(rest))).length;
  assert.equal(asked("with a as (insert into quotes values (1)) insert into parts values (1)"), 0);
  assert.equal(asked("with a as (insert into parts values (1)) insert into quotes values (1)"), 1);
  const deferred = " DEFERRABLE INITIALLY DEFERRED";
  assert.equal(asked("with a as (insert into parts values (1)) insert into quotes values (1)", deferred), 0);
  refuse(orderFindings(product, schema));
});

test("what is on every node is written by a statement that reads nothing of one", () => {
  const tables = new Set(["quotes", "members", "organisations"]);
  const asked = (sql: string) => where(everyNodeFindings(store("quotes", statement(sql)), tables)).length;
  assert.equal(asked("delete from members where id = 1"), 0);
  assert.equal(asked("update quotes set n = 1 where id in (select id from members)"), 0);
  assert.equal(asked("delete from members where not exists (select from quotes)"), 1);
  refuse(everyNodeFindings(product, tenantTables));
});

test("SQL locks rows, not a node, and sets what reaches every node", () => {
  const asked = (text: string) => where(nodeFindings(store("quotes", text)));
  assert.deepEqual(asked(statement("select pg_advisory_xact_lock(1) from quotes")), ["src/modules/quotes/store.ts:1"]);
  assert.deepEqual(asked(statement("select set_config('a', 'b', true)")), ["src/modules/quotes/store.ts:1"]);
  assert.deepEqual(asked(statement("set local a = 'b'")), []);
  refuse(nodeFindings(product));
  const lacking = (listed: object) => unlistedLocks(product, schema, Object.keys(listed));
  assert.deepEqual(lacking(ADVISORY_LOCKS), { unlisted: [], stale: [] });
  assert.deepEqual(lacking({ ...ADVISORY_LOCKS, quotes: "" }), { unlisted: [], stale: ["quotes"] });
  const { enqueue_due_work: _, ...others } = ADVISORY_LOCKS;
  assert.deepEqual(lacking(others), { unlisted: ["enqueue_due_work"], stale: [] });
});

test("SQL says what it locks", () => {
  const asked = (text: string) => where(lockFindings(store("quotes", text)));
  assert.deepEqual(asked(statement("select 1 from quotes for no key update")), ["src/modules/quotes/store.ts:1"]);
  assert.deepEqual(asked("const a = part`order by id for update`;"), ["src/modules/quotes/store.ts:1"]);
  assert.deepEqual(asked('const a = await locking(tx, "quote").sql<Row>`select 1 from quotes for update`;'), []);
  assert.deepEqual(asked(statement("select 1 from quotes for update skip locked")), []);
  refuse(lockFindings(product));
});

test("SQL of migrations changes one thing a statement, and one organisation a statement", () => {
  const asked = (sql: string) => where(migrationFindings([{ file: "migrations/0099-a.sql", sql }]));
  assert.deepEqual(asked("alter table a add column b text;\nalter table a add check (b in ('c', 'd'));"), []);
  assert.deepEqual(asked("\nalter table a add column b text, add column c text;"), ["migrations/0099-a.sql:2"]);
  assert.deepEqual(asked("select 1 from a join b on b.organisation_id = a.organisation_id"), [
    "migrations/0099-a.sql:1",
  ]);
  refuse(migrationFindings(migrations));
});
