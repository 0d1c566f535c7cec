import type { z } from "zod";
import { nearest } from "../kernel/nearest.ts";

type Path = readonly (string | number)[];

/** A field that a schema does not know, and the field that was likely meant. */
export interface UnknownField {
  readonly path: Path;
  readonly meant: Path | null;
}

type Def = z.core.$ZodTypeDef & Record<string, unknown>;
const defOf = (schema: unknown): Def => (schema as z.core.$ZodType)._zod.def as Def;

/** The most fields that are named. */
const NAMED_MAX = 20;

/** The fields of a value that its schema ignores, in the value's order, at most `NAMED_MAX`. */
export function unknownFields(schema: z.ZodType, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  collect(schema, value, [], found);
  return found.slice(0, NAMED_MAX);
}

function collect(schema: unknown, value: unknown, path: Path, found: UnknownField[]): void {
  if (typeof value !== "object" || value === null || found.length >= NAMED_MAX) return;
  const def = defOf(schema);
  const inner = innerOf(def);
  if (inner !== undefined) collect(inner, value, path, found);
  else if (def.type === "array" && Array.isArray(value))
    for (const [place, item] of value.entries()) collect(def["element"], item, [...path, place], found);
  else if (def.type === "object" && !Array.isArray(value)) collectOfObject(def, value, path, found);
  else if (def.type === "union") collectOfUnion(def["options"] as readonly unknown[], value, path, found);
}

/** The schema of the value itself, of one that is optional, transformed or has a default. */
function innerOf(def: Def): unknown {
  if (def.type === "pipe") return defOf(def["in"]).type === "transform" ? def["out"] : def["in"];
  return def["innerType"];
}

function collectOfObject(def: Def, value: object, path: Path, found: UnknownField[]): void {
  const shape = def["shape"] as Record<string, unknown>;
  const isOpen = def["catchall"] !== undefined;
  for (const [name, held] of Object.entries(value)) {
    if (Object.hasOwn(shape, name)) collect(shape[name], held, [...path, name], found);
    else if (!isOpen) {
      const meant = nearest(name, Object.keys(shape));
      found.push({ path: [...path, name], meant: meant === null ? null : [...path, meant] });
    }
  }
}

/** Of a value that may have several shapes, what the shape ignores that knows most of it. */
function collectOfUnion(options: readonly unknown[], value: object, path: Path, found: UnknownField[]): void {
  const each = options.filter(takesObjects).map((option) => {
    const ignored: UnknownField[] = [];
    collect(option, value, path, ignored);
    return ignored;
  });
  const [best = []] = each.sort((a, b) => a.length - b.length);
  found.push(...best);
}

/** Whether a schema may describe an object or a list, and not another kind of value. */
function takesObjects(schema: unknown): boolean {
  const def = defOf(schema);
  const inner = innerOf(def);
  if (inner !== undefined) return takesObjects(inner);
  return !["string", "number", "boolean", "null", "literal", "enum"].includes(def.type);
}

/** The words about an unknown field, for people: `unknown field "a" (did you mean "b"?)`. */
export const unknownFieldWords = ({ path, meant }: UnknownField): string =>
  `unknown field ${asAscii(path.join("."))}${meant === null ? "" : ` (did you mean ${asAscii(meant.join("."))}?)`}`;

/** A text as JSON in ASCII, which a header can hold. */
const asAscii = (text: string): string =>
  JSON.stringify(text.slice(0, 200)).replaceAll(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
