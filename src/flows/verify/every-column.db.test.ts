import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { addCards } from "../../../test/support/card-organisation.ts";
import { addCharges } from "../../../test/support/charged-cards.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { addInvoices } from "../../../test/support/invoiced-organisation.ts";
import { addMandates } from "../../../test/support/mandate-organisation.ts";
import { makePaidOrganisation, openServices } from "../../../test/support/paid-organisation.ts";
import { addSubscriptions } from "../../../test/support/subscribed-organisation.ts";
import { EXAMINATIONS } from "../../catalogue.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Services } from "../services.ts";
import { verifyOrganisation } from "./verify-organisation.ts";

/*
 * The test changes every column of the records with automatic collections manually, in every row: `verify` finds the
 * change, or the column is listed here.
 */

const ENCRYPTED = "encrypted, and encrypted anew with each key: a changed one does not open";
const WORDS = "words that are shown";
const WHEN = "a time that nothing depends on";
/** Tables with the column that identifies a row, and the columns whose change is not found, with the reason. */
const TABLES: Readonly<Record<string, { readonly key: string; readonly unfound: Readonly<Record<string, string>> }>> = {
  cards: { key: "id", unfound: { token_sealed: ENCRYPTED, last_used_at: WHEN, updated_at: WHEN } },
  card_setups: { key: "id", unfound: {} },
  card_setup_payments: { key: "transaction_id", unfound: {} },
  card_charges: { key: "id", unfound: { failure_reason: WORDS } },
  mandates: { key: "id", unfound: { account_number_sealed: ENCRYPTED, id_number_sealed: ENCRYPTED, updated_at: WHEN } },
  mandate_agreements: { key: "id", unfound: {} },
  debit_batches: { key: "id", unfound: {} },
  debits: {
    key: "transaction_id",
    unfound: { unpaid_reason: WORDS, held_at: WHEN, held_by: WORDS, held_reason: WORDS },
  },
  gateway_subscriptions: {
    key: "id",
    unfound: { handle_sealed: ENCRYPTED, card_token_sealed: ENCRYPTED, updated_at: WHEN },
  },
  subscription_retries: { key: "id", unfound: {} },
  subscription_migrations: { key: "id", unfound: {} },
};
const NAMES = Object.keys(TABLES);

interface Column {
  readonly of: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** The values of a column that accepts only some. */
  readonly values: string[] | null;
}

const COLUMNS = `
  select c.relname as of, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
         (select array_agg(v[1]) from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''(\\w+)''::text', 'g') v
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as values
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname = any ($1) and a.attname <> 'organisation_id' order by c.relname, a.attnum`;

/** Other values for a column, as SQL that may name it. */
function others({ name, type, nullable, values }: Column): string[] {
  const none = nullable ? [`case when ${name} is null then ${SAMPLES[type] ?? "null"} end`] : [];
  if (values)
    return [...values.map((value) => `case when ${name} <> '${value}' then '${value}' else ${name} end`), ...none];
  const other = OTHERS[type];
  assert(other, `another value for the type ${type}`);
  return [...other.map((text) => text.replaceAll("?", name)), ...none];
}

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  text: ["? || 'x'"],
  bigint: ["? + 1"],
  integer: ["? + 1", "? - 1"],
  numeric: ["? + 1"],
  smallint: ["? + 1"],
  boolean: ["not ?"],
  date: ["? + 1", "? - 1", "(? + interval '3 months')::date", "(? + interval '1 year')::date"],
  "timestamp with time zone": ["? + interval '1 s'"],
  jsonb: [`? || '{"added": "x"}'`],
  bytea: ["? || '\\x00'"],
  "text[]": ["? || 'x'::text"],
};
const SAMPLES: Readonly<Record<string, string>> = {
  text: "'x'",
  bigint: "1",
  numeric: "15",
  date: "date '2026-01-31'",
  smallint: "7",
  "timestamp with time zone": "now()",
};

describe("a column that is changed by hand", () => {
  let superuser: pg.Client;
  let services: Services;
  let organisation: Organisation;
  let columns: readonly Column[];

  before(async () => {
    const { url } = await cloneDatabase();
    services = openServices(url);
    const ctx = await makePaidOrganisation(services);
    ({ organisation } = ctx);
    for (const add of [addInvoices, addCards, addMandates, addCharges, addSubscriptions]) await add(services, ctx);
    superuser = new pg.Client({ connectionString: url });
    await superuser.connect();
    ({ rows: columns } = await superuser.query<Column>(COLUMNS, [NAMES]));
    const checks = `do $$ declare c record; begin
      for c in select conrelid::regclass as of, conname from pg_constraint where contype in ('c', 'u') and conrelid = any ('{${NAMES.join(",")}}'::regclass[]) loop
        execute format('alter table %s drop constraint %I cascade', c.of, c.conname);
      end loop;
      for c in select indexrelid::regclass as of from pg_index where indisunique and not indisprimary and indrelid = any ('{${NAMES.join(",")}}'::regclass[]) loop
        execute format('drop index %s', c.of);
      end loop;
    end $$`;
    const kept = NAMES.map((name) => `create table kept.${name} as table ${name}`);
    await superuser.query(["set session_replication_role = replica", checks, "create schema kept", ...kept].join(";"));
    await superuser.query("analyze");
  });
  after(async () => {
    await superuser.end();
    await services.db.close();
  });

  async function found(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const examinations = EXAMINATIONS.filter(({ table }) => NAMES.includes(table));
    for await (const { faults } of verifyOrganisation(services, organisation, examinations))
      for (const { table, id } of faults) ids.add(`${table} ${id}`);
    return ids;
  }

  /** The rows of a column of which one of the other values is not found. */
  async function unfound(column: Column, key: string): Promise<string[]> {
    const missing: string[] = [];
    for (const value of others(column)) {
      const { rows } = await superuser.query<{ id: string }>(
        `update ${column.of} set ${column.name} = ${value} where ${column.name} is distinct from ${value} returning ${key} as id`,
      );
      const ids = await found();
      await superuser.query(`delete from ${column.of}; insert into ${column.of} select * from kept.${column.of}`);
      // The row of a batch or a set-up identifies what belongs to it.
      const isFound = ({ id }: { id: string }) =>
        ["debits", "card_setup_payments"].includes(column.of) ? ids.size > 0 : ids.has(`${column.of} ${id}`);
      missing.push(...rows.filter((row) => !isFound(row)).map(({ id }) => `${value} of ${id}`));
    }
    return missing;
  }

  for (const [name, { key, unfound: listed }] of Object.entries(TABLES))
    test(`of ${name} is found`, async () => {
      assert.deepEqual([...(await found())], []);
      const of = columns.filter((column) => column.of === name && column.name !== key);
      const missed = new Map<string, string[]>();
      for (const column of of) {
        const rows = await unfound(column, key);
        if (rows.length > 0) missed.set(column.name, rows);
      }
      assert.deepEqual(
        [...missed.keys()].toSorted(),
        Object.keys(listed).toSorted(),
        JSON.stringify([...missed], null, 1),
      );
    });
});
