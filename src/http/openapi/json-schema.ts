import { z } from "zod";
import { assert } from "../../kernel/assert.ts";

/** JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Named schemas of one document; filled by `schemaOf`. */
export type Schemas = Map<string, JsonSchema>;

/** How a schema of the document is referred to. */
export const REFERENCE = "#/components/schemas/";
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties"];
const SINGLE = ["items", "additionalProperties", "not"];

/**
 * The JSON Schema of what a client sends (`input`) or gets (`output`). Adds every schema that has an id to `schemas`.
 */
export function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Schemas): JsonSchema {
  const {
    $schema: _dialect,
    $defs,
    ...root
  } = z.toJSONSchema(schema, { target: "draft-2020-12", io }) as JsonSchema & {
    readonly $defs?: Record<string, JsonSchema>;
  };
  for (const [id, definition] of Object.entries($defs ?? {})) {
    const tidied = simplified(definition);
    const known = schemas.get(id);
    assert(!known || JSON.stringify(known) === JSON.stringify(tidied), `one schema has the id ${id}`);
    schemas.set(id, tidied);
  }
  return simplified(root);
}

/**
 * Simplifies Zod's schema for readers and generators: short forms of null, no `additionalProperties: false`
 * (interface 9.2), no bounds of a double.
 */
function simplified(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "$ref") return [[keyword, String(value).replace("#/$defs/", REFERENCE)]];
    if (LISTS.includes(keyword)) return [[keyword, (value as JsonSchema[]).map(simplified)]];
    if (MAPS.includes(keyword)) return [[keyword, mapValues(value as Record<string, JsonSchema>, simplified)]];
    if (SINGLE.includes(keyword) && typeof value === "object" && value !== null)
      return [[keyword, simplified(value as JsonSchema)]];
    const unneeded =
      keyword === "propertyNames" ||
      (keyword === "additionalProperties" && value === false) ||
      Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
    return unneeded ? [] : [[keyword, value]];
  });
  return nullable(Object.fromEntries(entries));
}

/** Writes `anyOf: [X, null]` as X with the second type `null`, when X has a single type. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema;
  const choices = (anyOf ?? []) as JsonSchema[];
  const [inner, ...others] = choices.filter((choice) => choice["type"] !== "null");
  if (!inner || others.length > 0 || choices.length !== 2 || typeof inner["type"] !== "string") return schema;
  const values = inner["enum"];
  return {
    ...inner,
    ...outer,
    type: [inner["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

const mapValues = (map: Record<string, JsonSchema>, change: (schema: JsonSchema) => JsonSchema) =>
  Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, change(schema)]));
