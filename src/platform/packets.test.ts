import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";

/* Packets rest on parts of `pg` that its documentation does not name (decisions.md#one-packet-a-turn). */

test("the version of pg is exact: another one is tried with the database tests of packets first", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.match(dependencies.pg, /^\d+\.\d+\.\d+$/);
});

test("a connection of pg sends the messages of the extended protocol, and names what the server has prepared", () => {
  const { connection } = new pg.Client() as pg.Client & {
    readonly connection: pg.Connection & { readonly parsedStatements: unknown };
  };
  for (const message of ["parse", "bind", "describe", "execute", "sync"] as const)
    assert.equal(typeof connection[message], "function", message);
  assert.deepEqual({ ...(connection.parsedStatements as object) }, {});
  assert.equal(typeof connection.stream.cork, "function");
});

test("a client of pg passes the server's answers to the submitted query by these handlers", () => {
  const client = readFileSync(new URL(import.meta.resolve("pg/lib/client.js")), "utf8");
  for (const handler of [
    "handleRowDescription",
    "handleDataRow",
    "handleCommandComplete",
    "handleError",
    "handleReadyForQuery",
  ])
    assert.match(client, new RegExp(`\\.${handler}\\(`), handler);
  assert.match(client, /parsedStatements\[/);
});
