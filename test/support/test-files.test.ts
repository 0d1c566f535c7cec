import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSource } from "./source.ts";
import { needWebApp, touchedTestFiles } from "./test-files.ts";

const FILES: Readonly<Record<string, string>> = {
  "src/kernel/money.ts": "export const cents = 1;",
  "src/kernel/money.test.ts": 'import { cents } from "./money.ts";',
  "src/platform/migrations.ts": "",
  "src/templates/pages/assets.ts": "",
  "src/templates/pages/assets.test.ts": 'import "./assets.ts";',
  "src/bin/serve.ts": 'await import("../kernel/money.ts");\nimport "../app/serve.ts";',
  "src/app/serve.ts": "",
  "test/support/browser.ts": "",
  "test/support/dashboard.ts": 'import "./browser.ts";',
  "test/support/postgres.ts": 'export * from "../../src/platform/migrations.ts";',
  "test/support/processes.ts": 'spawn("node", ["src/bin/serve.ts"]);',
  "test/api/pay.db.test.ts": 'import type { Server } from "../support/postgres.ts";',
  "test/serve.db.test.ts": 'import "./support/processes.ts";',
  "dashboard/src/lib/money.ts": "",
  "dashboard/src/lib/money.test.ts": 'import "./money.ts";',
  "test/browser/dashboard.db.test.ts": 'import "../support/dashboard.ts";',
  "test/tidy.test.ts": "",
};
const code = Object.entries(FILES).map(([path, text]) => parseSource(path, text));
const tests = Object.keys(FILES)
  .filter((path) => path.endsWith(".test.ts"))
  .sort();

for (const { what, changed, touched } of [
  { what: "nothing", changed: [], touched: [] },
  {
    what: "a file of code: what imports it, and what starts a program that does",
    changed: ["src/kernel/money.ts"],
    touched: ["src/kernel/money.test.ts", "test/serve.db.test.ts"],
  },
  { what: "a test: itself", changed: ["test/api/pay.db.test.ts"], touched: ["test/api/pay.db.test.ts"] },
  {
    what: "a migration: what has a database",
    changed: ["migrations/0009-x.sql"],
    touched: ["test/api/pay.db.test.ts"],
  },
  {
    what: "a style sheet: what is served from the folder above it",
    changed: ["src/templates/pages/assets/pay.css"],
    touched: ["src/templates/pages/assets.test.ts"],
  },
  {
    what: "the web app: its own tests, and those that open it",
    changed: ["dashboard/src/lib/money.ts"],
    touched: ["dashboard/src/lib/money.test.ts", "test/browser/dashboard.db.test.ts"],
  },
  { what: "a page of the documents", changed: ["docs/states.md"], touched: [] },
  { what: "a dependency: everything", changed: ["package-lock.json"], touched: tests },
])
  test(`a change touches: ${what}`, () => {
    const whole = changed.length > 0 ? ["test/tidy.test.ts"] : [];
    assert.deepEqual(touchedTestFiles(changed, code, tests), [...new Set([...touched, ...whole])].toSorted());
  });

for (const { what, files, needed } of [
  { what: "nothing for rules", files: ["src/kernel/money.test.ts"], needed: false },
  { what: "nothing for the API in the test's process", files: ["test/api/pay.db.test.ts"], needed: false },
  {
    what: "the web app for pages",
    files: ["src/kernel/money.test.ts", "test/browser/dashboard.db.test.ts"],
    needed: true,
  },
  { what: "the web app for a process of the service", files: ["test/serve.db.test.ts"], needed: true },
])
  test(`a run builds ${what}`, () => {
    assert.equal(
      needWebApp(files, (path) => FILES[path] ?? ""),
      needed,
    );
  });
