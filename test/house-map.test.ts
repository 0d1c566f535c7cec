import assert from "node:assert/strict";
import { test } from "node:test";
import { houseMap, strayRooms } from "./support/house-map.ts";
import { parseSource, readSources } from "./support/source.ts";

const product = readSources("src");

/** So many are named where a count has risen. */
const FEW = 20;

/** What is counted of these files, in the order of the map. */
const countsOf = (files: Readonly<Record<string, string>>): string[][] =>
  houseMap(Object.entries(files).map(([path, text]) => parseSource(path, text))).map(({ found }) => [...found]);

test("the map counts rooms that reach each other, arrows to higher areas, foreign tables, small files and long lines", () => {
  const [knot, pairs, back, reads, small, long] = countsOf({
    "src/flows/context.ts": 'import type { Purpose } from "./payments/purpose.ts";',
    "src/flows/payments/purpose.ts": 'import type { Ctx } from "../context.ts";\nimport "../mandates/sign.ts";',
    "src/flows/mandates/sign.ts": 'import "../payments/purpose.ts";\nimport "../mail/x.ts";',
    "src/flows/mail/x.ts": `const text = "${"x".repeat(140)}";\n${"\n".repeat(20)}export {};`,
    "src/modules/quotes/store.ts":
      "// Writes: quotes. Reads: customers (short object; of it),\n// invoices, due_work, quote_lines.\n",
    "src/modules/quotes/store/lines.ts": "// Writes nothing. Reads: customers.\n",
    "src/modules/quotes/record.ts":
      "// Writes nothing. Reads: quotes.\n({\n  tables: {\n    quote_lines: {},\n  },\n});\n",
    "src/modules/invoices/store.ts": "// Writes: invoices, quote_lines. Reads nothing else.\n",
    "src/modules/customers/record.ts":
      "// Writes nothing. Reads: customers.\n({\n  tables: {\n    customers: {},\n  },\n});\n",
    "src/modules/quotes/verify.ts": "// Writes nothing. Reads: transactions.\n",
  });
  assert.deepEqual(knot, ["context*", "payments", "mandates"]);
  assert.deepEqual(pairs, ["context* ↔ payments", "mandates ↔ payments"]);
  assert.deepEqual(back, ["context* → payments (1)", "payments → mandates (1)"]);
  assert.deepEqual(reads, ["quotes: customers", "quotes: invoices"]);
  assert.deepEqual(small, ["src/flows/context.ts", "src/flows/mandates/sign.ts"]);
  assert.deepEqual(long, ["src/flows/mail/x.ts:1"]);
});

test("every room of src/flows stands in one area", () =>
  assert.deepEqual(
    strayRooms(product),
    [],
    "name a new folder of src/flows in its area, in AREAS of test/support/house-map.ts; take out one that is gone",
  ));

for (const { what, found, most } of houseMap(product))
  test(`${what}: ${most}`, () =>
    assert.equal(
      found.length,
      most,
      found.length > most
        ? `change what your branch adds; npm run check -- --map --all lists them${found.length > FEW ? "" : `: ${found.join(", ")}`}`
        : "lower the count in test/support/house-map.ts: they are fewer",
    ));
