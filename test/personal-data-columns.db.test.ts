import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { erasureFunctions } from "../scripts/generated/erasure.ts";
import { HELD, TABLES } from "../src/catalogue.ts";
import { ERASED, erased, type Fate, keptByTaxLaw, OF_NOBODY } from "../src/domain/erasure.ts";
import type { Tx } from "../src/platform/database.ts";
import { cloneDatabase } from "./support/database.ts";

/*
 * Every column that could hold personal data is decided where its table is declared, in `record({…})` of the module: what
 * erasure makes of it, or that it holds none. A new column fails this test until it is decided. The functions that
 * erase are made from these decisions.
 */

/** Every column but the organisation's id, and whether it is of a type that could hold words. */
const CATALOGUE = `
  select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as of, a.attname as name,
         format_type(a.atttypid, null) = any ('{text,text[],json,jsonb,bytea,inet,character varying}') as words
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where n.nspname in ('public', 'identity') and c.relkind in ('r', 'p') and not c.relispartition and a.attname <> 'organisation_id'
   order by 1, a.attnum`;

let client: pg.Client;
before(async () => {
  client = new pg.Client({ connectionString: (await cloneDatabase()).url });
  await client.connect();
});
after(() => client.end());

test("every column that could hold personal data is decided", async () => {
  const { rows } = await client.query<{ of: string; name: string; words: boolean }>(CATALOGUE);
  const found = new Set(rows.map(({ of, name }) => `${of}.${name}`));
  const decided = Object.entries(TABLES).flatMap(([table, { columns = {}, plain = "" }]) =>
    [...Object.keys(columns), ...plain.split(" ")].filter(Boolean).map((column) => `${table}.${column}`),
  );
  assert.deepEqual(
    rows
      .filter(({ words }) => words)
      .flatMap(({ of, name }) => (decided.includes(`${of}.${name}`) ? [] : `${of}.${name}`)),
    [],
    "columns to decide: in `tables` of `record({…})` of their module, as plain or with what erasure makes of them",
  );
  assert.deepEqual(
    decided.filter((column) => !found.has(column)),
    [],
    "columns that are gone: take them out of `record({…})` of their module",
  );
  assert.equal(new Set(decided).size, decided.length, "each is decided once");
});

/** Whether a column holds a customer's own data, for a time or for ever. */
const isOfCustomers = ({ fate }: Fate): boolean => fate !== "stays";

test("what is held of a customer is in the archive that is handed over", () => {
  const selected = Object.values(HELD).map((held) => held({ organisation: "org" } as Tx, "cus").strings.join("?"));
  const handed = new Set(selected.flatMap((sql) => /(?:from|join) (\w+) t\b/.exec(sql)?.[1] ?? []));
  const missing = Object.entries(TABLES).filter(
    ([table, { columns = {}, notHanded }]) =>
      notHanded === undefined && Object.values(columns).some(isOfCustomers) && !handed.has(table),
  );
  assert.deepEqual(
    missing.map(([table]) => table),
    [],
    "tables to hand over: name their rows in `held` of `record({…})` of their module",
  );
});

/** Kept up by a trigger of `customers`. */
const FOLLOWS = ["customer_words"];

test("what is said to be erased is deleted with its row, or set by a statement", () => {
  const missing = Object.entries(TABLES).flatMap(([table, { columns = {}, deleted, also = [] }]) =>
    Object.entries(columns).flatMap(([column, one]) => {
      const isErased =
        "becomes" in one || deleted || FOLLOWS.includes(table) || also.some((text) => text.includes(column));
      return one.fate === "erased" && !isErased ? [`${table}.${column}`] : [];
    }),
  );
  assert.deepEqual(missing, [], "columns to erase: say what they become, or `deleted`");
});

test("the functions that erase are made of what is declared", () => {
  const made = erasureFunctions({
    parcels: {
      columns: { name: erased("'erased'"), weight: keptByTaxLaw("0"), carrier: OF_NOBODY },
      rows: "id = any (subjects)",
      counted: "parcels",
      subjects: "customer_id",
    },
    parcel_photos: { columns: { picture: ERASED }, rows: "parcel_id = any (subjects)", deleted: true },
  });
  const text = (name: string) => made.get(`migrations/functions/${name}.sql`) ?? "";
  for (const [name, expected] of [
    [
      "subjects_of_customer",
      "select id from parcels where organisation_id = p_organisation and customer_id = p_customer",
    ],
    [
      "erase_customer",
      "update parcels set name = 'erased'\n   where organisation_id = p_organisation and id = any (subjects);",
    ],
    ["erase_customer", "jsonb_build_object('parcels', n)"],
    [
      "erase_customer",
      "delete from parcel_photos\n   where organisation_id = p_organisation and parcel_id = any (subjects);",
    ],
    ["erase_kept", "update parcels set weight = 0\n   where"],
  ] as const)
    assert.ok(text(name).includes(expected), `${name}: ${expected}`);
  assert.throws(() => erasureFunctions({ parcels: { columns: { name: erased() } } }), /parcels says which of its rows/);
});

test("the functions that erase are as the resources declare them now", () => {
  for (const [path, text] of erasureFunctions(TABLES))
    assert.equal(readFileSync(join(import.meta.dirname, "..", path), "utf8"), text, `${path}: run npm run generate`);
});
