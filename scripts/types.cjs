/*
 * Our TypeScript is loaded from copies without its types (decisions.md#no-build). Node would strip them at each start by a compiler that
 * takes as long as all other loading and stays in memory (24 MB); so a separate process makes the copies when one is missing, and they are
 * kept. `node scripts/types.cjs` makes them all.
 */
const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { registerHooks, stripTypeScriptTypes } = require("node:module");
const { join } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");

const ROOT = join(__dirname, "..");
const OURS = new RegExp(`^${pathToFileURL(ROOT).href}/(bench|clients|scripts|src|test)/.*\\.ts$`);
const KEPT = join(ROOT, "node_modules/.cache/tefo-types");

/** A copy is named by its source's hash, so it is never out of date. */
const nameOf = (source) => `${createHash("sha256").update(process.version).update(source).digest("hex")}.js`;

function findCopy(name) {
  try {
    return readFileSync(join(KEPT, name));
  } catch {
    return null;
  }
}

/** Makes the missing copies, and removes those without a file. */
function makeCopies() {
  mkdirSync(KEPT, { recursive: true });
  const unused = new Set(readdirSync(KEPT).filter((name) => name.endsWith(".js")));
  for (const path of globSync("{bench,clients,scripts,src,test}/**/*.ts", { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, path), "utf8");
    const name = nameOf(source);
    if (unused.delete(name)) continue;
    const partial = join(KEPT, `${name}.${process.pid}`);
    writeFileSync(partial, stripTypeScriptTypes(source));
    renameSync(partial, join(KEPT, name));
  }
  for (const name of unused) rmSync(join(KEPT, name), { force: true });
}

if (require.main === module) makeCopies();
else {
  let tried = false;
  registerHooks({
    load(url, context, next) {
      if (!OURS.test(url)) return next(url, context);
      const name = nameOf(readFileSync(fileURLToPath(url)));
      let source = findCopy(name);
      if (source === null && !tried) {
        tried = true;
        spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", __filename]);
        source = findCopy(name);
      }
      // Where no copy can be stored, as in a read-only folder, Node strips the types itself.
      return source === null ? next(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
}
