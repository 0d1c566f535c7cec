import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../../../test/support/database.ts";
import { newOrganisation } from "../../../../test/support/organisation.ts";
import { fc } from "../../../../test/support/property.ts";
import type { GatewayAccountId, OrganisationId } from "../../../kernel/ids.ts";
import { cents } from "../../../kernel/money.ts";
import { type Database, openDatabase } from "../../../platform/database.ts";
import { NEAREST } from "../../../platform/found.ts";
import { createSecrets, generateMasterKey } from "../../../platform/secrets.ts";
import { insertOrganisation } from "../../organisations/store.ts";
import { type AwaitedQuery, awaitedPayments } from "./awaited.ts";

/*
 * The kept rows of awaited payments equal the result of the plain query, whatever happened to payments, matches and
 * reversals, in whatever order.
 */

const PAYMENTS = 6;
const AMOUNT = 100;
const START = "2026-11-02T08:00:00Z";

let db: Database;
let superuser: pg.Client;
let url: string;
before(async () => {
  ({ url } = await cloneDatabase());
  db = openDatabase(url, { connections: 4 });
  superuser = new pg.Client({ connectionString: url });
  superuser.on("error", () => {}); // cut off with the database
  await superuser.connect();
  // There are no lines of statements here.
  await superuser.query(`
    alter table reconciliation_allocations drop constraint reconciliation_allocations_organisation_id_item_id_fkey`);
});
after(async () => {
  await db?.close();
  await superuser?.end();
});

/** An organisation with payments, none of them paid: bank transfers and debits, and one by card. */
async function openShop(): Promise<OrganisationId> {
  const organisation = newOrganisation(createSecrets({ current: generateMasterKey(), previous: [] }));
  await db.transaction(organisation.id, async (tx) => insertOrganisation(tx, organisation));
  await superuser.query(
    `insert into gateway_accounts (organisation_id, id, type, name, mode, enabled, credentials_sealed, currencies, created_at, updated_at)
     select $1, 'gw_' || n, 'sandbox', '', 'sandbox', true, '', '{ZAR,USD}', $2, $2 from generate_series(0, 1) n`,
    [organisation.id, START],
  );
  await superuser.query(
    `insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox, created_at)
     select $1, 'txn_' || n, 'REF-' || n, 'pending', $2, case when n % 3 = 0 then 'USD' else 'ZAR' end, ('{eft,debit_order,eft,debit_order,eft,once}'::text[])[n + 1],
            'gw_' || n % 2, 'sandbox', true, $3 from generate_series(0, ${PAYMENTS - 1}) n`,
    [organisation.id, AMOUNT, START],
  );
  return organisation.id;
}

const ids = (places: readonly number[]) => places.map((place) => `txn_${place}`);

/** What happens, as the product's statements do it. */
const HAPPENS = {
  complete: [
    "update transactions set status = 'complete', paid_at = $3::timestamptz + right(id, 1)::integer * interval '1 hour' where organisation_id = $1 and id = any ($2) and paid_at is null",
  ],
  refund: [
    "update transactions set status = 'refunded' where organisation_id = $1 and id = any ($2) and paid_at is not null",
  ],
  fail: ["update transactions set status = 'failed', paid_at = null where organisation_id = $1 and id = any ($2)"],
  later: ["update transactions set paid_at = paid_at + interval '1 day' where organisation_id = $1 and id = any ($2)"],
  match: [
    `insert into reconciliation_allocations (organisation_id, match_id, place, item_id, kind, subject, amount_cents, posted, recorded)
     select $1, 'rcm_' || gen_random_uuid(), 0, 'rci_1', 'payment', id, 50, true, false from unnest($2::text[]) id`,
  ],
  undo: [
    "update reconciliation_allocations set undone_at = $3 where organisation_id = $1 and subject = any ($2) and undone_at is null",
  ],
  undoOne: [
    `update reconciliation_allocations set undone_at = $3 where organisation_id = $1 and match_id =
       (select min(match_id) from reconciliation_allocations where organisation_id = $1 and subject = any ($2) and undone_at is null)`,
  ],
  reverseHalf: [
    `insert into reversals (organisation_id, id, transaction_id, amount_cents, reason, reversed_at, created_at)
     select $1, 'rev_' || gen_random_uuid(), id, 50, 'disputed', paid_at, $3 from transactions where organisation_id = $1 and id = any ($2)`,
  ],
  reverseWhole: [
    `insert into reversals (organisation_id, id, transaction_id, amount_cents, reason, reversed_at, created_at)
     select $1, 'rev_' || gen_random_uuid(), id, 100, 'disputed', paid_at, $3 from transactions where organisation_id = $1 and id = any ($2)`,
  ],
  reverseWaiting: ["update reversals set reversed_at = $3 where organisation_id = $1 and transaction_id = any ($2)"],
  undoReversal: ["delete from reversals where organisation_id = $1 and transaction_id = any ($2)"],
  reverseLess: ["update reversals set amount_cents = 10 where organisation_id = $1 and transaction_id = any ($2)"],
  forget: [
    "delete from reversals where organisation_id = $1 and transaction_id = any ($2)",
    "delete from transactions where organisation_id = $1 and id = any ($2)",
  ],
} as const;
type Step = keyof typeof HAPPENS;

async function happens(client: pg.Client, organisation: string, step: Step, places: readonly number[]): Promise<void> {
  for (const statement of HAPPENS[step]) {
    const values = [organisation, ids(places), START];
    await client.query(statement, statement.includes("$3") ? values : values.slice(0, 2));
  }
}

const SHOWN = `exists (select from reconciliation_allocations a where a.organisation_id = t.organisation_id and a.subject = t.id and a.undone_at is null)`;
const TAKEN = `t.amount_cents <= coalesce((select sum(r.amount_cents) from reversals r
  where r.organisation_id = t.organisation_id and r.transaction_id = t.id and r.reversed_at is not null), 0)`;
const OPEN = `from transactions t where t.organisation_id = $1 and t.type in ('eft', 'debit_order') and t.paid_at is not null and not ${SHOWN}`;

/** The list answers as the plain query does; kept rows beyond it belong only to payments that were taken back as a whole. */
async function right(organisation: OrganisationId, query: Partial<AwaitedQuery> = {}, where = ""): Promise<void> {
  const of = async (text: string) => (await superuser.query(text, [organisation])).rows as { id: string }[];
  const listed = await db.read(organisation, (tx) => awaitedPayments(tx, { after: null, limit: 100, ...query }));
  const plain = await of(`select t.id ${OPEN} and not ${TAKEN} ${where} order by t.paid_at, t.id`);
  assert.deepEqual(
    listed.map(({ id }) => id),
    plain.map(({ id }) => id),
  );
  const columns = "type, currency, gateway_account_id, paid_at";
  const kept = await of(`select transaction_id as id, ${columns} from awaited_payments where organisation_id = $1`);
  const open = await of(`select t.id, ${columns}, ${TAKEN} as taken ${OPEN}`);
  const extra = kept.filter(
    (row) => !open.some((one) => JSON.stringify({ ...one, taken: 0 }) === JSON.stringify({ ...row, taken: 0 })),
  );
  const missing = (await of(`select t.id ${OPEN} and not ${TAKEN}`)).filter(
    ({ id }) => !kept.some((row) => row.id === id),
  );
  assert.deepEqual({ extra, missing }, { extra: [], missing: [] });
}

/** All payments begin as pending, so most histories complete them first. */
const step = fc.record({
  step: fc.constantFrom(
    ...(Object.keys(HAPPENS) as Step[]),
    ...(["complete", "complete", "complete", "match", "undo", "reverseWhole", "undoReversal"] as const),
  ),
  places: fc.uniqueArray(fc.nat(PAYMENTS - 1), { minLength: 1, maxLength: 4 }),
});

test("of random histories, the kept rows are those of the plain query", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const organisation = await openShop();
      for (const { step, places } of steps) {
        await happens(superuser, organisation, step, places);
        await right(organisation);
      }
      await right(organisation, { debitsAt: [] }, "and t.type = 'eft'");
      await right(organisation, { currency: "USD" }, "and t.currency = 'USD'");
      const gatewayAccountId = "gw_1" as GatewayAccountId;
      await right(organisation, { gatewayAccountId }, "and t.gateway_account_id = 'gw_1'");
    }),
    { numRuns: 40 },
  );
});

describe("at the same time", () => {
  const clients: pg.Client[] = [];
  before(async () => {
    for (let n = 0; n < 2; n++) {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {}); // cut off with the database
      await client.connect();
      clients.push(client);
    }
  });
  after(() => Promise.all(clients.map((client) => client.end())));

  /**
   * What happened before; what the first transaction does; what the second does before the first ends; whether the
   * second waits for the first.
   */
  const RACES: readonly (readonly [before: readonly Step[], one: Step, other: Step, waits: boolean])[] = [
    [[], "match", "complete", true],
    [[], "complete", "match", true],
    [["complete"], "match", "reverseWhole", false],
    [["complete"], "reverseWhole", "match", true],
    [["complete", "match"], "undo", "reverseWhole", false],
    [["complete", "match"], "reverseWhole", "undo", false],
    [["match"], "undo", "complete", true],
    [["match"], "complete", "undo", true],
    [["complete"], "match", "reverseHalf", false],
    [["complete", "reverseHalf"], "match", "reverseHalf", false],
    [["complete", "match"], "match", "reverseWhole", false],
  ];
  for (const [earlier, one, other, waits] of RACES)
    for (const end of ["commit", "rollback"])
      test(`${other} while ${one} is under way, after ${earlier.join(", ") || "nothing"}; ${end}`, async () => {
        const [first, second] = clients;
        assert(first && second);
        const organisation = await openShop();
        for (const step of earlier) await happens(superuser, organisation, step, [0, 1]);
        await first.query("begin");
        await happens(first, organisation, one, [0, 1]);
        let ended = false;
        const begun = happens(second, organisation, other, [1]).then(() => {
          ended = true;
        });
        const waiting = async () => (await superuser.query("select from pg_locks where not granted")).rowCount !== 0;
        while (!ended && !(await waiting())) await new Promise(setImmediate);
        assert.equal(!ended, waits);
        await first.query(end);
        await begun;
        await right(organisation);
      });
});

test("a search finds rare matches by indexes, and common ones among the awaited payments", async () => {
  const organisation = await openShop();
  await superuser.query(
    `insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox, created_at, paid_at)
     select $1, 'txn_c' || n, 'MANY-' || n, 'complete', 700, 'ZAR', 'eft', 'gw_0', 'sandbox', true, $2, $2 from generate_series(1, ${NEAREST + 1}) n`,
    [organisation, START],
  );
  await happens(superuser, organisation, "complete", [0, 1, 2]);
  const nobody = { text: "?", words: [], references: ["?"], addresses: ["?"], amounts: [], customers: [] };
  const found = async (named: object, limit = 3) =>
    (
      await db.read(organisation, (tx) => awaitedPayments(tx, { after: null, limit, named: { ...nobody, ...named } }))
    ).map(({ reference }) => reference);
  assert.deepEqual(await found({}), []);
  assert.deepEqual(await found({ references: ["REF-1"] }), ["REF-1"]);
  assert.deepEqual(await found({ references: ["MANY-"] }, 2), ["MANY-1", "MANY-10"]);
  assert.deepEqual(await found({ amounts: [cents(700)] }, 1), ["MANY-1"]);
  assert.deepEqual(
    await found({ amounts: [cents(700)], references: ["REF-2"] }, NEAREST + 10).then((all) => all.length),
    NEAREST + 2,
  );
});
