import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { isTenantTable, OTHER_PLACES, placementOf } from "../src/platform/distribution.ts";
import { cloneDatabase } from "./support/database.ts";
import { insertMinimalRow } from "./support/minimal-row.ts";
import { LOOKUP_INDEXES } from "./support/tenancy.ts";

/*
 * decisions.md#role-that-owns-nothing and decisions.md#tenant-first, checked in the catalogue of the migrated database: a new table that
 * does not follow them fails here.
 */

const TABLES = `
  select c.oid, c.relname as name, c.relkind = 'p' as partitioned, c.relispartition as partition,
         c.relrowsecurity and c.relforcerowsecurity as secured
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname`;
const KEYS = `
  select t.relname as table_name, i.relname as name, x.indisprimary as primary_key, x.indisunique as is_unique,
         a.attname as first_column
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
   where t.relnamespace = 'public'::regnamespace and not t.relispartition order by 1, 2`;
const FOREIGN_KEYS = `
  select s.relname as table_name, d.relname as target, k.conname as name, sa.attname as first_column, da.attname as first_target
    from pg_constraint k join pg_class s on s.oid = k.conrelid join pg_class d on d.oid = k.confrelid
    join pg_attribute sa on sa.attrelid = s.oid and sa.attnum = k.conkey[1]
    join pg_attribute da on da.attrelid = d.oid and da.attnum = k.confkey[1]
   where k.contype = 'f' and k.conparentid = 0 and s.relnamespace = 'public'::regnamespace order by 1, 3`;
/** For each tenant table: whether a foreign key to another tenant table, with columns that are never null, contains the organisation. */
const TENANT_KEYS = `
  select c.relname as name, c.relkind = 'p' as partitioned,
         coalesce(bool_or(d.relname = 'organisations'), false) as of_organisation,
         coalesce(bool_or(d.relname <> 'organisations' and d.oid <> c.oid and not exists (
           select from pg_attribute a where a.attrelid = c.oid and a.attnum = any(k.conkey) and not a.attnotnull)), false) as of_parent
    from pg_class c left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' left join pg_class d on d.oid = k.confrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   group by c.oid, c.relname, c.relkind order by 1`;
const POLICIES = `
  select tablename as table_name, policyname as name, permissive, cmd, roles::text[] as roles, qual, with_check
    from pg_policies where schemaname = 'public'`;
const OURS = "(organisation_id = app_organisation())";

interface Table {
  readonly oid: number;
  readonly name: string;
  readonly partitioned: boolean;
  readonly partition: boolean;
  readonly secured: boolean;
}
interface Key {
  readonly table_name: string;
  readonly name: string;
  readonly primary_key: boolean;
  readonly is_unique: boolean;
  readonly first_column: string | null;
}
interface ForeignKey {
  readonly table_name: string;
  readonly target: string;
  readonly name: string;
  readonly first_column: string;
  readonly first_target: string;
}
interface TenantKeys {
  readonly name: string;
  readonly partitioned: boolean;
  readonly of_organisation: boolean;
  readonly of_parent: boolean;
}
interface Policy {
  readonly table_name: string;
  readonly name: string;
  readonly permissive: string;
  readonly cmd: string;
  readonly roles: readonly string[];
  readonly qual: string | null;
  readonly with_check: string | null;
}

describe("every tenant table", () => {
  let client: pg.Client;
  let all: Table[];
  let tenants: Table[];
  const rows = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text)).rows;

  before(async () => {
    const { url } = await cloneDatabase();
    client = new pg.Client({ connectionString: url });
    await client.connect();
    all = await rows<Table>(TABLES);
    tenants = all.filter(({ name, partition }) => !partition && isTenantTable(name));
    assert(tenants.length > 10, "the catalogue was read");
  });
  after(() => client?.end());

  test("is none of the tables listed elsewhere, each of which exists", async () => {
    const names = await rows<{ name: string }>(`
      select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname !~ '^(pg_|information_schema$)' and c.relkind in ('r', 'p') and not c.relispartition`);
    const existing = names.map(({ name }) => name.replaceAll('"', ""));
    assert.deepEqual(
      Object.keys(OTHER_PLACES).filter((name) => !existing.includes(name)),
      [],
    );
    assert.deepEqual(
      existing.filter((name) => name.includes(".") && placementOf(name) !== "one node"),
      [],
    );
  });

  test("refers only to rows that are on its node", async () => {
    const faults = (await rows<ForeignKey>(FOREIGN_KEYS)).filter(
      ({ table_name: from, target }) =>
        placementOf(target) !== "every node" && placementOf(from) !== placementOf(target),
    );
    assert.deepEqual(
      faults.map((key) => `${key.table_name}.${key.name}`),
      [],
    );
  });

  test("has organisation_id first in its primary key", async () => {
    const primary = new Map(
      (await rows<Key>(KEYS)).filter((key) => key.primary_key).map((key) => [key.table_name, key]),
    );
    const faults = tenants.filter(({ name }) => primary.get(name)?.first_column !== "organisation_id");
    assert.deepEqual(
      faults.map(({ name }) => name),
      [],
    );
  });

  test("has organisation_id first in every unique constraint and index, look-ups by name excepted", async () => {
    const keys = await rows<Key>(KEYS);
    const faults = keys.filter(
      (key) =>
        isTenantTable(key.table_name) && key.first_column !== "organisation_id" && !LOOKUP_INDEXES.includes(key.name),
    );
    assert.deepEqual(
      faults.map((key) => `${key.table_name}.${key.name}`),
      [],
    );
    const stale = LOOKUP_INDEXES.filter((name) => !keys.some((key) => key.name === name));
    assert.deepEqual(stale, [], "indexes in the list of look-ups that do not exist");
  });

  test("has organisation_id first on both sides of every foreign key to another", async () => {
    const faults = (await rows<ForeignKey>(FOREIGN_KEYS)).filter((key) => {
      if (!isTenantTable(key.table_name)) return isTenantTable(key.target); // shared data must not depend on one organisation's
      if (key.first_column !== "organisation_id") return true;
      return isTenantTable(key.target) ? key.first_target !== "organisation_id" : key.target !== "organisations";
    });
    assert.deepEqual(
      faults.map((key) => `${key.table_name}.${key.name}`),
      [],
    );
  });

  test("refers to organisations exactly when no parent record carries the organisation, and never when it is partitioned", async () => {
    const keys = (await rows<TenantKeys>(TENANT_KEYS)).filter(({ name }) => isTenantTable(name));
    const faults = keys.filter(
      ({ partitioned, of_organisation, of_parent }) => of_organisation !== (!partitioned && !of_parent),
    );
    assert.deepEqual(
      faults.map(({ name }) => name),
      [],
      "each row with a key to organisations locks the organisation's row (decisions.md#tenant-first)",
    );
  });

  test("and each of its partitions forces row level security", () => {
    const faults = all.filter(({ name, partition, secured }) => (partition || isTenantTable(name)) && !secured);
    assert.deepEqual(
      faults.map(({ name }) => name),
      [],
    );
  });

  test("shows the service one organisation's rows by one policy, for reads and writes alike", async () => {
    const policies = (await rows<Policy>(POLICIES)).filter(
      ({ roles }) => roles.includes("public") || roles.includes("tefo_app"),
    );
    const faults = tenants.filter(({ name }) => {
      const own = policies.filter((policy) => policy.table_name === name);
      const [policy] = own;
      return !(
        own.length === 1 &&
        policy?.permissive === "PERMISSIVE" &&
        policy.cmd === "ALL" &&
        policy.qual === OURS &&
        (policy.with_check ?? OURS) === OURS
      );
    });
    assert.deepEqual(
      faults.map(({ name }) => name),
      [],
    );
  });

  test("and every view runs with the reader's rights", async () => {
    const faults = await rows<{ name: string }>(`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and (relkind = 'm' or relkind = 'v'
         and not coalesce('security_invoker=true' = any(reloptions) or 'security_invoker=on' = any(reloptions), false))`);
    assert.deepEqual(faults, []);
  });

  test("belongs to another role than the service, which can bypass nothing", async () => {
    const [role] = await rows<{ rolsuper: boolean; rolbypassrls: boolean; owned: number; memberships: number }>(`
      select rolsuper, rolbypassrls,
             (select count(*)::int from pg_class where relowner = r.oid) as owned,
             (select count(*)::int from pg_auth_members where member = r.oid) as memberships
        from pg_roles r where rolname = 'tefo_app'`);
    assert.deepEqual(role, { rolsuper: false, rolbypassrls: false, owned: 0, memberships: 0 });
  });

  test("and nothing outside the schema public is open to the service", async () => {
    const open = await rows<{ name: string }>(`
      select c.oid::regclass::text as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^(public$|pg_|information_schema$)'
         and has_schema_privilege('tefo_app', n.oid, 'usage')
         and has_table_privilege('tefo_app', c.oid, 'select, insert, update, delete')`);
    assert.deepEqual(open, []);
  });

  test("shows no row without an organisation, its own with one, and none of another's", async () => {
    for (const table of tenants) await insertMinimalRow(client, table, "org_a");
    const readable = await rows<{ name: string }>(`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and has_table_privilege('tefo_app', oid, 'select')`);
    const mine = readable.map(({ name }) => name).filter(isTenantTable);
    const seenBy = async (organisation: string | null): Promise<string[]> => {
      await client.query("begin");
      await client.query("set local role tefo_app");
      if (organisation !== null) await client.query(`set local app.organisation_id = '${organisation}'`);
      const counts = await rows<{ name: string; count: number }>(
        mine.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`).join(" union all "),
      );
      await client.query("rollback");
      return counts.filter(({ count }) => count > 0).map(({ name }) => name);
    };
    assert.deepEqual(await seenBy(null), []);
    assert.deepEqual(await seenBy("org_b"), []);
    assert.deepEqual((await seenBy("org_a")).sort(), [...mine].sort(), "every table shows the row that was put there");
    assert.deepEqual(await seenBy(null), [], "the setting of one transaction does not outlive it");
  });
});
