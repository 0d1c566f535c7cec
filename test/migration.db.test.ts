import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { type Ctx, contextFor, SYSTEM } from "../src/flows/context.ts";
import { cancelInvoice } from "../src/flows/invoices/cancel-invoice.ts";
import { createInvoice } from "../src/flows/invoices/create-invoice.ts";
import { recordOfflinePayment } from "../src/flows/invoices/record-offline-payment.ts";
import { addDays, businessDay, startOfDay } from "../src/kernel/time.ts";
import { InvoiceCreate, OfflinePaymentCreate } from "../src/modules/invoices/schema.ts";
import { allOrganisations } from "../src/modules/organisations/store.ts";
import type { Tx } from "../src/platform/database.ts";
import { migrate } from "../src/platform/migrations.ts";
import { openApi, type TestApi } from "./support/api.ts";
import { emptyDatabase } from "./support/database.ts";
import { faultsOf } from "./support/verified.ts";

/* Migrates a database of the release of migration 0007, with data that this release has written: nothing is lost and everything works. */

const RELEASED = "0007";
const MIGRATIONS = join(import.meta.dirname, "../migrations");
const DATA = join(import.meta.dirname, `fixtures/release-${RELEASED}.sql`);
const WRITTEN_AT = "2026-11-22T00:00:00Z";
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
const UNTOUCHED = [
  "customers",
  "invoices",
  "transactions",
  "refunds",
  "journal_lines",
  "credit_notes",
  "eft_orders",
  "emails",
];
const COUNTS = `select jsonb_build_object(${UNTOUCHED.map((name) => `'${name}', (select count(*) from ${name})`).join(", ")}) as counts`;

describe("a database of the last release", () => {
  let api: TestApi;
  let counted: Record<string, number>;
  const organisation = async (slug: string): Promise<Ctx> => {
    const found = (await allOrganisations(api.services.db)).find((one) => one.slug === slug);
    assert(found);
    return contextFor(api.services, found, SYSTEM);
  };
  const counts = async () => {
    const [row] = await api.query<{ counts: Record<string, number> }>(COUNTS);
    return row?.counts;
  };

  before(async () => {
    const { url } = await emptyDatabase();
    const superuser = new pg.Client({ connectionString: url });
    await superuser.connect();
    const execute = (sql: string) => superuser.query<{ counts: Record<string, number> }>(sql);
    await execute(
      "create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp())",
    );
    for (const file of readdirSync(MIGRATIONS).sort()) {
      if (file.slice(0, 4) > RELEASED) continue;
      const sql = readFileSync(join(MIGRATIONS, file), "utf8");
      const checksum = createHash("sha256").update(sql).digest("hex");
      await execute(sql);
      await execute(`insert into migrations (name, checksum) values ('${file.slice(0, -4)}', '${checksum}')`);
    }
    // Without triggers and foreign key checks, so that the rows can be inserted unchanged and in any order.
    await execute(`
      select maintain_partitions('${WRITTEN_AT}');
      set session_replication_role = replica;
      ${readFileSync(DATA, "utf8")}
      reset session_replication_role`);
    counted = (await execute(COUNTS)).rows[0]?.counts ?? {};
    await superuser.end();
    const applied = await migrate(url);
    assert.ok(applied.length > 0 && applied.every((name) => name.slice(0, 4) > RELEASED));
    api = await openApi({ DATABASE_URL: url, SECRET_KEY });
  });
  after(() => api?.close());

  test("keeps every row", async () => {
    assert.ok(Object.values(counted).every((count) => count > 0));
    assert.deepEqual(await counts(), counted);
  });

  test("holds what verify recomputes, and each balance is the sum of its lines", async () => {
    assert.deepEqual(await faultsOf(api), []);
    const balances = await api.query(
      `select customer_id, currency, receivable_cents::text as owed, credit_cents::text as credit from customer_balances
        where receivable_cents <> 0 or credit_cents <> 0 order by 1, 2`,
    );
    const sums = await api.query(
      `select customer_id, currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0)::text as owed,
              coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0)::text as credit
         from journal_lines where customer_id is not null and account in ('receivable', 'customer_credit')
        group by 1, 2 having sum(amount_cents) filter (where account = 'receivable') <> 0
           or sum(amount_cents) filter (where account = 'customer_credit') <> 0 order by 1, 2`,
    );
    assert.ok(sums.length > 1);
    assert.deepEqual(balances, sums);
  });

  test("works: invoices are created, paid and cancelled, and due work runs at its time", async () => {
    const ctx = await organisation("shop");
    const inside = <T>(work: (tx: Tx) => Promise<T>) => api.services.db.transaction(ctx.organisation.id, work);
    const rows = await api.query<{ id: string; external_reference: string; customer_id: string; due: string }>(
      `select id, external_reference, customer_id, (total_cents - paid_cents)::text as due from invoices
        where external_reference in ('open', 'part', 'due-on-no-day') and organisation_id = $1`,
      ctx.organisation.id,
    );
    const invoice = (reference: string) => {
      const found = rows.find(({ external_reference }) => external_reference === reference);
      assert(found);
      return found;
    };
    const paid = await inside((tx) =>
      recordOfflinePayment(
        tx,
        ctx,
        invoice("open").id,
        OfflinePaymentCreate.parse({ amount: Number(invoice("open").due) / 100, method: "eft" }),
      ),
    );
    assert.equal(paid.after.status, "paid");
    await inside((tx) => cancelInvoice(tx, ctx, invoice("part").id, null));
    const lines = [{ description: "More", quantity: 1, unitPrice: 10 }];
    await inside((tx) =>
      createInvoice(tx, ctx, InvoiceCreate.parse({ customerId: invoice("open").customer_id, lines, send: true })),
    );
    assert.deepEqual(await faultsOf(api), []);
    const ran = await api.services.runDue(ctx.organisation.id, startOfDay(addDays(businessDay(ctx.now), 90)));
    assert.ok((ran["invoice.overdue"] ?? 0) >= 1, JSON.stringify(ran));
    const [late] = await api.query<{ status: string }>(
      "select status from invoices where id = $1",
      invoice("due-on-no-day").id,
    );
    assert.equal(late?.status, "overdue");
    const [customer] = await api.query<{ standing: string }>(
      "select standing from customers where id = $1",
      invoice("open").customer_id,
    );
    assert.equal(customer?.standing, "overdue");
    assert.deepEqual(await faultsOf(api), []);
  });
});
