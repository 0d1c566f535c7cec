import type pg from "pg";
import { copyRows } from "../copy-rows.ts";
import { migrateLike } from "../migrations.ts";

/*
 * A database made again on another server, equal to the first: what `tefo database upgrade` is about
 * (decisions.md#upgrades-copy-rows).
 */

/** Connections of superusers, to a database that nothing else changes and to a new one. */
interface Databases {
  readonly from: pg.Client;
  readonly to: pg.Client;
}

/** What was copied. */
export interface Copied {
  readonly tables: number;
  readonly rows: number;
}

/** Everything is named with its schema, and every value is written alike. With `row_security` a row that is not seen would be an error. */
const ALIKE = `set search_path = ''; set row_security = off; set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0`;
/** Schemas of ours. */
const OURS = "(select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')";

/**
 * Makes the tables, functions and triggers of the one database in the other, which is empty: tables by the migrations
 * that the one has, as `owner`; functions and triggers as they are there, since those of this release may need what
 * later migrations make, and later migrations may need them. Throws when the one has something that no migration makes:
 * it would be lost.
 */
export async function makeSchema({ from, to }: Databases, owner: pg.Client): Promise<void> {
  await migrateLike(owner, from);
  await from.query(ALIKE);
  await to.query(`${ALIKE}; set session_replication_role = replica`);
  await to.query("begin; set local check_function_bodies = off");
  for (const query of REMOVALS) await repeat(to, query, to);
  await createFunctions({ from, to });
  for (const query of CREATIONS) await repeat(from, query, to);
  await to.query("commit");
  const [there, here] = [await facts(from), new Set(await facts(to))];
  const lost = there.filter((fact) => !here.has(fact));
  if (lost.length > 0)
    throw new Error(
      `The database has what the service does not make, and what an upgrade would lose: ${lost.slice(0, 20).join("; ")}. ` +
        "Remove it with the release before this one, and make it again afterwards.",
    );
}

/** Runs on `to` the statements that a query of `from` answers. */
async function repeat(from: pg.Client, query: string, to: pg.Client): Promise<void> {
  const { rows } = await from.query<{ statement: string | null }>(query);
  for (const { statement } of rows) if (statement !== null) await to.query(statement);
}

/** A function whose body is parsed when it is created comes after those that it calls: what fails is tried again after the others. */
async function createFunctions({ from, to }: Databases): Promise<void> {
  const { rows } = await from.query<{ statement: string }>(
    `select pg_get_functiondef(p.oid) as statement ${FUNCTIONS} order by p.oid`,
  );
  for (let waiting = rows; waiting.length > 0; ) {
    const failed: { statement: string; error: unknown }[] = [];
    for (const { statement } of waiting) {
      await to.query("savepoint creation");
      const error: unknown = await to.query(statement).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error !== null) failed.push({ statement, error });
      await to.query(error === null ? "release creation" : "rollback to creation");
    }
    if (failed.length === waiting.length) throw failed[0]?.error;
    waiting = failed;
  }
}

const TRIGGERS = "from pg_trigger where not tgisinternal and tgparentid = 0";

/** Triggers that the named functions of migrations bring, and partitions: those of the other database take their place. */
const REMOVALS = [
  `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as statement ${TRIGGERS}`,
  `select format('drop table %s', oid::regclass) as statement from pg_class where relispartition and relkind = 'r'`,
];

const FUNCTIONS = `from pg_proc p where p.pronamespace in ${OURS} and p.prokind in ('f', 'p')`;
const PARTITIONS = `from pg_class c join pg_inherits i on i.inhrelid = c.oid where c.relispartition and c.relkind = 'r'`;
const RIGHTS = "coalesce(p.proacl, acldefault('f', p.proowner))";

const CREATIONS = [
  `select format('alter routine %s owner to %I', p.oid::regprocedure, pg_get_userbyid(p.proowner)) as statement ${FUNCTIONS}`,
  `select format('revoke all on routine %s from public', p.oid::regprocedure) as statement ${FUNCTIONS}`,
  `select (select string_agg(format('grant execute on routine %s to %s', p.oid::regprocedure,
            case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end), '; ')
             from aclexplode(${RIGHTS}) where grantee <> p.proowner) as statement ${FUNCTIONS}`,
  `select format('create table %s partition of %s %s', c.oid::regclass, i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid))
       || coalesce('; alter table ' || c.oid::regclass || ' set (' || array_to_string(c.reloptions, ', ') || ')', '')
       || case when c.relrowsecurity then format('; alter table %s enable row level security', c.oid::regclass) else '' end
       || case when c.relforcerowsecurity then format('; alter table %s force row level security', c.oid::regclass) else '' end
       || format('; alter table %s owner to %I', c.oid::regclass, pg_get_userbyid(c.relowner)) as statement ${PARTITIONS}`,
  `select (select string_agg(format('grant %s on %s to %s', privilege_type, c.oid::regclass,
            case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end), '; ')
             from aclexplode(c.relacl) where grantee <> c.relowner) as statement ${PARTITIONS}`,
  `select format('create policy %I on %I.%I as %s for %s to %s', policyname, schemaname, tablename, permissive, cmd,
              (select string_agg(case role when 'public' then 'public' else quote_ident(role) end, ', ') from unnest(roles) role))
       || coalesce(format(' using (%s)', qual), '') || coalesce(format(' with check (%s)', with_check), '') as statement
     from pg_policies where format('%I.%I', schemaname, tablename)::regclass in (select c.oid ${PARTITIONS})`,
  `select pg_get_triggerdef(oid) || case tgenabled when 'O' then ''
              else format('; alter table %s %s trigger %I', tgrelid::regclass,
                          case tgenabled when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end,
                          tgname) end as statement ${TRIGGERS}`,
];

const GRANTEE = "case grantee when 0 then 'public' else pg_get_userbyid(grantee) end";

/**
 * What a database is made of, a line each, by names and not by texts, which versions of PostgreSQL write differently. Indexes of
 * partitions follow from their table's. A privilege that only one of the versions knows is the owner's.
 */
const FACTS = `
  with relations as (
    select c.*, c.oid::regclass::text as name from pg_class c
     where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f'))
  select format('relation %s (%s)', name, concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity,
                pg_get_userbyid(relowner))) as fact from relations
  union all
  select format('column %s.%s (%s)', r.name, a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
                a.atthasdef, a.attgenerated, a.attidentity, nullif(a.attcollation, 0)::regcollation))
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  union all
  select format('constraint %s of %s', k.conname, k.conrelid::regclass) from pg_constraint k
   where k.connamespace in ${OURS} and k.contype in ('c', 'p', 'u', 'f', 'x') and k.conparentid = 0
  union all
  select format('index %s', x.indexrelid::regclass) from pg_index x join relations r on r.oid = x.indrelid where not r.relispartition
  union all
  select format('policy %s of %s', policyname, format('%I.%I', schemaname, tablename)) from pg_policies
  union all
  select format('trigger %s of %s (%s)', tgname, tgrelid::regclass, tgenabled) ${TRIGGERS}
  union all
  select format('function %s (%s)', p.oid::regprocedure, concat_ws(' ', pg_get_userbyid(p.proowner), md5(p.prosrc)))
    from pg_proc p where p.pronamespace in ${OURS}
  union all
  select format('right to %s %s of %s', lower(privilege_type), p.oid::regprocedure, ${GRANTEE})
    from pg_proc p, aclexplode(${RIGHTS}) where p.pronamespace in ${OURS}
  union all
  select format('right to %s %s of %s', lower(privilege_type), r.name, ${GRANTEE})
    from relations r, aclexplode(r.relacl) where grantee <> r.relowner
  union all
  select format('right to %s %s.%s of %s', lower(privilege_type), r.name, a.attname, ${GRANTEE})
    from relations r join pg_attribute a on a.attrelid = r.oid, aclexplode(a.attacl)
  union all
  select format('type %s', t.oid::regtype) from pg_type t where t.typnamespace in ${OURS} and t.typtype in ('d', 'e', 'r')
  union all
  select format('schema %s', nspname) from pg_namespace where oid in ${OURS}
  union all
  select format('extension %s', extname) from pg_extension
  union all
  select format('role %s', rolname) from pg_roles where rolname !~ '^pg_'
  union all
  select format('setting %s', setting) from pg_db_role_setting, unnest(setconfig) setting
  union all
  (select 'large objects' from pg_largeobject_metadata limit 1)`;

const facts = async (client: pg.Client): Promise<string[]> =>
  (await client.query<{ fact: string }>(FACTS)).rows.map(({ fact }) => fact);

interface Table {
  readonly name: string;
  /** Those that are stored, in the order of the old database; null: it has none. */
  readonly written: string;
  /** Those, and the computed ones. */
  readonly columns: string;
}

const TABLES = `
  select c.oid::regclass::text as name,
         coalesce(string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = ''), '') as written,
         string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace in ${OURS} and c.relkind = 'r' group by c.oid order by 1`;
/** All at once, since they refer to each other. */
const EMPTYING = `
  select 'truncate' || string_agg(' ' || c.oid::regclass, ',') as statement from pg_class c
   where c.relnamespace in ${OURS} and c.relkind = 'r'`;
const SEQUENCES = `select c.oid::regclass::text as name from pg_class c where c.relnamespace in ${OURS} and c.relkind = 'S' order by 1`;

/**
 * Copies the rows of all tables, those of unlogged tables too, and the positions of sequences, in one transaction: all
 * or nothing. Rows that migrations have written are replaced. Neither triggers run nor foreign keys are checked: the
 * rows have passed them.
 */
export async function copyAll({ from, to }: Databases, copied: (table: string) => unknown): Promise<void> {
  await from.query(ALIKE);
  const tables = (await from.query<Table>(TABLES)).rows;
  // Checks and indexes call functions of ours, which call each other by their names.
  await to.query(`${ALIKE}; set search_path = public; set session_replication_role = replica; begin`);
  await repeat(from, EMPTYING, to);
  for (const { name, written } of tables) {
    await copyRows(from, `copy ${name} (${written}) to stdout`, to, `copy ${name} (${written}) from stdin`);
    await copied(name);
  }
  for (const { name, value, called } of await positions(from))
    await to.query("select setval($1, $2, $3)", [name, value, called]);
  await to.query("commit");
}

async function positions(client: pg.Client): Promise<{ name: string; value: string; called: boolean }[]> {
  const found = [];
  for (const { name } of (await client.query<{ name: string }>(SEQUENCES)).rows) {
    const { rows } = await client.query<{ value: string; called: boolean }>(
      `select last_value as value, is_called as called from ${name}`,
    );
    for (const row of rows) found.push({ name, ...row });
  }
  return found;
}

/** Throws unless both have the same rows in each table, whatever their order, and the same positions of sequences. */
export async function requireSameRows({ from, to }: Databases): Promise<Copied> {
  for (const client of [from, to]) await client.query(ALIKE);
  const tables = (await from.query<Table>(TABLES)).rows;
  let total = 0;
  for (const { name, columns } of tables) {
    const hash = `hashtextextended((row(${columns})::text) collate "C", 0)`;
    const query = `select count(*) as rows, coalesce(sum(${hash}), 0)::text as sum from only ${name}`;
    const [there, here] = await Promise.all(
      [from, to].map(async (client) => (await client.query<{ rows: string; sum: string }>(query)).rows[0]),
    );
    if (there?.rows !== here?.rows || there?.sum !== here?.sum)
      throw new Error(`The copy of ${name} is not like it: ${here?.rows} rows of ${there?.rows}. Nothing was changed.`);
    total += Number(there?.rows);
  }
  const [there, here] = [await positions(from), await positions(to)];
  if (JSON.stringify(there) !== JSON.stringify(here))
    throw new Error("The copies of sequences are not like them. Nothing was changed.");
  return { tables: tables.length, rows: total };
}
