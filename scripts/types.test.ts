import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

/** Makes a tree with these files under `src`. Answers its folder, and a function that runs `src/main.ts` there and answers its output. */
function makeTree(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "tefo-test-types-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const folder of ["scripts", "src", "node_modules"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  cpSync(join(import.meta.dirname, "types.cjs"), join(root, "scripts/types.cjs"));
  const copies = join(root, "node_modules/.cache/tefo-types");
  return {
    root,
    copies: () => readdirSync(copies).sort(),
    write: (name: string, text: string) => writeFileSync(join(root, "src", name), text),
    run() {
      const args = ["--require", "./scripts/types.cjs", "src/main.ts"];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
      return { status, stdout, stderr };
    },
  };
}
const said = (stdout: string) => ({ status: 0, stdout, stderr: "" });
/** Whether the compiler was loaded: the heap's list of Node's own modules names it. */
const MAIN = `
  import { part } from "./part.ts";
  const text: string = part;
  const loaded = process.moduleLoadList.some((name: string) => name.includes("amaro"));
  console.log(text, loaded ? "with the compiler" : "without the compiler");
`;

test("types are stripped once: a process loads the copies, and the compiler never", (t) => {
  const tree = makeTree(t);
  tree.write("main.ts", MAIN);
  tree.write("part.ts", 'export const part: string = "one";');
  assert.deepEqual(tree.run(), said("one without the compiler\n"));
  const copies = tree.copies();
  assert.equal(copies.length, 2);
  assert.deepEqual(tree.run(), said("one without the compiler\n"));
  assert.deepEqual(tree.copies(), copies);
});

test("a changed file gets a new copy, and the old one is removed", (t) => {
  const tree = makeTree(t);
  tree.write("main.ts", MAIN);
  tree.write("part.ts", 'export const part: string = "one";');
  tree.run();
  const before = tree.copies();
  tree.write("part.ts", 'export const part: string = "two";');
  assert.deepEqual(tree.run(), said("two without the compiler\n"));
  const after = tree.copies();
  assert.equal(after.length, 2);
  assert.equal(after.filter((name) => before.includes(name)).length, 1);
});

test("where no copy can be stored, Node strips the types", (t) => {
  const tree = makeTree(t);
  tree.write("main.ts", MAIN);
  tree.write("part.ts", 'export const part: string = "one";');
  writeFileSync(join(tree.root, "node_modules/.cache"), "a file where the folder would be");
  assert.deepEqual(tree.run(), said("one with the compiler\n"));
});

test("Node refuses a file that cannot be stripped, with the position", (t) => {
  const tree = makeTree(t);
  tree.write("main.ts", "\nenum Colour { Red }\n");
  const { status, stderr } = tree.run();
  assert.equal(status, 1);
  assert.match(stderr, /main\.ts:2\n(.|\n)*enum is not supported/);
});
