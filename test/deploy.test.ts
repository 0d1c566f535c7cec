import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

/* The files of deploy/, which operators load into their own tools. */

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const ALERTS = "deploy/prometheus/tefo-alerts.yml";

test("the board and the alerts name metrics that there are", () => {
  const made = new Set(
    [...read("src/platform/metrics.ts").matchAll(/name: "(tefo_\w+)"/g)].map(([, name = ""]) => name),
  );
  assert.ok(made.size > 8);
  for (const path of [ALERTS, ...readdirSync(join(ROOT, "deploy/grafana")).map((name) => `deploy/grafana/${name}`)]) {
    const named = new Set([...read(path).matchAll(/\btefo_\w+/g)].map(([name]) => name));
    assert.ok(named.size > 4, path);
    const unknown = [...named].filter((name) => !made.has(name.replace(/_(bucket|count|sum)$/, "")));
    assert.deepEqual(unknown, [], path);
  }
});

test("each panel of the board asks one thing, and no two panels lie on one another", () => {
  const { panels } = JSON.parse(read("deploy/grafana/tefo.json")) as {
    panels: { title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
  };
  assert.equal(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size, panels.length);
  for (const { title, targets } of panels) assert.equal(targets.length, 1, title);
});

test("each alert says in the docs what to do", () => {
  const names = [...read(ALERTS).matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const docs = [...read("docs/operators/processes.md").matchAll(/^\| `(Tefo\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(docs, names);
});

test("the containers get every variable of the configuration", () => {
  const named = [...read("docs/operators/configuration.md").matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)].flatMap(
    ([, names = ""]) => [...names.matchAll(/[A-Z_]+/g)].map(([name]) => name),
  );
  // The image says where it listens and keeps its files; the embedded database does not run in containers.
  const fixed = new Set(["HOST", "DATA_DIR", "BACKUP_DIR", ...named.filter((name) => name.startsWith("AWS_"))]);
  const passed = read("compose.yaml");
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((name) => !fixed.has(name) && !passed.includes(`\${${name}`)),
    [],
  );
});

test("Prometheus's own tool accepts the rules", (t) => {
  if (spawnSync("promtool", ["--version"]).status !== 0)
    return t.diagnostic("promtool is not on this machine: left out");
  execFileSync("promtool", ["check", "rules", join(ROOT, ALERTS)]);
});

test("the image has what the documentation is made from", () => {
  const left = read(".dockerignore").split("\n").filter(Boolean);
  const removed = read("Dockerfile").split("rm -rf ")[1]?.split(" \\")[0]?.split(" ") ?? [];
  for (const needed of ["docs", "clients", "openapi.json", "CHANGELOG.md", "CONTRIBUTING.md"])
    assert.ok(![...left, ...removed].some((path) => path === needed || path === "**/*.md"), needed);
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  assert.ok(dependencies["marked"]);
});
