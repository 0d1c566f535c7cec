import type { JsonSchema } from "../json-schema.ts";
import { AMOUNTS } from "./amounts.ts";
import { IDENTITIES } from "./identities.ts";
import { SUBJECTS } from "./subjects.ts";

/**
 * Words of properties whose schema has none, by name; those before a dot say of which object: a component, or the
 * property that holds it (`Invoice.status`, `lines.amount`). A schema's own words come first.
 */
const WORDS: ReadonlyMap<string, string> = new Map(
  [IDENTITIES, AMOUNTS, SUBJECTS].flatMap((words) => Object.entries(words)),
);

/** Names of properties whose numbers are money, unless the words name another unit. */
const MONEY = [
  /[aA]mount|(Fee|Price|Total|Zar)$/,
  /^(total|subtotal|tax|net|fee|balance|credit|debit|gross|refunded|reversed|remaining|opening|closing|older|full)$/,
  /^days\d+$/,
];

/** The units of a property's value, where its words do not say them. */
function unitsOf(name: string, schema: JsonSchema, words: string): string | null {
  const types = [schema["type"]].flat();
  if (schema["format"] === "date-time") return /UTC/.test(words) ? null : "ISO 8601, in UTC.";
  if (schema["format"] === "date") return /YYYY/.test(words) ? null : "A South African day, `YYYY-MM-DD`.";
  if (types.includes("number") && /[pP]ercent$|[rR]ate$/.test(name))
    return /[pP]ercent|[Rr]and /.test(words) ? null : "In percent.";
  if (!types.includes("number") || !MONEY.some((pattern) => pattern.test(name)) || /major units|[Rr]and /.test(words))
    return null;
  return "In major units: `149.95` is 149 rand and 95 cents.";
}

/**
 * The document with words about every property of its bodies: those of its schema, else those of its name, with the
 * units. `component` names the schema, `property` the one that holds it.
 */
export function withWords(schema: JsonSchema, component: string, property: string | null = null): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "properties")
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value as Record<string, JsonSchema>).map(([name, inner]) => [
            name,
            described(name, withWords(inner, component, name), component, property),
          ]),
        ),
      ];
    if (Array.isArray(value) && ["anyOf", "oneOf", "allOf"].includes(keyword))
      return [keyword, (value as JsonSchema[]).map((choice) => withWords(choice, component, property))];
    if (keyword === "items" || keyword === "additionalProperties")
      return [keyword, typeof value === "object" ? withWords(value as JsonSchema, component, property) : value];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function described(name: string, schema: JsonSchema, component: string, holder: string | null): JsonSchema {
  const { description, ...rest } = schema;
  const own = typeof description === "string" ? description : null;
  const words =
    own ?? WORDS.get(`${holder ?? component}.${name}`) ?? WORDS.get(`${component}.${name}`) ?? WORDS.get(name);
  if (words === undefined) return schema;
  const units = unitsOf(name, schema, words);
  return { description: units === null ? words : `${words} ${units}`, ...rest };
}
