import type { JsonSchema } from "../openapi/json-schema.ts";
import { REFERENCE } from "../openapi/json-schema.ts";

/** The named schemas of a description. */
export type Components = Readonly<Record<string, JsonSchema>>;

export interface ExampleOptions {
  readonly components: Components;
  /** Whether objects have only what they must have; where that is nothing, what has an example. */
  readonly sparse: boolean;
  /** Fields that a sparse object has too, each by its path: `customer.id`; lists are no step of it. */
  readonly also?: readonly string[];
  /** The value of an enumeration that is preferred where it is one of its. */
  readonly status?: string;
}

/** Schemas can contain themselves. */
const DEPTH_MAX = 8;

/** A value that fits a JSON Schema: by its examples where it has some, else one that reads well for the field's name. */
export function exampleOf(schema: JsonSchema, options: ExampleOptions, name = ""): unknown {
  return madeOf(schema, options, { name, path: "", parent: name, depth: 0 });
}

interface Place {
  readonly name: string;
  /** The names of fields that lead to it, with dots. */
  readonly path: string;
  /** What the object is called that the value stands in. */
  readonly parent: string;
  readonly depth: number;
}

function madeOf(given: JsonSchema, options: ExampleOptions, place: Place): unknown {
  const { schema, type } = resolved(given, options, place);
  if ("const" in schema) return schema["const"];
  const [shown] = (schema["examples"] as unknown[] | undefined) ?? [];
  if (shown !== undefined) return shown;
  const choices = (schema["enum"] as unknown[] | undefined)?.filter((choice) => choice !== null);
  if (choices) return choices.find((choice) => choice === options.status) ?? choices[0];
  if (place.depth > DEPTH_MAX) return null;
  switch (type) {
    case "object":
      return objectOf(schema, options, place);
    case "array": {
      const items = schema["items"] as JsonSchema | undefined;
      return items ? [madeOf(items, options, { ...place, name: singular(place.name), depth: place.depth + 1 })] : [];
    }
    case "string":
      return textOf(schema, place);
    case "integer":
    case "number":
      return numberOf(schema, place.name);
    case "boolean":
      return schema["default"] ?? TRUE_FIELDS.has(place.name);
    default:
      return type === undefined ? "value" : null;
  }
}

/** The schema behind references and choices, and its type other than null. */
function resolved(given: JsonSchema, options: ExampleOptions, place: Place): { schema: JsonSchema; type: unknown } {
  let schema = given;
  for (let steps = 0; steps < 20; steps++) {
    const reference = schema["$ref"];
    const parts = schema["allOf"] as JsonSchema[] | undefined;
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
    if (typeof reference === "string") {
      const { $ref: _ref, description: _words, ...rest } = schema;
      const named = reference.slice(REFERENCE.length);
      schema = { ...options.components[named], "x-name": named.replace(/(Event)?Data$/, ""), ...rest };
    } else if (parts) {
      const { allOf: _parts, ...rest } = schema;
      schema = parts.map((part) => resolved(part, options, place).schema).reduce(merged, rest);
    } else if (choices) {
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      schema = merged(rest, choices.find((choice) => choice["type"] !== "null") ?? {});
    } else break;
  }
  const types = [schema["type"]].flat().filter((type) => type !== "null");
  return { schema, type: types[0] ?? ("properties" in schema ? "object" : undefined) };
}

const merged = (a: JsonSchema, b: JsonSchema): JsonSchema => ({
  ...a,
  ...b,
  ...(a["properties"] && b["properties"]
    ? { properties: { ...(a["properties"] as object), ...(b["properties"] as object) } }
    : {}),
  ...(a["required"] && b["required"]
    ? { required: [...(a["required"] as string[]), ...(b["required"] as string[])] }
    : {}),
});

function objectOf(schema: JsonSchema, options: ExampleOptions, place: Place): Record<string, unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  // A customer within an invoice is called by its field, the invoice itself, which is `data`, by its schema.
  const parent = KINDS.some(([words]) => words.test(place.name)) ? place.name : String(schema["x-name"] ?? place.name);
  const given = properties.filter(([, property]) => !property["x-expand"]);
  const kept = options.sparse
    ? given.filter(([name]) => required.has(name) || options.also?.includes(within(place.path, name)))
    : given;
  return Object.fromEntries(
    kept.map(([name, property]) => [
      name,
      madeOf(property, options, { name, path: within(place.path, name), parent, depth: place.depth + 1 }),
    ]),
  );
}

const within = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const singular = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "");

const TRUE_FIELDS = new Set(["active", "enabled", "isDefault", "singleUse"]);

/** The rest of an id, whose kind stands before it. */
const ID_TAIL = "01kajw8z2r0000000000000000";
/** Kinds of ids by the words that fields and schemas are named by. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/organisation/i, "org"],
  [/customer$|customerId/i, "cus"],
  [/creditNote/i, "cn"],
  [/invoice/i, "inv"],
  [/quote/i, "quo"],
  [/paymentLink|linkId/i, "plink"],
  [/plan/i, "plan"],
  [/package/i, "pkg"],
  [/product/i, "prod"],
  [/coupon/i, "cpn"],
  [/subscription/i, "csub"],
  [/mandate/i, "man"],
  [/batch/i, "dbat"],
  [/dispute/i, "dsp"],
  [/card|paymentMethod/i, "card"],
  [/checkout|session/i, "chk"],
  [/eft|order/i, "eft"],
  [/endpoint/i, "we"],
  [/gateway|account/i, "gw"],
  [/refund/i, "ref"],
  [/event/i, "evt"],
];
const WORDS: Readonly<Record<string, string>> = {
  email: "thandi@example.com",
  firstName: "Thandi",
  lastName: "Dlamini",
  name: "Thandi Dlamini",
  accountHolder: "T Dlamini",
  company: "Dlamini Trading",
  phone: "+27821234567",
  country: "ZA",
  currency: "ZAR",
  slug: "my-shop",
  reference: "TEFO-20261120-8F3A12C7",
  externalReference: "order-1042",
  title: "Order 1042",
  description: "Order 1042",
  reason: "Requested by the customer",
  code: "monthly",
  last4: "4242",
  apiVersion: "1.16.0",
  vatNumber: "4123456789",
  accountNumber: "62001234567",
  branchCode: "250655",
  idNumber: "8001015009087",
  time: "09:00",
};

function textOf(schema: JsonSchema, { name, parent }: Place): string {
  if (schema["format"] === "date") return /due|until|expires|ends?$/i.test(name) ? "2026-12-20" : "2026-11-20";
  if (schema["format"] === "date-time") return "2026-11-20T09:30:12.345Z";
  if (schema["format"] === "uri") return `https://shop.example/${name.replace(/(Url|Uri)$/i, "").toLowerCase()}`;
  const pattern = String(schema["pattern"] ?? "");
  if (pattern.startsWith("^evt_")) return "evt_01a1f917b3219e828f2146ed47c81b59";
  if (pattern.includes("[A-Za-z]{3}")) return "ZAR";
  if (pattern === String.raw`^\d{6}$`) return "250655";
  if (/(Start|End)$/.test(name)) return name.endsWith("End") ? "2026-12-19" : "2026-11-20";
  return truncated(named(name, parent), schema);
}

function named(name: string, parent: string): string {
  if (name === "id" || name === "number") return named(`${parent}${name === "id" ? "Id" : "Number"}`, "");
  const exact = WORDS[name];
  if (exact !== undefined) return exact;
  const kind = KINDS.find(([words]) => words.test(name))?.[1];
  if (/Id$/.test(name) && kind) return `${kind}_${ID_TAIL}`;
  const ending = Object.entries(WORDS).find(([word]) => name.toLowerCase().endsWith(word.toLowerCase()));
  if (ending) return ending[1];
  if (/number$/i.test(name)) return `${(kind ?? "no").toUpperCase()}-000042`;
  return /Id$/.test(name) ? `rec_${ID_TAIL}` : name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase() || "text";
}

function truncated(text: string, schema: JsonSchema): string {
  const most = Number(schema["maxLength"] ?? Number.POSITIVE_INFINITY);
  return text.slice(0, most).padEnd(Number(schema["minLength"] ?? 0), "0");
}

const NUMBERS: Readonly<Record<string, number>> = { taxRate: 15, percent: 10, expiryMonth: 8, expiryYear: 2029 };

function numberOf(schema: JsonSchema, name: string): number {
  const usual = /amount|price|total|balance|paid|due|value/i.test(name) && schema["type"] !== "integer" ? 249 : 1;
  const wanted = NUMBERS[name] ?? usual;
  const least = Number(schema["minimum"] ?? (schema["exclusiveMinimum"] === undefined ? wanted : -1));
  const most = Number(schema["maximum"] ?? wanted);
  return Math.min(Math.max(wanted, least), most);
}
