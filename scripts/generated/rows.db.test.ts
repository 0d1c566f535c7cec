import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { rowTypes } from "./rows.ts";

test("columns of a new table have the kernel's types by name, type and check constraint", async (t) => {
  const { url } = await cloneDatabase(t);
  const superuser = new pg.Client({ connectionString: url });
  superuser.on("error", () => {}); // cut off with the database
  await superuser.connect();
  t.after(() => superuser.end());
  await superuser.query(`create table samples (
    organisation_id text not null, id text not null check (id like 'smp\\_%'), status text not null check (status in ('issued', 'used')),
    customer_id text, amount_cents bigint not null, metadata jsonb not null, used_at timestamptz)`);
  await superuser.query("create table sample_payments (transaction_id text not null, sample_id text not null)");
  const types = await rowTypes(superuser);
  const row = (name: string) =>
    new RegExp(`interface ${name} \\{\\n([^}]*)\\}`)
      .exec(types)?.[1]
      ?.trim()
      .split(/\s*\n\s*/);
  assert.deepEqual(row("SamplePaymentsRow"), [
    "readonly transaction_id: TransactionId;",
    'readonly sample_id: Id<"smp">;',
  ]);
  assert.deepEqual(row("SamplesRow"), [
    "readonly organisation_id: OrganisationId;",
    'readonly id: Id<"smp">;',
    'readonly status: "issued" | "used";',
    "readonly customer_id: CustomerId | null;",
    "readonly amount_cents: Cents;",
    "readonly metadata: Metadata;",
    "readonly used_at: Instant | null;",
  ]);
});
