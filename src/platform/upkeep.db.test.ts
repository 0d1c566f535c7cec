import { machineNow } from "./machine-clock.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { addSeconds } from "../kernel/time.ts";
import { openDatabase } from "./database.ts";
import { upkeep } from "./upkeep.ts";

const DAY = 86_400;
const digits = (date: Date, length: number) => date.toISOString().slice(0, 10).replaceAll("-", "").slice(0, length);

test("creates partitions of the next weeks, drops those past retention, deletes old windows; two at once are harmless", async (t) => {
  const { url } = await cloneDatabase(t);
  const db = openDatabase(url, { connections: 4 });
  const superuser = new pg.Client({ connectionString: url });
  superuser.on("error", () => {}); // cut off with the database
  await superuser.connect();
  t.after(async () => {
    await db.close();
    await superuser.end();
  });
  const exists = async (table: string) =>
    (await superuser.query<{ found: boolean }>("select to_regclass($1) is not null as found", [table])).rows[0]?.found;
  const now = machineNow();
  const seconds = Math.floor(now.getTime() / 1000);
  await superuser.query("insert into rate_windows values ('old', $1, 1), ('an hour old', $2, 1)", [
    seconds - DAY - 60,
    seconds - 3600,
  ]);

  await Promise.all([upkeep(db, now), upkeep(db, now)]);
  const { rows } = await superuser.query<{ scope: string }>("select scope from rate_windows");
  assert.deepEqual(rows, [{ scope: "an hour old" }]);

  const later = addSeconds(now, 60 * DAY);
  assert.equal(await exists(`idempotency_keys_${digits(now, 8)}`), true);
  await upkeep(db, addSeconds(now, 7 * DAY));
  assert.equal(await exists(`request_log_${digits(now, 8)}`), true, "kept for seven days");
  await upkeep(db, addSeconds(now, 8 * DAY));
  assert.equal(await exists(`request_log_${digits(now, 8)}`), false);
  await Promise.all([upkeep(db, later), upkeep(db, later)]);
  assert.equal(await exists(`idempotency_keys_${digits(addSeconds(later, 7 * DAY), 8)}`), true);
  assert.equal(await exists(`idempotency_keys_${digits(now, 8)}`), false, "kept for two days");
  assert.equal(await exists(`request_log_${digits(addSeconds(later, 7 * DAY), 8)}`), true);
  for (const parent of ["events", "webhook_deliveries", "audit_log"])
    assert.equal(await exists(`${parent}_${digits(addSeconds(later, 28 * DAY), 6)}`), true, parent);
  assert.equal(await exists(`events_${digits(now, 6)}`), true, "kept for thirteen months");
  await upkeep(db, addSeconds(now, 430 * DAY));
  assert.equal(await exists(`events_${digits(now, 6)}`), false);
  assert.equal(await exists(`audit_log_${digits(now, 6)}`), true, "kept for five years");
});

test("brings together the sums that connections keep apart, and leaves what is being written", async (t) => {
  const { url } = await cloneDatabase(t);
  const db = openDatabase(url, { connections: 2 });
  const clients: pg.Client[] = [];
  t.after(async () => {
    await db.close();
    await Promise.all(clients.map((client) => client.end()));
  });
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {}); // cut off with the database
    await client.connect();
    clients.push(client);
    await client.query("set lock_timeout = '2s'");
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    return { client, remainder: (rows[0]?.pid ?? 0) % 64 };
  };
  const organisation = `org_${"0".repeat(26)}`;
  const add = (client: pg.Client, figure: string, cents: number, records: number) =>
    client.query("select add_to_day($1, $2, 'ZAR', '2027-03-01', $3, $4)", [organisation, figure, cents, records]);
  // Of two whose process ids are alike: sums were once kept by the remainder.
  const alike = new Map<number, pg.Client>();
  let [one, other]: (pg.Client | undefined)[] = [];
  while (!one || !other) {
    const { client, remainder } = await connect();
    one = alike.get(remainder);
    other = client;
    alike.set(remainder, client);
  }
  const [first, second] = [one, other];
  // The organisation is made up.
  await first.query("alter table day_sums drop constraint day_sums_organisation_id_fkey");
  const kept = async () =>
    (
      await first.query<{ row: string }>(
        "select concat_ws(' ', figure, slot > 0, amount_cents, records) as row from day_sums order by figure, slot",
      )
    ).rows.map(({ row }) => row);

  await add(first, "open", 700, 2);
  await add(first, "collected", 50, 1);
  // Neither waits for the other.
  await second.query("begin");
  await add(second, "open", 300, 1);
  await add(first, "open", 1, 0);
  await add(first, "collected", -50, -1);
  await Promise.all([upkeep(db, machineNow()), upkeep(db, machineNow())]);
  assert.deepEqual(await kept(), ["open f 701 2"], "a sum of nothing goes");
  await second.query("commit");
  assert.deepEqual(await kept(), ["open f 701 2", "open t 300 1"]);
  await upkeep(db, machineNow());
  assert.deepEqual(await kept(), ["open f 1001 3"]);
});
