import { lineAt } from "./source.ts";
import type { Finding } from "./tidy-imports.ts";

/** A file as text. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

const TEXT_FILE =
  /\.(ts|tsx|js|mjs|cjs|json|sql|md|yaml|yml|css|html|svg|sh|txt)$|(^|\/)(Dockerfile|\.npmrc|\.ci\/run)$/;

/** Whether the rules about text apply: everything written by hand except the list of packages. */
export const isText = (path: string): boolean => TEXT_FILE.test(path) && path !== "package-lock.json";

function matches(files: readonly TextFile[], pattern: RegExp, mend: (found: string) => string): Finding[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({
      file: path,
      line: lineAt(text, match.index),
      mend: mend(match[0].trim()),
    })),
  );
}

/** Words that mark unfinished work. They are composed here, so that this file does not contain them. */
const UNFINISHED = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X".repeat(3)].join("|")})\\b`, "g");

/** Marks of unfinished work. */
export const unfinishedFindings = (files: readonly TextFile[]): Finding[] =>
  matches(files, UNFINISHED, (found) => `${found}: finish it, or write an issue and delete the note`);

const HERE = new RegExp(
  `(?<![\\w.~/-])/(${["wo" + "rk", "ro" + "ot", "ho" + "me", "Us" + "ers"].join("|")})/[\\w.-]+|\\b${"regis" + "try"}\\.[a-z0-9-]+\\.[a-z]{2,}|^\\s*(@[\\w-]+:)?${"regis" + "try"}\\s*=`,
  "gm",
);

/** Paths of one machine and hosts of package registries: the product must build anywhere. */
export const machineFindings = (files: readonly TextFile[]): Finding[] =>
  matches(files, HERE, (found) => `${found}: the product must not know the machine it is built on`);

const MODULE_FILE =
  /^(types|states|rules|store|record|view|schema|declarations|verify)(\.[\w-]+)?(\.db)?(\.test)?\.ts$/;
const MODULE_FOLDERS = new Set(["rules", "schema", "store"]);

/** Files of a module outside the fixed set (CONTRIBUTING.md, Layout); tests may carry a topic: `rules.vat.test.ts`. */
export const moduleFileFindings = (paths: readonly string[]): Finding[] =>
  paths
    .filter((path) => path.startsWith("src/modules/"))
    .filter((path) => {
      const [name = "", ...rest] = path.split("/").slice(3);
      if (rest.length > 0) return !MODULE_FOLDERS.has(name);
      const isTest = name.endsWith(".test.ts");
      return !(isTest ? MODULE_FILE.test(name) : /^\w+\.ts$/.test(name) && MODULE_FILE.test(name));
    })
    .map((file) => ({
      file,
      line: 1,
      mend: "a module holds types, states, rules, store, record, view, schema, declarations and verify, and the folders rules, schema and store",
    }));

/** Tests through the API that stand beside an endpoint (CONTRIBUTING.md, Tests). */
export const misplacedTests = (paths: readonly string[]): Finding[] =>
  paths
    .filter((path) => /^src\/http\/resources\/.*\.db\.test\.ts$/.test(path))
    .map((file) => ({ file, line: 1, mend: "tests of a resource through the API stand in test/api" }));

/** Files of a module beside a folder of the same name: what belongs to neither alone is looked for in both. */
export const twoHomeFindings = (paths: readonly string[]): Finding[] => {
  const folders = new Set(paths.map((path) => path.split("/").slice(0, 4).join("/")));
  return paths
    .filter((path) => /^src\/modules\/[^/]+\/\w+\.ts$/.test(path) && folders.has(path.slice(0, -3)))
    .map((file) => ({ file, line: 1, mend: "move it into the folder beside it, named by its subject" }));
};

interface Lock {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/** Optional packages for other platforms that the lock file leaves out; `npm ci` refuses such a file. */
export function missingFromLock(lock: Lock): string[] {
  const listed = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)));
  return Object.values(lock.packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !listed.has(name));
}

/**
 * Functions of the database, by their files, that are called by no text of `others`, by no other function, and by no
 * trigger or statement of their own file.
 */
export function uncalledFunctions(functions: readonly TextFile[], others: readonly string[]): string[] {
  return functions
    .map(({ path, text }) => ({ name: path.replace(/^.*\/|\.sql$/g, ""), text }))
    .filter(({ name, text }) => {
      const call = new RegExp(`\\b${name}\\(`);
      const isItsOwn = new RegExp(`execute function ${name}\\(|^select ${name}\\(`, "m").test(text);
      return (
        !isItsOwn &&
        ![...others, ...functions.filter((one) => one.text !== text).map((one) => one.text)].some((one) =>
          call.test(one),
        )
      );
    })
    .map(({ name }) => name);
}
