import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../../test/support/database.ts";
import { openDatabase } from "../../platform/database.ts";
import { foldDaySums } from "./store.ts";

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
  await Promise.all([foldDaySums(db), foldDaySums(db)]);
  assert.deepEqual(await kept(), ["open f 701 2"], "a sum of nothing goes");
  await second.query("commit");
  assert.deepEqual(await kept(), ["open f 701 2", "open t 300 1"]);
  await foldDaySums(db);
  assert.deepEqual(await kept(), ["open f 1001 3"]);
});
