import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { generateMasterKey } from "../platform/secrets.ts";
import { readConfig } from "./config.ts";
import { openDatabaseAndKeys } from "./database-and-keys.ts";

test("a standby that has not been promoted yet is waited for", async (t) => {
  const { url } = await cloneDatabase(t);
  const name = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.on("error", () => {});
  t.after(() => client.end());
  // As a standby, it refuses every write.
  await client.query(`alter database ${name} set default_transaction_read_only = on`);
  const logged: string[] = [];
  const opened = await openDatabaseAndKeys(readConfig({ DATABASE_URL: url, SECRET_KEY: generateMasterKey() }), {
    databaseWaitMs: 60_000,
    log(message) {
      logged.push(message);
      void client.query(
        `set default_transaction_read_only = off; alter database ${name} set default_transaction_read_only = off`,
      );
    },
    warn: () => {},
    lost: () => {},
  });
  assert.deepEqual(opened.migrated, []);
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /^Waiting for the database .*read-only transaction$/);
});
