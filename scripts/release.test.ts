import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../test/support/processes.ts";
import { notesOf, release } from "./release.ts";

const ROOT = join(import.meta.dirname, "..");

test("the notes are the changelog's section of the version alone", () => {
  const changelog = "# Changelog\n\n## 1.1.0\n\nNewer.\n\n## 1.1.0-rc.1\n\n### Part\n\n- Old ## 1.1.0\n";
  assert.equal(notesOf("1.1.0", changelog), "Newer.\n");
  assert.equal(notesOf("1.1.0-rc.1", changelog), "### Part\n\n- Old ## 1.1.0\n");
  assert.equal(notesOf("1.0.0", changelog), null);
});

test("a release has archives whose sums fit, notes and a tag; it is made of committed files alone, and once", async (t) => {
  const home = await temporaryFolder(t);
  const root = join(home, "clone");
  execFileSync("git", ["clone", "--quiet", "--depth=1", "--no-tags", `file://${ROOT}`, root]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.co.za", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  git("config", "user.name", "t");
  git("config", "user.email", "t@example.co.za");
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const out = join(home, "out");
  const asked = { root, out, image: null, tag: true };

  writeFileSync(join(root, "new.txt"), "not committed");
  assert.throws(() => release(asked), /changes that are not committed/);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Committed");
  const composer = readFileSync(join(root, "clients/php/composer.json"), "utf8");
  writeFileSync(join(root, "clients/php/composer.json"), composer.replace(version, "0.0.1"));
  git("commit", "--quiet", "--all", "--message", "Another version");
  assert.throws(() => release(asked), /^Error: clients\/php\/composer\.json: the version is not/);
  git("reset", "--quiet", "--hard", "HEAD~1");
  assert.throws(() => readdirSync(out), { code: "ENOENT" });

  const files = release(asked);
  assert.deepEqual(files, [
    "NOTES.md",
    `tefo-${version}.tar.gz`,
    `tefo-chart-${version}.tgz`,
    `tefo-cli-${version}.tgz`,
    `tefo-client-${version}.tgz`,
    `tefo-php-${version}.tgz`,
    `tefo-python-${version}.tgz`,
    "SHA256SUMS",
  ]);
  assert.deepEqual(readdirSync(out).toSorted(), files.toSorted());
  execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out, stdio: "pipe" });
  const listed = (file: string) => execFileSync("tar", ["-tzf", join(out, file)], { encoding: "utf8" }).split("\n");
  assert.ok(listed(`tefo-${version}.tar.gz`).includes(`tefo-${version}/src/bin/serve.ts`));
  assert.ok(listed(`tefo-chart-${version}.tgz`).includes("tefo/Chart.yaml"));
  assert.ok(listed(`tefo-client-${version}.tgz`).includes("package/dist/esm/index.js"));
  assert.ok(listed(`tefo-cli-${version}.tgz`).includes("package/dist/cli/src/main.js"));
  assert.ok(listed(`tefo-python-${version}.tgz`).includes(`tefo-python-${version}/pyproject.toml`));

  const notes = readFileSync(join(out, "NOTES.md"), "utf8");
  assert.equal(git("tag", "--list", "--format=%(contents)", `v${version}`).trim(), notes.trim());
  mkdirSync(join(home, "again"));
  assert.throws(() => release({ ...asked, out: join(home, "again") }), /The tag v\S+ is there already/);
  assert.throws(() => release({ ...asked, tag: false }), /is not empty/);
});
