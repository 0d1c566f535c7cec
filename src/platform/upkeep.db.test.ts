import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { addSeconds } from "../kernel/time.ts";
import { openDatabase } from "./database.ts";
import { machineNow } from "./machine-clock.ts";
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
  await upkeep(db, addSeconds(now, 30 * DAY));
  assert.equal(await exists(`request_log_${digits(now, 8)}`), true, "kept for thirty days");
  await upkeep(db, addSeconds(now, 31 * DAY));
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
