import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { linkedFiles, relinked } from "./links.ts";
import type { Page } from "./page.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** A group of the navigation whose pages are files of the repository. */
interface Shelf {
  readonly section: string;
  readonly folder: string;
  /** The paths of its pages begin with it. */
  readonly path: string;
  /** Names without `.md`, in order. */
  readonly names: readonly string[];
  /** Whether files of the folder that no shelf names follow. */
  readonly takesOthers?: true;
}

const GUIDES = { folder: "docs/integrators", path: "/docs/guides" } as const;
const SHELVES: readonly Shelf[] = [
  {
    section: "Start",
    ...GUIDES,
    names: [
      "quickstart",
      "clients",
      "command-line",
      "mcp",
      "authentication",
      "testing",
      "gateway-stand-ins",
      "versions",
    ],
  },
  {
    section: "Payments",
    ...GUIDES,
    names: ["payment-links", "checkout", "saved-cards", "bank-transfers", "debit-orders"],
  },
  {
    section: "Billing",
    ...GUIDES,
    names: [
      "customers",
      "invoices",
      "quotes",
      "packages-and-plans",
      "customer-subscriptions",
      "usage-based-billing",
      "missed-payments",
      "gateway-subscriptions",
      "external-subscriptions",
    ],
  },
  { section: "Recipes", ...GUIDES, names: ["marketplace", "moving", "woocommerce"] },
  {
    section: "Integration",
    ...GUIDES,
    names: ["webhooks", "errors", "idempotency", "pagination-and-limits", "messages", "exports"],
    takesOthers: true,
  },
  { section: "Gateways", folder: "docs/gateways", path: "/docs/gateways", names: [], takesOthers: true },
  {
    section: "Operators",
    folder: "docs/operators",
    path: "/docs/operators",
    names: ["deploy", "configuration", "processes", "command-line", "verify", "reconciliation", "accounting"],
    takesOthers: true,
  },
  { section: "Interface", folder: "docs/interface", path: "/docs/interface", names: ["README"], takesOthers: true },
  {
    section: "About Tefo",
    folder: "docs",
    path: "/docs/about",
    names: ["architecture", "states", "decisions", "scaling", "dependencies"],
    takesOthers: true,
  },
];

/** Pages that are no file of a shelf, by their files. */
const SINGLE: readonly { readonly file: string; readonly path: string; readonly section: string }[] = [
  { file: "clients/typescript/README.md", path: "/docs/clients/typescript", section: "Start" },
  { file: "clients/php/README.md", path: "/docs/clients/php", section: "Start" },
  { file: "clients/python/README.md", path: "/docs/clients/python", section: "Start" },
  { file: "CONTRIBUTING.md", path: "/docs/about/contributing", section: "About Tefo" },
  { file: "CHANGELOG.md", path: "/docs/changelog", section: "About Tefo" },
];

/** What the repository's README says stands on the site's first page. */
const HOME = { "README.md": "/docs" } as const;

/** A file that pages link to, which is shown as it is. */
export interface LinkedFile {
  readonly path: string;
  read(): Promise<Buffer>;
}

/** The pages that are made from Markdown files, in the navigation's order, and the other files that they link to. */
export async function readGuides(): Promise<{ pages: Page[]; files: LinkedFile[] }> {
  const order = SHELVES.map(({ section }) => section);
  const entries = [...(await Promise.all(SHELVES.map(entriesOf))).flat(), ...SINGLE].sort(
    (a, b) => order.indexOf(a.section) - order.indexOf(b.section),
  );
  const texts = await Promise.all(entries.map(async (entry) => ({ ...entry, text: await read(entry.file) })));
  const paths = new Map<string, string>([...Object.entries(HOME), ...entries.map((it) => [it.file, it.path] as const)]);
  const others = new Set(
    texts.flatMap(({ text, file }) => linkedFiles(text, file)).filter((file) => !paths.has(file) && !isOutside(file)),
  );
  const locate = (file: string): string | null => paths.get(file) ?? (others.has(file) ? `/docs/files/${file}` : null);
  return {
    pages: texts.map(({ text, file, path, section }) => ({
      path,
      section,
      markdown: () => relinked(text, file, locate),
    })),
    files: [...others].map((file) => ({ path: `/docs/files/${file}`, read: () => readFile(join(ROOT, file)) })),
  };
}

const read = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");
const isOutside = (file: string): boolean => file.startsWith("..");

async function entriesOf(shelf: Shelf): Promise<{ file: string; path: string; section: string }[]> {
  const names = shelf.takesOthers ? [...shelf.names, ...(await othersOf(shelf))] : shelf.names;
  return names.map((name) => ({
    file: `${shelf.folder}/${name}.md`,
    path: name === "README" ? shelf.path : `${shelf.path}/${name}`,
    section: shelf.section,
  }));
}

/** Names of the folder's files that no shelf has; those that begin with a number by their numbers. */
async function othersOf({ folder }: Shelf): Promise<string[]> {
  const named = new Set(SHELVES.filter((shelf) => shelf.folder === folder).flatMap(({ names }) => names));
  return (await readdir(join(ROOT, folder)))
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length))
    .filter((name) => !named.has(name))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
