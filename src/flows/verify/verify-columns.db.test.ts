import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ExaminedOrganisation, openExaminedOrganisation } from "../../../test/support/examined-organisation.ts";
import { EXAMINATIONS } from "../../catalogue.ts";

/*
 * Whatever column of a customer subscription, a checkout or a redemption is changed by hand, `verify` finds it or the
 * database refuses it.
 */

const TIMES = ["created_at", "updated_at"];
/**
 * Columns whose value follows from no other record: input by people, times, values that are empty in the records here,
 * and values that offset each other when all rows are changed (`verify-organisation.db.test.ts` changes these of one
 * row). A new column is examined, or is listed here.
 */
const FACTS: Readonly<Record<string, readonly string[]>> = {
  customer_subscriptions: [
    ...[...TIMES, "paused_at", "cancelled_at", "cancel_reason", "trial_noticed_for", "external_reference", "metadata"],
    // `state` has a test of its own; the rest of it is not read.
    "state",
  ],
  coupon_redemptions: ["redeemed_at", "released_at", "late"],
  checkout_sessions: [
    ...["updated_at", "used_at", "coupon_code", "return_url", "prefill", "entered", "metadata"],
    // The plan of its package that was chosen last, and the currency that was asked for.
    ...["plan_id", "currency"],
  ],
  checkout_payments: ["recurring_frequency"],
  checkout_subscriptions: [],
  customer_subscription_bills: ["id", "created_at"],
  // The bill from which a credit came back is compared by amounts.
  customer_subscription_credits: ["id", "created_at", "bill_id", "gross_cents"],
  subscription_collections: ["created_at", "is_hard", "new_card_id", "ended"],
  collection_attempts: ["id", "created_at", "reason", "is_hard", "next_at", "transaction_id"],
};
/**
 * Like `FACTS`, for the document `state` of subscriptions, by path: requested values, names, usage, and the price in
 * force, which follows from changes without another record. The rate of a price is that of the settings or of its plan,
 * as bills are compared. A price is compared with its plan's version, and a pending change with the next bill.
 */
const STATE_FACTS = [
  /^(anchor,.*|startsOn|trialDays|cyclesBefore)$/,
  /^period,paid,/,
  /^(terms|pendingChange),(price,(name|taxRate)|items,\d+,(id|code|description))$/,
  /^(terms,items,1|pendingChange,items,\d+),(kind|unitAmount|quantity|usage)$/,
  /^pendingChange,quantity$/,
  /^(coupon,code|credits,0,description|discounts,0,.*)$/,
];

const TABLES = Object.keys(FACTS);
const EXAMINED = [...TABLES, "coupons", "plans", "invoices", "transactions", "external_periods"];

/** Another record of a table that a column refers to. */
const another = (column: string, parent: string): string => {
  const id = parent === "subscription_collections" ? "invoice_id" : "id";
  return `(select max(p.${id}) from ${parent} p where p.${id} <> t.${column})`;
};

/** Another value of a column. */
const changed = (column: string, type: string): string => {
  if (type === "boolean") return `not ${column}`;
  if (type === "jsonb") return `${column} || '{"changed": 1}'`;
  if (/timestamp|date/.test(type)) return `${column} + interval '40 days'`;
  return type === "text" ? `${column} || 'x'` : `${column} + 1`;
};

interface Change {
  readonly what: string;
  readonly sql: string;
}

describe("verify finds a change of", () => {
  let examined: ExaminedOrganisation;
  before(async () => {
    examined = await openExaminedOrganisation();
    await examined.rows(
      ["create schema kept", ...TABLES.map((table) => `create table kept.${table} as table ${table}`)].join(";"),
    );
  });
  after(() => examined.close());

  /** Whether the database refuses the change, or `verify` finds it. */
  async function isFound(table: string, { sql }: Change): Promise<boolean> {
    try {
      await examined.rows(sql);
    } catch {
      return true;
    }
    const examinations = EXAMINATIONS.filter((one) => EXAMINED.includes(one.table));
    const { faults } = await examined.verify({ examinations });
    await examined.rows(`delete from ${table}; insert into ${table} select * from kept.${table}`);
    return faults.length > 0;
  }
  const notFound = async (table: string, changes: readonly Change[]) => {
    const missing: string[] = [];
    for (const change of changes) if (!(await isFound(table, change))) missing.push(change.what);
    return missing;
  };

  for (const table of TABLES)
    test(`any column of ${table}`, async () => {
      const columns = await examined.rows(
        `select a.attname as name, format_type(a.atttypid, null) as type, k.confrelid::regclass::text as parent
           from pg_attribute a left join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f' and k.conkey[2] = a.attnum and cardinality(k.conkey) = 2
          where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> 'organisation_id' order by a.attnum`,
      );
      const changes = columns.map(({ name, type, parent }) => ({
        what: String(name),
        sql: `update ${table} t set ${name} = ${parent ? another(String(name), String(parent)) : changed(String(name), String(type))} where ${name} is not null`,
      }));
      assert.deepEqual((await notFound(table, changes)).toSorted(), FACTS[table]?.toSorted());
    });

  test("any value in what the planner keeps", async () => {
    const rows = await examined.rows("select state from customer_subscriptions order by id");
    const paths = new Map<string, unknown>(rows.flatMap(({ state }) => leavesOf(state)));
    const changes = [...paths].map(([path, value]) => ({
      what: path,
      sql: `update customer_subscriptions set state = jsonb_set(state, '{${path}}', '${JSON.stringify(anotherValue(value))}') where state #> '{${path}}' is not null`,
    }));
    const missing = await notFound("customer_subscriptions", changes);
    assert.deepEqual(
      missing.filter((path) => !STATE_FACTS.some((fact) => fact.test(path))),
      [],
    );
  });
});

/** Every value of a document that is no object, by its path. */
function leavesOf(value: unknown, path: readonly string[] = []): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[path.join(","), value]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
}

function anotherValue(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return "x";
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return "2041-01-01";
  return /^\d+(\.\d+)?$/.test(value) ? `${value}1` : `${value}x`;
}
