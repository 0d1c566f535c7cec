import { isTestFile, type Source } from "./source.ts";
import { importsOf } from "./tidy-imports.ts";

/* How tangled the house is, in numbers that a test holds: they may only fall. `npm run check -- --map` prints them. */

/**
 * The areas of src/flows from the ground up: a room imports rooms of its own area and of those below. A name with a
 * star is a file beside the folders.
 */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  organisations: [
    ...[
      "context*",
      "services*",
      "renderer*",
      "file-reader*",
      "hosted-links*",
      "stored-file*",
      "check-return-url*",
      "check-expires-at*",
    ],
    ...["organisations", "members", "api-keys", "secrets", "gateways", "mail", "messages", "webhooks", "customers"],
    ...[
      "portal-access",
      "packages",
      "products",
      "referral-links",
      "search",
      "timeline",
      "saved-views",
      "exports",
      "overview",
      "verify",
      "test-clock",
    ],
    ...["sandbox-gateway"],
  ],
  payments: ["payments", "cards", "card-charges", "eft-orders", "credit-refunds"],
  documents: ["invoices", "quotes", "credit-notes", "documents"],
  subscriptions: ["customer-subscriptions", "dunning", "coupons", "card-setups"],
  "debit orders": ["mandates", "debit-batches"],
  "gateway subscriptions": ["gateway-subscriptions", "subscription-migrations"],
  "checkout and portal": ["checkout", "portal", "payment-links", "personal-data"],
  books: ["reconciliation", "gateway-statements", "accounting"],
};

const AREA_OF = new Map(Object.values(AREAS).flatMap((rooms, area) => rooms.map((room) => [room, area] as const)));

/** The room of a file in src/flows: its folder, or the file itself when it stands beside the folders. */
function roomOf(path: string): string {
  const [, , name = "", file] = path.split("/");
  return file === undefined ? `${name.replace(/\.ts$/, "")}*` : name;
}

/** What a room imports of other rooms, with how many imports there are. */
type Rooms = ReadonlyMap<string, ReadonlyMap<string, number>>;

function roomsOf(sources: readonly Source[]): Rooms {
  const rooms = new Map<string, Map<string, number>>();
  for (const source of sources) {
    const from = roomOf(source.path);
    const reached = rooms.get(from) ?? new Map<string, number>();
    rooms.set(from, reached);
    for (const { target } of importsOf(source)) {
      const to = target?.startsWith("src/flows/") ? roomOf(target) : from;
      if (to !== from) reached.set(to, (reached.get(to) ?? 0) + 1);
    }
  }
  return rooms;
}

/** Every room that `from` reaches, directly or not. */
function reachedFrom(rooms: Rooms, from: string): Set<string> {
  const reached = new Set<string>();
  const walk = (room: string) => {
    for (const next of rooms.get(room)?.keys() ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        walk(next);
      }
  };
  walk(from);
  return reached;
}

/** The most rooms that all reach each other. */
function largestKnot(rooms: Rooms): string[] {
  const reach = new Map([...rooms.keys()].map((room) => [room, reachedFrom(rooms, room)]));
  const knots = [...rooms.keys()].map((room) =>
    [...rooms.keys()].filter((other) => other === room || (reach.get(room)?.has(other) && reach.get(other)?.has(room))),
  );
  return knots.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

/** Pairs of rooms that import one another. */
const mutualPairs = (rooms: Rooms): string[] =>
  [...rooms].flatMap(([from, reached]) =>
    [...reached.keys()].flatMap((to) => (from < to && rooms.get(to)?.has(from) ? `${from} ↔ ${to}` : [])),
  );

/** Arrows from a room to one of a higher area, with how many imports each is. */
const arrowsBack = (rooms: Rooms): string[] =>
  [...rooms].flatMap(([from, reached]) =>
    [...reached].flatMap(([to, imports]) =>
      (AREA_OF.get(to) ?? 0) > (AREA_OF.get(from) ?? 0) ? `${from} → ${to} (${imports})` : [],
    ),
  );

/**
 * The first lines of a store, of examinations or of `record.ts`: which tables it writes, and which it reads
 * (tidy-sql.ts holds them true).
 */
function headerOf(text: string): { readonly writes: readonly string[]; readonly reads: readonly string[] } {
  const [, writes = "", reads = ""] =
    /^\/\/ Writes(.*?)\. Reads(.*?)\.\n/.exec(text.replaceAll(/\([^)]*\)|\n\/\//g, "")) ?? [];
  const namesIn = (said: string) => (/nothing/.test(said) ? [] : (said.match(/\w+/g) ?? []));
  return { writes: namesIn(writes), reads: namesIn(reads) };
}

/** The tables that `record.ts` of a module declares, with what erasure makes of their columns. */
const declaredIn = (text: string): string[] => {
  const at = text.indexOf("\n  tables: {");
  return at === -1 ? [] : [...text.slice(at).matchAll(/^ {4}(\w+): \{/gm)].map(([, table = ""]) => table);
};

/**
 * Tables of other modules that SQL reads, `verify` left out: each module and table once, by the first lines of its
 * stores and of `record.ts`. A module owns the tables that its `record.ts` declares, and those that it writes and no
 * module declares; tables that no module owns, such as `due_work`, are of the platform. What a statement reads by a
 * piece of SQL of src/domain is named there, and does not count.
 */
function foreignReads(sources: readonly Source[]): string[] {
  const stores = sources
    .filter(({ path }) => path.startsWith("src/modules/") && !path.endsWith("/verify.ts"))
    .map(({ path, text }) => ({ module: path.split("/")[2] ?? "", ...headerOf(text), declares: declaredIn(text) }));
  const owners = new Map([
    ...stores.flatMap(({ module, writes }) => writes.map((table) => [table, module] as const)),
    ...stores.flatMap(({ module, declares }) => declares.map((table) => [table, module] as const)),
  ]);
  return [
    ...new Set(
      stores.flatMap(({ module, reads }) =>
        reads.flatMap((table) => ((owners.get(table) ?? module) === module ? [] : `${module}: ${table}`)),
      ),
    ),
  ];
}

/** Code lines of more than 140 characters. */
const longLines = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => (line.length > 140 ? `${path}:${at + 1}` : [])),
  );

const LINES_FEW = 20;

/** The files of a module or a gateway in which CONTRIBUTING.md says that a reader finds these things, however short they are. */
const FIXED_PLACE = /^src\/(modules\/[^/]+\/(record|schema)|gateways\/[^/]+\/signing)\.ts$/;

/** Files of at most 20 lines that one other file of their layer imports, and could hold; a use case of the catalogue stays a file. */
function smallFiles(sources: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const source of sources)
    for (const { target } of importsOf(source))
      if (target !== null) importers.set(target, (importers.get(target) ?? new Set()).add(source.path));
  const layerOf = (path: string) => path.split("/")[1];
  return sources
    .filter(({ path }) => !FIXED_PLACE.test(path))
    .filter(({ path, text }) => {
      const [importer, ...others] = importers.get(path) ?? [];
      const isAlone = importer !== undefined && others.length === 0 && layerOf(importer) === layerOf(path);
      return isAlone && text.trimEnd().split("\n").length <= LINES_FEW;
    })
    .map(({ path }) => path);
}

/** A count of the map: what is counted, and the most that a test allows. */
export interface MapCount {
  readonly what: string;
  readonly found: readonly string[];
  readonly most: number;
}

/** The rooms of src/flows that stand in no area, or in an area without being there. */
export function strayRooms(sources: readonly Source[]): string[] {
  const rooms = roomsOf(ofFlows(sources));
  return [...new Set([...rooms.keys()]).symmetricDifference(new Set(AREA_OF.keys()))];
}

const ofFlows = (sources: readonly Source[]): Source[] =>
  sources.filter(({ path }) => path.startsWith("src/flows/") && !isTestFile(path));

/** The counts of these sources. */
export function houseMap(sources: readonly Source[]): MapCount[] {
  const product = sources.filter(({ path }) => path.startsWith("src/") && !isTestFile(path));
  const rooms = roomsOf(ofFlows(sources));
  const found = {
    knot: largestKnot(rooms),
    pairs: mutualPairs(rooms),
    back: arrowsBack(rooms),
    reads: foreignReads(product),
    small: smallFiles(product),
    long: longLines(product),
  };
  return [
    { what: "rooms of src/flows in the largest knot", found: found.knot, most: 1 },
    { what: "pairs of rooms that import one another", found: found.pairs, most: 0 },
    { what: "arrows from a room to a higher area", found: found.back, most: 0 },
    { what: "tables of other modules that SQL reads, verify left out", found: found.reads, most: 128 },
    { what: `files of at most ${LINES_FEW} lines with one importer`, found: found.small, most: 2 },
    { what: "lines of more than 140 characters", found: found.long, most: 0 },
  ];
}
