import assert from "node:assert/strict";
import { test } from "node:test";
import { openApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import { importFile, openReconciling } from "../support/reconciliation.ts";

/** The most that a file may hold: its import is the longest transaction that a client can cause. */
const LINES = 150_000;

const inHours = (hours: number) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();

test("a clock is moved beside an import of the largest statement", { timeout: 280_000 }, async (t) => {
  const api = await openApi();
  t.after(() => api.close());
  const shop = await openReconciling(api);
  const day = NOW.slice(0, 10);
  const rows = Array.from({ length: LINES }, (_, at) => `${day},Line ${at},${1 + (at % 90)}`);
  const csv = ["date,description,amount", ...rows, ""].join("\n");
  let importing = true;
  const imported = importFile(shop.staff, csv).finally(() => {
    importing = false;
  });
  const owner = await shop.merchant.signIn();
  let moves = 0;
  for (let hour = 1; importing; hour++) {
    const { status, text } = await owner("POST", "/test-clock", { now: inHours(hour) });
    assert.equal(status, 200, text);
    moves++;
  }
  assert.equal((await imported).status, 201);
  assert.ok(moves > 1, "the clock was moved meanwhile");
});
