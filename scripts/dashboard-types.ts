import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putGenerated } from "./generated/file.ts";

/*
 * node scripts/dashboard-types.ts [--check]: writes the types of the dashboard's API from openapi-dashboard.json
 * (decisions.md#types-by-our-own-script), or compares them and ends with 1 when they differ.
 */

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: Json }> };
  readonly responses: Record<string, Json>;
}

const ROOT = join(import.meta.dirname, "..");
const TARGET = "dashboard/src/api/generated/schema.ts";
const METHODS = ["get", "put", "post", "patch", "delete"];
const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};
/**
 * Keywords without an effect on the TypeScript type, and those that `typeOf` reads. Any other keyword is an error, so
 * that none is overlooked.
 */
const KNOWN =
  /^(type|properties|required|items|enum|const|\$ref|anyOf|oneOf|allOf|additionalProperties|description|format|default|examples?|deprecated|title|pattern|min\w*|max\w*|exclusiveM\w+|multipleOf|uniqueItems|contentEncoding|contentMediaType|x-[\w-]+)$/;

const name = (text: string): string => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text));
const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");
const braces = (members: readonly string[]): string =>
  members.length === 0 ? "Record<string, never>" : `{\n${members.join("\n")}\n}`;

/** The TypeScript of a JSON Schema. */
function typeOf(schema: Json | undefined): string {
  if (!schema) return "unknown";
  const strange = Object.keys(schema).find((keyword) => !KNOWN.test(keyword));
  if (strange) throw new Error(`the keyword ${strange} is not known here`);
  if (typeof schema["$ref"] === "string") return reference(schema["$ref"]);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map((value) => JSON.stringify(value)));
  for (const keyword of ["anyOf", "oneOf"] as const)
    if (Array.isArray(schema[keyword])) return union((schema[keyword] as Json[]).map(typeOf));
  if (Array.isArray(schema["allOf"])) return (schema["allOf"] as Json[]).map((part) => `(${typeOf(part)})`).join(" & ");
  const types = [schema["type"] ?? []].flat() as string[];
  if (types.length === 0) return "unknown";
  return union(types.map((type) => PLAIN[type] ?? (type === "array" ? arrayOf(schema) : objectOf(schema))));
}

const reference = (text: string): string => {
  const [, , kind = "", what = ""] = text.split("/");
  return `components[${JSON.stringify(kind)}][${JSON.stringify(what)}]`;
};

const arrayOf = (schema: Json): string => `(${typeOf(schema["items"] as Json | undefined)})[]`;

function objectOf(schema: Json): string {
  const required = new Set((schema["required"] ?? []) as string[]);
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const extra = schema["additionalProperties"];
  if (properties.length === 0)
    return `Record<string, ${typeof extra === "object" && extra !== null ? typeOf(extra as Json) : "unknown"}>`;
  return braces(
    properties.map(([key, value]) => {
      const about =
        typeof value["description"] === "string" ? `/** ${value["description"].replaceAll("*/", "* /")} */\n` : "";
      return `${about}${name(key)}${required.has(key) ? "" : "?"}: ${typeOf(value)};`;
    }),
  );
}

function parametersOf(parameters: readonly Json[]): string {
  const places = ["query", "header", "path", "cookie"].flatMap((place) => {
    const own = parameters.filter((parameter) => parameter["in"] === place);
    if (own.length === 0) return [];
    const members = own.map(
      (parameter) =>
        `${name(String(parameter["name"]))}${parameter["required"] === true ? "" : "?"}: ${typeOf(parameter["schema"] as Json)};`,
    );
    const optional = own.every((parameter) => parameter["required"] !== true);
    return [`${place}${optional ? "?" : ""}: ${braces(members)};`];
  });
  return places.length === 0 ? "{ query?: never }" : braces(places);
}

const contentOf = (content: Record<string, { readonly schema?: Json }>): string =>
  braces(Object.entries(content).map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema)};`));

function operationOf(operation: Operation, shared: readonly Json[], document: Json): string {
  const resolve = (value: Json): Json => {
    if (typeof value["$ref"] !== "string") return value;
    const parts = value["$ref"].split("/").slice(1);
    return parts.reduce<unknown>((at, part) => (at as Json)[part], document) as Json;
  };
  // Every refusal has one shape.
  const succeeded = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
  const responses = succeeded.map(([status, given]) => {
    const { content } = resolve(given) as { content?: Record<string, { readonly schema?: Json }> };
    return `${status}: { content${content ? `: ${contentOf(content)}` : "?: never"} };`;
  });
  const body = operation.requestBody;
  return braces([
    `parameters: ${parametersOf([...shared, ...(operation.parameters ?? [])].map(resolve))};`,
    body ? `requestBody: { content: ${contentOf(body.content)} };` : "requestBody?: never;",
    `responses: ${braces([...responses, `default: { content: { "application/json": components["schemas"]["Error"] } };`])};`,
  ]);
}

/** The text of the file of types for an OpenAPI document, in the shape that openapi-fetch reads. */
function typesOf(document: Json): string {
  const paths = Object.entries(document["paths"] as Record<string, Record<string, unknown>>).map(([path, item]) => {
    const shared = (item["parameters"] ?? []) as Json[];
    const operations = METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation ? [`${method}: ${operationOf(operation, shared, document)};`] : [];
    });
    return `${JSON.stringify(path)}: ${braces(operations)};`;
  });
  const schemas = Object.entries((document["components"] as Json)["schemas"] as Record<string, Json>).map(
    ([key, schema]) => `${name(key)}: ${typeOf(schema)};`,
  );
  return [
    "// Generated by npm run generate (scripts/dashboard-types.ts) from openapi-dashboard.json.",
    "",
    "/** Each path of the dashboard's API, as openapi-fetch reads it. */",
    `export interface paths ${braces(paths)}`,
    "",
    "/** Its named shapes. */",
    `export interface components ${braces([`schemas: ${braces(schemas)};`])}`,
    "",
  ].join("\n");
}

const document = JSON.parse(readFileSync(join(ROOT, "openapi-dashboard.json"), "utf8")) as Json;
if (!putGenerated(TARGET, typesOf(document), process.argv.includes("--check"), "npm run generate"))
  process.exitCode = 1;
