import type { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { type ApiError, invalidField } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/nearest.ts";
import type { Feature } from "../../kernel/plans.ts";
import type { Permission } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";

/*
 * The parameter `expand` of reads (interface 4.1): whole records in place of the ids that a record has of them. What can be
 * expanded is declared, a kind of record each, in records.ts.
 */

/** The parameter's name. */
export const EXPAND = "expand";
/** How many levels of relations can be expanded. */
const LEVELS = 2;

/** A record as the APIs show it. */
export type Shown = Readonly<Record<string, unknown>>;

/**
 * Reads what these keys stand for, as the APIs show it, by key: a record, or several. What is absent or another
 * organisation's is left out. The number of statements is the same for any number of keys.
 */
export type ReadShown = (
  tx: Tx,
  ctx: Ctx,
  keys: readonly string[],
) => Promise<ReadonlyMap<string, Shown | readonly Shown[]>>;

/** A relation of a record, which stands in the field of its name. */
export interface Relation {
  readonly to: () => Expandable;
  /** What the field holds, for the description: `The customer.` */
  readonly about: string;
  /** What names the related record, in the record that has the relation: mostly its id. Null: there is none. */
  readonly key: (record: Shown) => unknown;
  /** Reads by these keys, where they are not ids of the related record. */
  readonly read?: ReadShown;
  /** Whether the field is a list. */
  readonly many?: true;
}

/** A kind of record that can stand in place of its id, or has relations. */
export interface Expandable {
  /** What is needed to read such records: a member's permission, and the scope of keys that stands for it. */
  readonly permission: Permission;
  /** The plan's feature that is needed to read them. */
  readonly feature?: Feature;
  /** A record as it is shown; `toStaff` where staff see more of it. */
  readonly object: z.ZodType;
  readonly toStaff?: z.ZodType;
  /** Reads them by id; a payment by its reference. */
  readonly read: ReadShown;
  readonly relations: Readonly<Record<string, Relation>>;
}

/** Relations to expand, by name, each with those of its own. */
export type Expansions = ReadonlyMap<string, { readonly relation: Relation; readonly within: Expansions }>;

/** The names that the parameter takes for a kind of record, a level after the other. */
export const expandableNames = ({ relations }: Expandable): readonly string[] => {
  const own = Object.entries(relations);
  return [
    ...own.map(([name]) => name),
    ...own.flatMap(([name, { to }]) => Object.keys(to().relations).map((inner) => `${name}.${inner}`)),
  ];
};

/**
 * The relations that a request names, separated by commas or in repeated parameters. Throws 400 for an unknown one, with the nearest that
 * is known, and for a third level.
 */
export function expansionsOf(kind: Expandable, asked: unknown): Expansions {
  const expansions: Tree = new Map();
  const names = [asked ?? []].flat().flatMap((value) => String(value).split(","));
  for (const name of names.map((one) => one.trim()).filter(Boolean)) {
    const steps = name.split(".");
    if (steps.length > LEVELS)
      throw invalidField([EXPAND], `expand goes ${LEVELS} levels deep at most, not ${cut(name)}.`);
    let [at, of] = [expansions, kind];
    for (const step of steps) {
      const relation = Object.hasOwn(of.relations, step) ? of.relations[step] : undefined;
      if (!relation) throw unknownRelation(name, kind);
      const found = at.get(step) ?? { relation, within: new Map() };
      at.set(step, found);
      [at, of] = [found.within, relation.to()];
    }
  }
  return expansions;
}

type Tree = Map<string, { readonly relation: Relation; readonly within: Tree }>;

const cut = (name: string): string => name.slice(0, 100);

function unknownRelation(name: string, kind: Expandable): ApiError {
  const known = expandableNames(kind);
  const meant = nearest(name, known);
  return invalidField(
    [EXPAND],
    `Unknown relation ${cut(name)}. ${meant === null ? `expand takes ${known.join(", ")}.` : `Did you mean ${meant}?`}`,
  );
}

/** The kinds of records that these expansions show. */
export const kindsIn = (expansions: Expansions): readonly Expandable[] =>
  [...expansions.values()].flatMap(({ relation, within }) => [relation.to(), ...kindsIn(within)]);

/** The body of an answer, a record or a list of some, with what is to be expanded. */
export async function expandedBody(tx: Tx, ctx: Ctx, body: unknown, expansions: Expansions): Promise<unknown> {
  const shown = body as Shown;
  const { data } = shown;
  if (Array.isArray(data)) return { ...shown, data: await expanded(tx, ctx, data as Shown[], expansions) };
  const [record] = await expanded(tx, ctx, [shown], expansions);
  return record;
}

/** The records with what is to be expanded, in their order. Each relation is read at once for all of them. */
async function expanded(tx: Tx, ctx: Ctx, records: readonly Shown[], expansions: Expansions): Promise<Shown[]> {
  const fields = await Promise.all(
    [...expansions].map(async ([name, { relation, within }]) => {
      const keys = [...new Set(records.flatMap((record) => keyOf(relation, record) ?? []))];
      const read = relation.read ?? relation.to().read;
      const found = keys.length === 0 ? new Map<string, Shown>() : await read(tx, ctx, keys);
      const whole = within.size === 0 ? found : await eachExpanded(tx, ctx, found, within);
      return (record: Shown): [string, unknown] => [name, fieldOf(name, relation, record, whole)];
    }),
  );
  return records.map((record) => ({ ...record, ...Object.fromEntries(fields.map((field) => field(record))) }));
}

const keyOf = ({ key }: Relation, record: Shown): string | null => {
  const value = key(record);
  return typeof value === "string" ? value : null;
};

/** What the field of a relation holds: where it has been a short object, it keeps the fields that only this has. */
function fieldOf(name: string, relation: Relation, record: Shown, found: Awaited<ReturnType<ReadShown>>): unknown {
  const key = keyOf(relation, record);
  const whole = key === null ? undefined : found.get(key);
  if (relation.many) return whole ?? [];
  const short = record[name];
  if (whole === undefined) return short ?? null;
  return typeof short === "object" ? { ...short, ...whole } : whole;
}

/** What was found for the keys, each record with what is to be expanded of it. */
async function eachExpanded(tx: Tx, ctx: Ctx, found: Awaited<ReturnType<ReadShown>>, within: Expansions) {
  const each = [...found].map(([key, one]) => ({ key, isList: Array.isArray(one), records: [one].flat() as Shown[] }));
  const all = await expanded(
    tx,
    ctx,
    each.flatMap(({ records }) => records),
    within,
  );
  let place = 0;
  return new Map(
    each.map(({ key, isList, records }): [string, Shown | Shown[]] => {
      const own = all.slice(place, place + records.length);
      place += records.length;
      return [key, isList ? own : (own[0] ?? {})];
    }),
  );
}
