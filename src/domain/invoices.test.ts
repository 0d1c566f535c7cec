import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { INVOICE_STATUSES } from "../modules/invoices/types.ts";
import { IN_OPEN, isOpen, OPEN_ARRAY, OPEN_STATUSES } from "./invoices.ts";

const statusesIn = (sql: string): string[] =>
  [...sql.matchAll(/\w+/g)]
    .map(([word]) => word)
    .filter((word) => (INVOICE_STATUSES as readonly string[]).includes(word));

test("an invoice is open when its status is one of the open ones", () => {
  assert.deepEqual(
    INVOICE_STATUSES.filter((status) => isOpen({ status })),
    [...OPEN_STATUSES],
  );
});

test("the open statuses are the same in SQL", () => {
  for (const { strings } of [IN_OPEN, OPEN_ARRAY]) assert.deepEqual(statusesIn(strings.join("")), [...OPEN_STATUSES]);
});

test("the indexes of open invoices have the open statuses", () => {
  const schema = readFileSync("schema.sql", "utf8").split("\n");
  const indexes = schema.filter((line) => /^CREATE INDEX invoices_(?:open|missed) /.test(line));
  assert.equal(indexes.length, 2);
  for (const index of indexes) {
    const condition = index.slice(index.indexOf(" WHERE "));
    assert.deepEqual(statusesIn(condition), [...OPEN_STATUSES], index);
  }
});
