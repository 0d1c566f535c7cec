import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ExaminedOrganisation, openExaminedOrganisation } from "../../../test/support/examined-organisation.ts";
import { RECORDS } from "../../catalogue.ts";
import { kindOf } from "../../kernel/ids.ts";
import { builtIn } from "../../modules/members/rules.ts";
import { contextFor, SYSTEM } from "../context.ts";
import { nameRecords } from "./name-records.ts";
import { originOf, relatedRecords } from "./related-records.ts";

const VIEWER = builtIn("viewer");

describe("names of records, and their related records", () => {
  let examined: ExaminedOrganisation;
  /** Ids of all records, by kind. */
  let ids: ReadonlyMap<string, readonly string[]>;
  /** Ids of all records, and references of payments. */
  let everything: ReadonlySet<string>;
  before(async () => {
    examined = await openExaminedOrganisation();
    const tables = await examined.rows(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
    );
    const all: string[] = [];
    for (const { name } of tables)
      all.push(...(await examined.rows(`select id::text as id from ${name}`)).map(({ id }) => String(id)));
    all.push(
      ...(await examined.rows("select distinct match_id as id from reconciliation_allocations")).map(({ id }) =>
        String(id),
      ),
    );
    const references = await examined.rows("select reference from transactions");
    everything = new Set([...all, ...references.map(({ reference }) => String(reference))]);
    ids = Map.groupBy(all, kindOf);
  });
  after(() => examined.close());

  const named = (wanted: readonly string[]) =>
    examined.services.db.read(examined.organisation.id, (tx) => nameRecords(tx, RECORDS, VIEWER, wanted));

  const related = async (subject: string) => {
    const ctx = contextFor(examined.services, examined.organisation, SYSTEM);
    const { data } = await examined.services.db.read(examined.organisation.id, (tx) =>
      relatedRecords(tx, ctx, RECORDS, VIEWER, subject),
    );
    return data;
  };

  test("every kind has a statement that names its records", async () => {
    const without: string[] = [];
    for (const kind of RECORDS.keys()) {
      const own = ids.get(kind) ?? [];
      const found = await named(own.length > 0 ? own : [`${kind}_0`]);
      if (own.length > 0 && found.length === 0) without.push(kind);
      for (const { id, name, path } of found) {
        assert.ok(own.includes(id), id);
        assert.ok(name !== "" && name !== id, `${id} is called ${name}`);
        assert.match(path, /^\/[a-z/-]+/, id);
      }
    }
    assert.deepEqual(without, []);
    assert.ok(
      [...ids.keys()].filter((kind) => RECORDS.has(kind)).length > 20,
      "the organisation has records of most kinds",
    );
  });

  test("every kind has a statement that finds related records, which are records of their kinds", async () => {
    const told = new Set<string>();
    for (const own of ids.values())
      for (const subject of own) {
        for (const { relation, id } of await related(subject)) {
          told.add(relation);
          assert.ok(everything.has(id) && id !== subject, `${subject} has the ${relation} ${id}`);
        }
      }
    const nouns = ["about", ...[...RECORDS.values()].flatMap(({ noun }) => noun ?? [])];
    assert.deepEqual(
      [...told].filter((relation) => !nouns.includes(relation)),
      [],
      "relations without a kind of that noun",
    );
    // The payment's page shows a refund.
    assert.deepEqual(
      nouns.filter((noun) => !told.has(noun) && noun !== "refund"),
      [],
      "nouns that no record is related by: openExaminedOrganisation (test/support) makes records of the kind, and a `related` or `ofPayment` tells them",
    );
  });

  test("a payment that was begun for a checkout session is related to it", async () => {
    const attempts = await examined.services.db.read(
      examined.organisation.id,
      (tx) => tx.sql<{ payment: string; session: string }>`
        select transaction_id as payment, checkout_session_id as session from checkout_payments where organisation_id = ${tx.organisation}`,
    );
    assert.notEqual(attempts.length, 0);
    for (const { payment, session } of attempts) {
      const sessions = (await related(payment)).filter(({ relation }) => relation === "checkout_session");
      assert.deepEqual(sessions, [{ relation: "checkout_session", id: session }]);
    }
  });

  test("the origin of a record is a record; a credit note is made from the payment that saved a card", async () => {
    const told = new Set<string>();
    for (const [kind, own] of ids)
      for (const subject of own) {
        const origin = await examined.services.db.read(examined.organisation.id, (tx) =>
          originOf(tx, RECORDS, subject),
        );
        if (!origin?.from) continue;
        assert.equal(origin.id, subject);
        assert.ok(everything.has(origin.from), `${subject} was made of ${origin.from}`);
        told.add(kind);
      }
    for (const kind of ["inv", "cn", "plink", "csub", "gsub", "txn"]) assert.ok(told.has(kind), kind);
  });

  test("a payment has its customer as a related record; an unknown record has none", async () => {
    const [payment] = await examined.rows(
      "select reference, customer_id as customer from transactions where customer_id is not null limit 1",
    );
    const { reference, customer } = payment as { reference: string; customer: string };
    assert.ok((await related(reference)).some((one) => one.relation === "customer" && one.id === customer));
    assert.deepEqual(await related("TEFO-UNKNOWN"), []);
  });

  test("a record is named by its number, and one without a page of its own has the path of the record that shows it", async () => {
    const [payment] = await examined.rows(
      "select p.id, i.id as invoice, i.number from invoice_payments p join invoices i on i.id = p.invoice_id limit 1",
    );
    const { id, invoice, number } = payment as { id: string; invoice: string; number: string };
    assert.deepEqual(
      (await named([id, invoice, "inv_unknown", "TEFO-1", "", "toString_1"])).toSorted((one, other) =>
        one.id < other.id ? -1 : 1,
      ),
      [
        { id: invoice, name: number, path: `/invoices/${invoice}` },
        { id, name: number, path: `/invoices/${invoice}` },
      ],
    );
  });

  test("a gateway subscription that was moved here is named by its payer, since those of a migration have one description", async () => {
    const [brought] = await examined.rows(
      "select gateway_subscription_id as id, payer_name as name from subscription_migrations where gateway_subscription_id is not null limit 1",
    );
    const { id, name } = brought as { id: string; name: string };
    assert.deepEqual(await named([id]), [{ id, name, path: `/subscriptions/${id}` }]);
  });
});
