import assert from "node:assert/strict";
import { test } from "node:test";
import { tree, where } from "./support/findings.ts";
import { readSources } from "./support/source.ts";
import { dashboardFindings } from "./support/tidy-dashboard.ts";
import { cycleFindings } from "./support/tidy-imports.ts";

test("imports of the dashboard go down its own layers, and never between resources", () => {
  const sample = tree({
    "dashboard/src/resources/quotes/list.tsx":
      'import { a } from "../invoices/form.tsx";\nimport { b } from "../../components/b.tsx";\nimport { c } from "../../app/c.ts";',
    "dashboard/src/components/b.tsx": 'import { a } from "../api/a.ts";\nimport { d } from "../../../src/kernel/d.ts";',
    "dashboard/src/api/a.ts": 'export * from "../components/b.tsx";',
    "dashboard/src/app/c.ts": 'import { e } from "../resources/quotes/list.tsx";\nimport "../lib/f.ts";',
  });
  assert.deepEqual(where(dashboardFindings(sample)), [
    "dashboard/src/resources/quotes/list.tsx:1",
    "dashboard/src/resources/quotes/list.tsx:3",
    "dashboard/src/components/b.tsx:2",
    "dashboard/src/api/a.ts:1",
    "dashboard/src/app/c.ts:1",
  ]);
  const dashboard = readSources("dashboard").filter(({ path }) => path.startsWith("dashboard/src/"));
  assert.deepEqual([...dashboardFindings(dashboard), ...cycleFindings(dashboard)], []);
});

test("addresses of the dashboard in mails are those of its pages", () => {
  const pages = new Set(["invitations", "reset-password"]);
  for (const { path, text } of readSources("dashboard"))
    if (path.endsWith("/routes.ts")) pages.add(/^ {2}name: "([\w-]+)"/m.exec(text)?.[1] ?? path);
  const code = readSources("src").filter(({ path }) => !path.endsWith(".test.ts"));
  const named = code.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:baseUrl\}|path.{0,9}[`"]|\(["`])\/dashboard\/(?!api\b)([\w-]+)/g)].map(([, page = ""]) => ({
      path,
      page,
    })),
  );
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter(({ page }) => !pages.has(page)),
    [],
  );
});
