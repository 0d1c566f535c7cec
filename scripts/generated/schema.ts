import type pg from "pg";

const inBrackets = (expression: string) =>
  `case when ${expression} like '(%' then ${expression} else '(' || ${expression} || ')' end`;

/** Each query answers the parts of one kind, as `owner` (a table, or empty) and `text`, in a fixed order. */
const OURS = "nspname !~ '^(pg_|information_schema$)'";
const NOT_PARTITION = `not c.relispartition and c.relnamespace in (select oid from pg_namespace where ${OURS})`;
/** `public` is in the search path, so its tables go by their bare names. */
const NAME = "c.oid::regclass::text";
const TABLES = `
  select ${NAME} as owner, case c.relkind when 'p' then pg_get_partkeydef(c.oid) end as partition_key,
         c.relpersistence = 'u' as unlogged, c.reloptions as options,
         array(select format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                 (select format(' collate %I', l.collname) from pg_collation l join pg_type t on t.oid = a.atttypid
                   where l.oid = a.attcollation and l.oid <> t.typcollation),
                 case when a.attnotnull then ' not null' end,
                 (select format(case a.attgenerated when '' then ' default %s' else ' generated always as (%s) stored' end,
                    pg_get_expr(d.adbin, d.adrelid)) from pg_attrdef d where d.adrelid = c.oid and d.adnum = a.attnum))
               from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)
         || array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid, true)) from pg_constraint k
               where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
               order by position(k.contype in 'pufcx'), k.conname) as lines
    from pg_class c where ${NOT_PARTITION} and c.relkind in ('r', 'p') order by c.relnamespace::regnamespace::text <> 'public', 1`;
const INDEXES = `
  select ${NAME} as owner, pg_get_indexdef(x.indexrelid) || ';' as text
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
   where ${NOT_PARTITION} and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.contype in ('p', 'u', 'x'))
   order by i.relname`;
const TRIGGERS = `
  select ${NAME} as owner, pg_get_triggerdef(t.oid, true) || ';' as text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${NOT_PARTITION} and not t.tgisinternal order by t.tgname`;
const POLICIES = `
  select ${NAME} as owner, format('create policy %I on %s%s for %s to %s%s%s;', policyname, ${NAME},
           case permissive when 'PERMISSIVE' then '' else ' as restrictive' end, lower(cmd), array_to_string(roles, ', '),
           ' using ' || ${inBrackets("qual")}, ' with check ' || ${inBrackets("with_check")}) as text
    from pg_policies p join pg_class c on c.oid = format('%I.%I', p.schemaname, p.tablename)::regclass
   where ${NOT_PARTITION} order by policyname`;
const SECURITY = `
  select ${NAME} as owner, format('alter table %s %s row level security;', ${NAME}, way) as text
    from pg_class c cross join lateral (select 'enable' as way where c.relrowsecurity
         union all select 'force' where c.relforcerowsecurity) w
   where ${NOT_PARTITION} and c.relkind in ('r', 'p') order by way`;
const GRANTS = `
  select ${NAME} as owner, format('grant %s on %s to %s;', string_agg(lower(g.privilege_type), ', ' order by g.privilege_type),
           ${NAME}, g.grantee::regrole) as text
    from pg_class c cross join lateral aclexplode(c.relacl) g
   where ${NOT_PARTITION} and c.relkind in ('r', 'p', 'v') and g.grantee <> c.relowner group by c.oid, g.grantee
  union all
  select ${NAME}, format('grant %s (%s) on %s to %s;', lower(g.privilege_type), string_agg(a.attname, ', ' order by a.attnum),
           ${NAME}, g.grantee::regrole)
    from pg_class c join pg_attribute a on a.attrelid = c.oid cross join lateral aclexplode(a.attacl) g
   where ${NOT_PARTITION} and g.grantee <> c.relowner group by c.oid, g.grantee, g.privilege_type
   order by 2`;
const VIEWS = `
  select format(E'create view %s%s as\n%s', ${NAME}, ' with (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid, true)) as text
    from pg_class c where ${NOT_PARTITION} and c.relkind = 'v' order by 1`;
const FUNCTIONS = `
  select pg_get_functiondef(p.oid) || ';'
         || case when p.proowner::regrole::text like 'tefo\\_%'
              then format(E'\nalter function %s owner to %s;', p.oid::regprocedure, p.proowner::regrole) else '' end
         || case when p.proacl is not null then format(E'\n-- may be run by %s', coalesce((
              select string_agg(case g.grantee when 0 then 'everyone' else g.grantee::regrole::text end, ', ' order by g.grantee)
                from aclexplode(p.proacl) g where g.grantee <> p.proowner), 'its owner')) else '' end as text
    from pg_proc p where p.pronamespace in (select oid from pg_namespace where ${OURS}) order by p.oid::regprocedure::text`;

const HEADER = `-- Generated by scripts/rows.ts from the migrated database; do not edit. The migrations are what is run:
-- this is what they add up to, for reading and for seeing a change whole. Partitions are left out.
`;

interface Part {
  readonly owner: string;
  readonly text: string;
}

interface TablePart {
  readonly owner: string;
  readonly partition_key: string | null;
  readonly unlogged: boolean;
  readonly options: readonly string[] | null;
  readonly lines: readonly string[];
}

/** The text of schema.sql: every table with its keys, indexes, triggers and policies, then views and functions. */
export async function schemaText(client: pg.Client): Promise<string> {
  const parts = async (query: string) => (await client.query<Part>(query)).rows;
  const tables = (await client.query<TablePart>(TABLES)).rows;
  const belongings: Part[] = [];
  for (const query of [INDEXES, TRIGGERS, SECURITY, POLICIES, GRANTS]) belongings.push(...(await parts(query)));
  const blocks = tables.map((table) =>
    [tableText(table), ...belongings.filter(({ owner }) => owner === table.owner).map(({ text }) => text)].join("\n"),
  );
  for (const query of [VIEWS, FUNCTIONS]) blocks.push(...(await parts(query)).map(({ text }) => text.trimEnd()));
  return `${HEADER}\n${blocks.join("\n\n")}\n`;
}

function tableText({ owner, unlogged, options, lines, partition_key }: TablePart): string {
  const partitioned = partition_key === null ? "" : ` partition by ${partition_key}`;
  const stored = options === null ? "" : ` with (${options.join(", ").replaceAll("=", " = ")})`;
  return `create ${unlogged ? "unlogged " : ""}table ${owner} (\n  ${lines.join(",\n  ")}\n)${partitioned}${stored};`;
}
