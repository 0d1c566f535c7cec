import { dirname, join } from "node:path/posix";
import { Visitor } from "oxc-parser";
import { isTestFile, lineAt, type Source } from "./source.ts";

/** A broken rule, to be printed. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly mend: string;
}

/** Ranks of the layers (docs/architecture.md, Layers). A folder may import from folders of a higher rank and from itself. */
const RANKS: Readonly<Record<string, number>> = {
  bin: 0,
  app: 1,
  catalogue: 2,
  http: 3,
  worker: 3,
  flows: 4,
  templates: 5,
  modules: 6,
  gateways: 6,
  events: 7,
  domain: 8,
  platform: 9,
  kernel: 10,
};

/** Where a package may be imported. Packages not named here may be used by every layer but the kernel. */
const PACKAGE_HOMES: readonly { packages: RegExp; homes: RegExp; mend: string }[] = [
  { packages: /^pg$/, homes: /^src\/platform\//, mend: "only src/platform talks to PostgreSQL; take a `tx`" },
  { packages: /^nodemailer$/, homes: /^src\/platform\//, mend: "only src/platform sends mail" },
  {
    packages: /^sharp$/,
    homes: /^src\/platform\/(pdf\/|qr-code)/,
    mend: "pictures are decoded in src/platform/pdf/picture.ts, and drawn in src/platform/qr-code.ts",
  },
  { packages: /^pdfkit$/, homes: /^src\/platform\//, mend: "only src/platform draws PDFs" },
  {
    packages: /^@opentelemetry\//,
    homes: /^src\/platform\/tracing\.ts$/,
    mend: "spans are made in src/platform/tracing.ts only",
  },
  { packages: /^file-type$/, homes: /^src\/platform\//, mend: "only src/platform looks into files" },
  {
    packages: /^@fastify\/multipart$/,
    homes: /^src\/http\/uploads\.ts$/,
    mend: "uploads are read in src/http/uploads.ts only, within limits",
  },
  { packages: /^(fastify|@fastify\/)/, homes: /^src\/(http|app)\//, mend: "only src/http and src/app know HTTP" },
  {
    packages: /^zod$/,
    homes:
      /^src\/(bin|app|http|gateways|events|platform)\/|^src\/domain\/schema\.ts$|^src\/modules\/[^/]+\/schema(\.ts$|\/)/,
    mend: "shapes of requests and replies belong in a module's schema.ts; rules take plain facts",
  },
];
const KERNEL_PACKAGES = /^(big\.js|colord(\/plugins\/\w+)?)$/;

export interface Import {
  /** The specifier as written. */
  readonly specifier: string;
  /** Path from the root for a file of the repository, null for a package. */
  readonly target: string | null;
  readonly line: number;
}

/** Every import of a file: static, dynamic, re-exports and types. */
export function importsOf(source: Source): Import[] {
  const found: { specifier: string; at: number }[] = [];
  const { staticImports, staticExports, dynamicImports } = source.module;
  for (const { moduleRequest, start } of staticImports) found.push({ specifier: moduleRequest.value, at: start });
  for (const { entries, start } of staticExports) {
    const request = entries.find((entry) => entry.moduleRequest)?.moduleRequest;
    if (request) found.push({ specifier: request.value, at: start });
  }
  for (const { moduleRequest, start } of dynamicImports)
    found.push({ specifier: source.text.slice(moduleRequest.start + 1, moduleRequest.end - 1), at: start });
  new Visitor({
    TSImportType: (node) => {
      found.push({ specifier: node.source.value, at: node.start });
    },
  }).visit(source.program);
  return found.map(({ specifier, at }) => ({
    specifier,
    target: specifier.startsWith(".") ? join(dirname(source.path), specifier) : null,
    line: lineAt(source.text, at),
  }));
}

const layerOf = (path: string): string => path.split("/")[1]?.replace(/\.ts$/, "") ?? "";
const partOf = (path: string): string => path.split("/").slice(0, 3).join("/");
const isPart = (path: string): boolean => path.split("/").length > 3;

/** Why `from` may not import `to`, or null. Both are files under src. */
function layerFault(from: string, to: string): string | null {
  if (isTestFile(to)) return "the product must not import what only tests use";
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
  const [fromRank, toRank] = [RANKS[fromLayer], RANKS[toLayer]];
  if (fromRank === undefined) return `src/${fromLayer} is no layer; move the file into one`;
  if (toRank === undefined) return `src/${toLayer} is no layer; move what you need into one`;
  if (fromLayer === "templates" && toRank > fromRank && !TEMPLATE_SOURCES.test(to))
    return "templates are pure functions of facts: they import the kernel, src/platform/pdf, and types and rules of modules";
  const rendered = fromLayer === "templates" ? undefined : TEMPLATE_HOMES.find(({ templates }) => templates.test(to));
  if (rendered && !rendered.homes.test(from)) return rendered.mend;
  if (to === EXAMINED && fromLayer === "modules" && !from.endsWith("/verify.ts"))
    return "what `tefo verify` recomputes is declared in verify.ts of the module";
  if (fromLayer !== toLayer)
    return toRank > fromRank ? null : `${fromLayer} must not import ${toLayer}: imports go downward only`;
  if (
    (fromLayer === "modules" || fromLayer === "gateways") &&
    isPart(from) &&
    isPart(to) &&
    partOf(from) !== partOf(to)
  )
    return `${partOf(from)} must not import ${partOf(to)}: join them in a flow, or move what both need into the kernel`;
  return null;
}

/** Declares examinations. Of a module, `verify.ts` alone holds them: it is known by its name that it reads what other modules write. */
const EXAMINED = "src/platform/examined.ts";

/** Folders that may call templates, so that nothing is rendered in the transaction of a request. */
const TEMPLATE_HOMES: readonly { templates: RegExp; homes: RegExp; mend: string }[] = [
  {
    templates: /^src\/templates\/mails\//,
    homes: /^src\/flows\/(mail\/|[\w-]+\/([\w-]+-)?mails?\.ts$)/,
    mend: "a mail is written by its declaration, in a file named for it; ask for it with requestMail",
  },
  {
    templates: /^src\/templates\/pdfs\//,
    homes: /^src\/(flows\/renderer\.ts$|app\/renderer\/)/,
    mend: "documents are drawn by the renderer, in its thread; ask for one with services.renderer",
  },
  {
    templates: /^src\/templates\/pages\//,
    homes: /^src\/http\//,
    mend: "pages are answers of src/http",
  },
];

/** Files that templates may import: types, rules and drawing, nothing that reads or sends data. */
const TEMPLATE_SOURCES = /^src\/(templates|kernel|platform\/pdf)\/|^src\/modules\/[^/]+\/(types|rules)\b/;

function packageFault(from: string, specifier: string): string | null {
  if (layerOf(from) === "kernel")
    return KERNEL_PACKAGES.test(specifier) ? null : `the kernel is pure: it must not import ${specifier}`;
  const rule = PACKAGE_HOMES.find(({ packages }) => packages.test(specifier));
  return rule && !rule.homes.test(from) ? `${specifier} here: ${rule.mend}` : null;
}

/** Templates of a small resource, in a file of src/templates that has its mails or pages or both. */
const foldedTemplates = (sources: readonly Source[]): ReadonlySet<string> =>
  new Set(
    sources
      .filter(({ path }) => /^src\/templates\/[^/]+\.ts$/.test(path) && !isTestFile(path))
      .filter((source) => importsOf(source).some(({ target }) => target !== null && LAYOUTS.test(target)))
      .map(({ path }) => path),
  );
const LAYOUTS = /^src\/templates\/(mails|pages)\/layout\.ts$/;

/**
 * Uses of the templates of `foldedTemplates` outside src/http and the declarations of mails, so that nothing is rendered
 * in the transaction of a request, as `TEMPLATE_HOMES` has it for the templates in folders.
 */
export function renderingFindings(sources: readonly Source[]): Finding[] {
  const folded = foldedTemplates(sources);
  return sources
    .filter(({ path }) => /^src\/(?!http\/|templates\/)/.test(path) && !isTestFile(path))
    .flatMap((source) => {
      const imports = source.module.staticImports.filter(({ moduleRequest }) =>
        folded.has(join(dirname(source.path), moduleRequest.value)),
      );
      const names = new Set(
        imports.flatMap(({ entries }) => entries.flatMap(({ isType, localName }) => (isType ? [] : localName.value))),
      );
      if (names.size === 0) return [];
      const allowed: { readonly start: number; readonly end: number }[] = [...imports];
      const used: number[] = [];
      new Visitor({
        CallExpression: (node) => {
          if (node.callee.type === "Identifier" && node.callee.name === "declareMail") allowed.push(node);
        },
        Identifier: (node) => {
          if (names.has(node.name)) used.push(node.start);
        },
      }).visit(source.program);
      return used
        .filter((at) => !allowed.some(({ start, end }) => start <= at && at < end))
        .map((at) => ({
          file: source.path,
          line: lineAt(source.text, at),
          mend: "a mail is written inside its declareMail, and a page by src/http: ask for a mail with requestMail",
        }));
    });
}

/** Imports against the direction of the layers, between siblings, or of a package outside its home. */
export function layerFindings(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith("src/") && !isTestFile(path))
    .flatMap((source) =>
      importsOf(source).flatMap(({ specifier, target, line }) => {
        const mend =
          target === null
            ? packageFault(source.path, specifier)
            : target.startsWith("src/")
              ? layerFault(source.path, target)
              : target.endsWith(".json")
                ? null
                : "the product must not import what lies outside src";
        return mend === null ? [] : [{ file: source.path, line, mend }];
      }),
    );
}

/** One finding for each circular import, types included, at its first file. */
export function cycleFindings(sources: readonly Source[]): Finding[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const findings: Finding[] = [];
  const walk = (path: string, trail: readonly string[]) => {
    for (const { target, line } of graph.get(path) ?? []) {
      if (target === null || done.has(target)) continue;
      const start = trail.indexOf(target);
      if (start === -1) walk(target, [...trail, target]);
      else
        findings.push({
          file: path,
          line,
          mend: `break the circle ${[...trail.slice(start), target].join(" → ")}: move what both need below them`,
        });
    }
    done.add(path);
  };
  for (const path of [...graph.keys()].sort()) if (!done.has(path)) walk(path, [path]);
  return findings;
}

const DECLARED = /^export const (\w+) = (?:event|dueWork|declareMail)\b/gm;

/**
 * Events, kinds of due work and mails that no file of the catalogue takes, by their names or with their whole file: other
 * files use them, so that nothing else misses them, but the service does not know them.
 */
export function uncataloguedFindings(sources: readonly Source[]): Finding[] {
  const taken = new Set(
    sources
      .filter(({ path }) => /^src\/catalogue(\.ts$|\/)/.test(path) && !isTestFile(path))
      .flatMap(({ path, module }) =>
        module.staticImports.flatMap(({ moduleRequest, entries }) =>
          entries.map(({ importName }) => `${join(dirname(path), moduleRequest.value)} ${importName.name ?? "*"}`),
        ),
      ),
  );
  return sources
    .filter(({ path }) => path.startsWith("src/") && !isTestFile(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECLARED)]
        .filter(([, name]) => !taken.has(`${path} ${name}`) && !taken.has(`${path} *`))
        .map(({ 1: name, index }) => ({
          file: path,
          line: lineAt(text, index),
          mend: `name ${name} in the entry of its resource in src/catalogue: in \`declared\`, \`work\` or \`mails\``,
        })),
    );
}

/**
 * Files of src that no file in src/bin imports, directly or indirectly. Imports of tests do not count: code that only a
 * test uses is dead.
 */
export function orphanFindings(sources: readonly Source[]): Finding[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const reached = new Set<string>();
  const reach = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target } of graph.get(path) ?? []) if (target !== null) reach(target);
  };
  for (const path of graph.keys()) if (path.startsWith("src/bin/") && !path.endsWith(".test.ts")) reach(path);
  return [...graph.keys()]
    .filter((path) => path.startsWith("src/") && !isTestFile(path) && !reached.has(path))
    .map((file) => ({ file, line: 1, mend: "nothing the product runs imports it: use it or delete it" }));
}
