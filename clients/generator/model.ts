import { type Json, list, record, resolved, textOf } from "./description.ts";

/*
 * What the description of the API says, without a word of any language: named shapes, groups of methods, events. The
 * printers beside this file write it down.
 */

/** A type of values. */
export type Shape =
  | { readonly kind: "plain"; readonly type: Plain }
  | { readonly kind: "enum"; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "map"; readonly of: Shape }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  | { readonly kind: "union" | "all"; readonly of: readonly Shape[] };

/** `amount` is money in major units; `file` is what an upload takes. */
export type Plain = "string" | "integer" | "number" | "amount" | "boolean" | "null" | "unknown" | "file";

/** A property, or a parameter of the query. */
export interface Field {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** Whether it is given only to who asks for it by `expand`. */
  readonly expanded: boolean;
  readonly shape: Shape;
}

/** A shape with a name of its own. */
export interface Named {
  readonly name: string;
  readonly about: string;
  readonly shape: Shape;
}

/** One operation of the API. */
export interface Method {
  readonly name: string;
  readonly about: string;
  readonly http: string;
  /** `/invoices/{id}/send`. */
  readonly path: string;
  readonly parameters: readonly string[];
  readonly query: { readonly name: string; readonly required: boolean } | null;
  readonly body: { readonly shape: Shape; readonly required: boolean; readonly form: boolean } | null;
  /** Whether the service stores its answer under an Idempotency-Key. */
  readonly keyed: boolean;
  /** `page`: a list that is read page by page, of `shape`. `file`: bytes, such as a PDF. */
  readonly answer: { readonly kind: "json" | "page" | "file"; readonly shape: Shape };
}

/** The methods whose paths begin with the same word: `invoices`. */
export interface Group {
  readonly name: string;
  readonly methods: readonly Method[];
}

/** Everything that a client is made of. */
export interface Model {
  readonly descriptionVersion: string;
  /** What `/me` and events call `apiVersion`. */
  readonly apiVersion: string;
  readonly named: readonly Named[];
  readonly groups: readonly Group[];
  /** Types of events with the shape of their `data`. */
  readonly events: readonly { readonly type: string; readonly about: string; readonly data: Shape }[];
}

/**
 * Numbers that are money, by their names, and numbers that are not. The description gives both one type; a new name has
 * to be added to one of the two.
 */
const AMOUNT =
  /amount|balance|fees?$|price|total|^(credit|debit|current|days\d+|older|tax|net|gross|due(Now)?|refunded|reversed|remaining|opening|closing|deferred|recognised|posted|earned|safe|atRisk|full|creditUsed|creditToNextRenewal|difference|reauthenticationLimit)$/i;
const NO_AMOUNT =
  /percent$|rate$|metadata$|^(quantity|count|debtors|upTo|over|includedUnits|line|invoices|debits|cards|minimumAmounts|collected|unpaid|pending|expectedUnpaid|properties)$/i;

/** Keywords that `shapeOf` reads, and those that say nothing of a type. Any other is an error, so that none is overlooked. */
const KNOWN =
  /^(type|properties|required|items|enum|const|\$ref|anyOf|oneOf|allOf|additionalProperties|description|format|default|examples?|deprecated|title|pattern|min\w*|max\w*|exclusiveM\w+|multipleOf|uniqueItems|contentEncoding|contentMediaType|x-[\w-]+)$/;

const plain = (type: Plain): Shape => ({ kind: "plain", type });

/** `Payment links`, `payment-links` and `paymentLinks` as `PaymentLinks`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => (word[0] ?? "").toUpperCase() + word.slice(1))
    .join("");

/** As `pascal`, with a small first letter. */
export const camel = (text: string): string => {
  const name = pascal(text);
  return (name[0] ?? "").toLowerCase() + name.slice(1);
};

/** The shape of a JSON Schema; `name` is the property's, by which amounts are told. */
function shapeOf(schema: Json | undefined, name: string): Shape {
  if (!schema) return plain("unknown");
  const strange = Object.keys(schema).find((keyword) => !KNOWN.test(keyword));
  if (strange !== undefined) throw new Error(`the keyword ${strange} of ${name} is not known here`);
  if (typeof schema["$ref"] === "string")
    return { kind: "named", name: pascal(schema["$ref"].split("/").at(-1) ?? "") };
  if ("const" in schema) return { kind: "enum", values: [schema["const"] as string] };
  if (Array.isArray(schema["enum"])) return { kind: "enum", values: schema["enum"] as string[] };
  for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
    const parts = list(schema[keyword]);
    if (parts.length > 0)
      return { kind: keyword === "allOf" ? "all" : "union", of: parts.map((part) => shapeOf(part, name)) };
  }
  const types = [schema["type"] ?? []].flat() as string[];
  const shapes = types.map((type) => shapeOfType(type, schema, name));
  const [only] = shapes;
  if (!only) return plain("unknown");
  return shapes.length === 1 ? only : { kind: "union", of: shapes };
}

function shapeOfType(type: string, schema: Json, name: string): Shape {
  if (type === "string") return plain(schema["format"] === "binary" ? "file" : "string");
  if (type === "array") return { kind: "list", of: shapeOf(record(schema["items"]), name) };
  if (type === "object") return shapeOfObject(schema, name);
  if (type !== "number") return plain(type as Plain);
  if (NO_AMOUNT.test(name)) return plain("number");
  if (AMOUNT.test(name)) return plain("amount");
  throw new Error(`say in clients/generator/model.ts whether the number ${name} is an amount of money`);
}

function shapeOfObject(schema: Json, name: string): Shape {
  const properties = Object.entries(record(schema["properties"]) ?? {});
  if (properties.length === 0) return { kind: "map", of: shapeOf(record(schema["additionalProperties"]), name) };
  const required = new Set(schema["required"] as string[] | undefined);
  const fields = properties.map(([key, value]) => fieldOf(key, value as Json, required.has(key)));
  return { kind: "object", fields };
}

const fieldOf = (name: string, schema: Json, required: boolean, about = textOf(schema["description"])): Field => ({
  name,
  about,
  required,
  expanded: schema["x-expand"] === true,
  shape: shapeOf(Object.keys(schema).length === 0 ? undefined : schema, name),
});

/** Reads the description of the client API. */
export function modelOf(document: Json): Model {
  const named = new Map<string, Named>();
  const keep = (name: string, about: string, shape: Shape): Shape => {
    if (named.has(name)) throw new Error(`two shapes are called ${name}`);
    named.set(name, { name, about, shape });
    return { kind: "named", name };
  };
  for (const [key, schema] of Object.entries(record(record(document["components"])?.["schemas"]) ?? {}))
    keep(pascal(key), textOf((schema as Json)["description"]), shapeOf(schema as Json, key));
  const groups = new Map<string, Method[]>();
  for (const [path, item] of Object.entries(record(document["paths"]) ?? {}))
    for (const http of ["get", "put", "post", "patch", "delete"]) {
      const operation = record((item as Json)[http]);
      if (!operation) continue;
      const group = camel(path.split("/")[1] ?? "");
      const methods = groups.get(group) ?? [];
      groups.set(group, methods);
      methods.push(methodOf({ document, path, http, operation, group, taken: methods.map(({ name }) => name), keep }));
    }
  return {
    descriptionVersion: textOf(record(document["info"])?.["version"]),
    apiVersion: textOf(record(document["info"])?.["x-api-version"]),
    named: [...named.values()],
    groups: [...groups].map(([name, methods]) => ({ name, methods })),
    events: Object.entries(record(document["webhooks"]) ?? {}).map(([type, item]) =>
      eventOf(type, item as Json, document),
    ),
  };
}

interface Asked {
  readonly document: Json;
  readonly path: string;
  readonly http: string;
  readonly operation: Json;
  readonly group: string;
  readonly taken: readonly string[];
  readonly keep: (name: string, about: string, shape: Shape) => Shape;
}

function methodOf({ document, path, http, operation, group, taken, keep }: Asked): Method {
  const id = textOf(operation["operationId"]);
  const summary = textOf(operation["summary"]);
  const parameters = list(operation["parameters"]).map((one) => resolved(document, one));
  const query = parameters.filter((one) => one["in"] === "query");
  const fields = query.map((one) =>
    fieldOf(textOf(one["name"]), record(one["schema"]) ?? {}, one["required"] === true, textOf(one["description"])),
  );
  if (fields.length > 0) keep(`${pascal(id)}Query`, `Parameters of: ${summary}.`, { kind: "object", fields });
  return {
    name: methodName(id, group, taken),
    about: [`${summary}.`, textOf(operation["description"])].filter(Boolean).join(" "),
    http: http.toUpperCase(),
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    query: fields.length > 0 ? { name: `${pascal(id)}Query`, required: fields.some(({ required }) => required) } : null,
    body: bodyOf(record(operation["requestBody"]), id, summary, keep),
    keyed: parameters.some((one) => one["name"] === "Idempotency-Key"),
    answer: answerOf(
      document,
      operation,
      { id, summary, paged: query.some((one) => one["name"] === "startingAfter") },
      keep,
    ),
  };
}

/** `sendInvoice` of `invoices` is `send`; the whole id where the short name is taken, or nothing would be left of it. */
function methodName(id: string, group: string, taken: readonly string[]): string {
  const many = pascal(group);
  const one = many
    .replace(/ies$/, "y")
    .replace(/(ch|s|x)es$/, "$1")
    .replace(/([^s])s$/, "$1");
  const found = new RegExp(`^([a-z]+)(?:${many}|${one})(?=[A-Z]|$)(.*)$`).exec(id);
  const short = found ? `${found[1]}${found[2]}` : id;
  if (taken.includes(id)) throw new Error(`two operations are called ${id}`);
  return taken.includes(short) ? id : short;
}

function bodyOf(body: Json | undefined, id: string, summary: string, keep: Asked["keep"]): Method["body"] {
  if (!body) return null;
  const [[media = "", content] = []] = Object.entries(record(body["content"]) ?? {});
  const shape = shapeOf(record((content as Json | undefined)?.["schema"]), id);
  return {
    shape: shape.kind === "named" ? shape : keep(`${pascal(id)}Body`, `Body of: ${summary}.`, shape),
    required: body["required"] === true,
    form: media === "multipart/form-data",
  };
}

interface Answered {
  readonly id: string;
  readonly summary: string;
  readonly paged: boolean;
}

function answerOf(
  document: Json,
  operation: Json,
  { id, summary, paged }: Answered,
  keep: Asked["keep"],
): Method["answer"] {
  const succeeded = Object.entries(record(operation["responses"]) ?? {}).filter(([status]) => /^2/.test(status));
  const [[media = "", content] = []] = succeeded.flatMap(([, given]) =>
    Object.entries(record(resolved(document, given as Json)["content"]) ?? {}),
  );
  if (media === "") return { kind: "json", shape: plain("null") };
  if (media !== "application/json") return { kind: "file", shape: plain("file") };
  const schema = record((content as Json)["schema"]) ?? {};
  if (paged) {
    const item = shapeOf(record(record(record(resolved(document, schema)["properties"])?.["data"])?.["items"]), id);
    const shape = item.kind === "object" ? keep(`${pascal(id)}Item`, `One of: ${summary}.`, item) : item;
    return { kind: "page", shape };
  }
  const shape = shapeOf(schema, id);
  return {
    kind: "json",
    shape: shape.kind === "named" ? shape : keep(`${pascal(id)}Answer`, `Answer of: ${summary}.`, shape),
  };
}

function eventOf(type: string, item: Json, document: Json): Model["events"][number] {
  const post = record(item["post"]) ?? {};
  const content = record(record(record(post["requestBody"])?.["content"])?.["application/json"]);
  const schema = resolved(document, record(content?.["schema"]) ?? {});
  const data = record(record(schema["properties"])?.["data"]);
  return { type, about: textOf(post["description"]), data: shapeOf(data, "data") };
}
