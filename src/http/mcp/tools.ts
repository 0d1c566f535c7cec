import { mayUse } from "../../modules/api-keys/rules.ts";
import { type Endpoint, isForSandbox, takesKey } from "../endpoint.ts";
import { scopesOf } from "../key-scopes.ts";
import { type JsonSchema, REFERENCE } from "../openapi/json-schema.ts";

/** An endpoint of the client API as a tool of an assistant. */
export interface Tool {
  /** The operation's name in the description of the API. */
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Whether it changes nothing. */
  readonly onlyReads: boolean;
  /** Parameters of the query, and whether they are lists. */
  readonly query: ReadonlyMap<string, boolean>;
  /** As `tools/list` shows it. */
  readonly shown: JsonSchema;
}

/** Whose tools are asked for: what `GET /me` says of a key. */
export interface KeyHolder {
  readonly organisation: { readonly name: string; readonly sandbox: boolean };
  readonly plan: { readonly features: readonly string[] };
  readonly key: { readonly scopes: readonly string[] | null; readonly permissions: readonly string[] } | null;
}

/** The argument that holds an Idempotency-Key. */
const KEY_ARGUMENT = "idempotencyKey";

interface Operation extends JsonSchema {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { schema: JsonSchema }> };
}

interface Parameter extends JsonSchema {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
}

/**
 * A tool for each endpoint that takes and answers JSON, in the description's order. Files are left out, and so are the
 * addresses that clients know from another service.
 */
export function toolsOf(endpoints: readonly Endpoint[], document: JsonSchema): Tool[] {
  const paths = document["paths"] as Record<string, Record<string, Operation>>;
  const schemas = (document["components"] as { schemas: Record<string, JsonSchema> }).schemas;
  return endpoints
    .filter(({ audience, base, kind }) => audience === "clients" && !base && !FILES.has(kind))
    .map((endpoint) => {
      const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()];
      if (!operation) throw new Error(`the description lacks ${endpoint.method} ${endpoint.path}`);
      return toolOf(endpoint, operation, schemas);
    });
}

const FILES: ReadonlySet<Endpoint["kind"]> = new Set(["upload", "import", "download"]);

function toolOf(endpoint: Endpoint, operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): Tool {
  const { operationId: name, summary, description, parameters = [], requestBody } = operation;
  const onlyReads = endpoint.kind === "read" || endpoint.method === "GET";
  const placed = parameters.filter((one) => one.in === "path" || one.in === "query");
  const body = requestBody?.content["application/json"]?.schema;
  const properties = {
    ...Object.fromEntries(placed.map((one) => [one.name, { ...one.schema, description: one.description }])),
    ...(body ? { body } : {}),
    ...(takesKey(endpoint)
      ? { [KEY_ARGUMENT]: { type: "string", maxLength: 200, description: "Calls with the same key are one call." } }
      : {}),
  };
  const required = [
    ...placed.flatMap((one) => (one.required && one.name ? [one.name] : [])),
    ...(requestBody?.required ? ["body"] : []),
  ];
  return {
    name,
    endpoint,
    onlyReads,
    query: new Map(
      placed.flatMap(({ in: place, name: one, schema }) =>
        place === "query" && one ? [[one, schema?.["type"] === "array"]] : [],
      ),
    ),
    shown: {
      name,
      title: summary,
      description: [`${summary}.`, description].filter(Boolean).join(" "),
      inputSchema: closed({ type: "object", properties, required, additionalProperties: false }, schemas),
      annotations: { readOnlyHint: onlyReads, openWorldHint: false },
    },
  };
}

/** A schema with the named ones that it needs in `$defs`. */
function closed(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const needed = new Map<string, JsonSchema>();
  const local = (node: unknown): unknown =>
    JSON.parse(JSON.stringify(node), (key, value: unknown) => {
      if (key !== "$ref" || typeof value !== "string" || !value.startsWith(REFERENCE)) return value;
      const name = value.slice(REFERENCE.length);
      if (!needed.has(name)) {
        needed.set(name, {});
        needed.set(name, local(schemas[name] ?? {}) as JsonSchema);
      }
      return `#/$defs/${name}`;
    });
  const own = local(schema) as JsonSchema;
  return needed.size > 0 ? { ...own, $defs: Object.fromEntries(needed) } : own;
}

/** Whether tools of the organisation may change something: those of a live one only read. */
export const mayChange = ({ organisation }: KeyHolder): boolean => organisation.sandbox;

/** Whether a key is offered a tool: its scopes, its permissions, the plan and the organisation allow the call. */
export function isOffered({ endpoint, onlyReads }: Tool, holder: KeyHolder): boolean {
  const { scopes = null, permissions = [] } = holder.key ?? {};
  const needed = scopesOf(endpoint);
  return (
    (onlyReads || mayChange(holder)) &&
    (holder.organisation.sandbox || !isForSandbox(endpoint)) &&
    (needed.length === 0 || needed.some((scope) => mayUse(scopes, scope))) &&
    (!endpoint.keyPermission || permissions.includes(endpoint.keyPermission)) &&
    (!endpoint.feature || holder.plan.features.includes(endpoint.feature))
  );
}

/** What is sent to the API for a call of a tool. */
export interface ApiCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string | null;
  readonly idempotencyKey: string | null;
}

/** The request that a call of a tool makes. Throws `WrongArguments`. */
export function apiCallOf({ endpoint, query: declared }: Tool, given: Readonly<Record<string, unknown>>): ApiCall {
  const { [KEY_ARGUMENT]: key, body, ...rest } = given;
  const left = new Set(Object.keys(rest));
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    left.delete(name);
    return segmentOf(name, rest[name]);
  });
  const query = new URLSearchParams();
  for (const [name, isList] of declared) {
    left.delete(name);
    const value = isList && Array.isArray(rest[name]) ? rest[name].join(",") : rest[name];
    for (const [field, text] of valuesOf(name, value)) query.append(field, text);
  }
  const [unknown] = left;
  if (unknown !== undefined) throw new WrongArguments(`There is no argument "${unknown.slice(0, 100)}".`);
  if (body !== undefined && !endpoint.body) throw new WrongArguments(`This tool has no argument "body".`);
  if (key !== undefined && (typeof key !== "string" || /\p{Cc}/u.test(key)))
    throw new WrongArguments(`"${KEY_ARGUMENT}" must be text on one line.`);
  return {
    method: endpoint.method,
    url: `/api/v1${path}${query.size > 0 ? `?${query}` : ""}`,
    body: body === undefined ? null : JSON.stringify(body),
    idempotencyKey: takesKey(endpoint) ? (key ?? null) : null,
  };
}

/** Arguments that make no request; the message says what to change. */
export class WrongArguments extends Error {
  override readonly name = "WrongArguments";
}

/** A part of a path. Dots alone would lead to another path. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || /^\.+$/.test(value))
    throw new WrongArguments(`"${name}" must be an id or reference, as text.`);
  return encodeURIComponent(value.toWellFormed());
}

function valuesOf(name: string, value: unknown): (readonly [string, string])[] {
  if (value === undefined || value === null) return [];
  if (["string", "number", "boolean"].includes(typeof value)) return [[name, String(value)]];
  if (Array.isArray(value)) throw new WrongArguments(`"${name}" must be one value.`);
  return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, String(one)]);
}
