import pg from "pg";
import { TABLES } from "../src/catalogue.ts";
import { createClone, dropClone, SERVER_VARIABLE, startTestServer } from "../test/support/postgres.ts";
import { erasureFunctions } from "./generated/erasure.ts";
import { putGenerated } from "./generated/file.ts";
import { receiptsFunction } from "./generated/receipts.ts";
import { rowTypes } from "./generated/rows.ts";
import { schemaText } from "./generated/schema.ts";

/*
 * node scripts/rows.ts [--check]: writes the functions of the database that erase and that select receipts, then src/domain/rows.ts and schema.sql from a freshly
 * migrated database, or compares them and ends with 1 when any differs.
 */

const compare = process.argv.includes("--check");
for (const [path, text] of [...erasureFunctions(TABLES), ...receiptsFunction()])
  if (!putGenerated(path, text, compare, "npm run generate")) process.exitCode = 1;
const given = process.env[SERVER_VARIABLE];
const server = given === undefined ? await startTestServer().catch(refuse) : { url: given, stop: async () => {} };
try {
  const url = await createClone(server.url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const same = [
      putGenerated("src/domain/rows.ts", await rowTypes(client), compare, "npm run generate"),
      putGenerated("schema.sql", await schemaText(client), compare, "npm run generate"),
    ];
    if (same.includes(false)) process.exitCode = 1;
  } finally {
    await client.end();
    await dropClone(server.url, url);
  }
} finally {
  await server.stop();
}

/** Ends the program with one line, without a stack. */
function refuse(error: Error): never {
  console.error(error.message);
  process.exit(1);
}
