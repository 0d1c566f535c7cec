import { assert } from "../../kernel/assert.ts";
import { type JsonSchema, REFERENCE } from "./json-schema.ts";

type Components = Map<string, JsonSchema>;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** What a schema takes, without words about it and in any order: two schemas with the same have one component. */
const shapeOf = (schema: JsonSchema): string =>
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === "description" && typeof value === "string") return undefined;
    return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });

/** The schema without null, and whether it accepted null. */
function withoutNull(schema: JsonSchema): { readonly bare: JsonSchema; readonly accepts: boolean } {
  const { type, enum: values, ...rest } = schema;
  if (!Array.isArray(type) || !type.includes("null")) return { bare: schema, accepts: false };
  const others = type.filter((one) => one !== "null");
  return {
    bare: {
      ...rest,
      type: others.length === 1 ? others[0] : others,
      ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    },
    accepts: true,
  };
}

/** Replaces schemas below a node: what `change` gives for one, else what is below it is replaced. */
function mapped(node: unknown, change: (schema: JsonSchema) => JsonSchema | null): unknown {
  if (Array.isArray(node)) return node.map((one) => mapped(one, change));
  if (!isObject(node)) return node;
  const isSchema = ["type", "anyOf", "oneOf"].some((keyword) => keyword in node);
  return (isSchema ? change(node) : null) ?? within(node, change);
}

const within = (node: JsonSchema, change: (schema: JsonSchema) => JsonSchema | null): JsonSchema =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapped(value, change)]));

/** The schema at a place such as `Invoice.lines.discount`, within arrays, choices that may be null, and references. */
function schemaAt(components: Components, place: string): JsonSchema | undefined {
  const [component = "", ...names] = place.split(".");
  let at = components.get(component);
  for (const name of names) at = propertyOf(components, opened(components, at), name);
  return at && opened(components, at);
}

/** The property of a schema, or of the first of its choices that has it. */
function propertyOf(components: Components, schema: JsonSchema, name: string): JsonSchema | undefined {
  const choices = ((schema["anyOf"] ?? schema["oneOf"] ?? []) as JsonSchema[]).map((one) => opened(components, one));
  const holder = [schema, ...choices].find((one) => isObject(one["properties"]) && name in one["properties"]);
  return (holder?.["properties"] as Record<string, JsonSchema> | undefined)?.[name];
}

function opened(components: Components, schema: JsonSchema | undefined): JsonSchema {
  if (!schema) return {};
  const reference = schema["$ref"];
  if (typeof reference === "string") return opened(components, components.get(reference.replace(REFERENCE, "")));
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  const [choice, ...others] = (choices ?? []).filter((one) => one["type"] !== "null");
  if (choice && others.length === 0) return opened(components, choice);
  return isObject(schema["items"]) ? opened(components, schema["items"]) : withoutNull(schema).bare;
}

/**
 * Gives the shapes that stand at the named places components of their own, and refers to them wherever the same shape
 * stands. `shapes`: the name of each, and its place, `Component.property` (the documents of both APIs may lack some).
 */
export function shareShapes(
  document: JsonSchema,
  components: Components,
  shapes: Readonly<Record<string, string>>,
): JsonSchema {
  const found = Object.entries(shapes).flatMap(([name, place]): [string, JsonSchema][] => {
    const { description: _words, ...shape } = schemaAt(components, place) ?? {};
    return Object.keys(shape).length > 0 ? [[name, shape]] : [];
  });
  const names = new Map(found.map(([name, shape]) => [shapeOf(shape), name]));
  const refer = (schema: JsonSchema): JsonSchema | null => {
    const { bare, accepts } = withoutNull(schema);
    const name = names.get(shapeOf(bare));
    if (name === undefined) return null;
    const words = schema["description"] === undefined ? {} : { description: schema["description"] };
    const reference = { $ref: `${REFERENCE}${name}` };
    return accepts ? { anyOf: [reference, { type: "null" }], ...words } : { ...reference, ...words };
  };
  for (const [name, component] of components) components.set(name, within(component, refer));
  for (const [name, shape] of found) {
    assert(!components.has(name), `only one shape is called ${name}`);
    components.set(name, within(shape, refer));
  }
  return within(document, refer);
}

/** What answers are called after their operation, by status. */
const RESULTS: Readonly<Record<string, string>> = { 200: "Result", 201: "Created", 202: "Result" };

/**
 * Names the bodies and replies of an operation that have no name: `CreateInvoice`, `InvoiceList`, else
 * `RetrySubscriptionResult`. Adds them to `components`.
 */
export function nameBodies(operation: JsonSchema, components: Components): JsonSchema {
  const id = pascal(String(operation["operationId"]));
  const named = (schema: JsonSchema, name: string): JsonSchema => {
    if (schema["$ref"] !== undefined || !("properties" in schema || "oneOf" in schema || "anyOf" in schema))
      return schema;
    const known = components.get(name);
    assert(!known || shapeOf(known) === shapeOf(schema), `one shape is called ${name}`);
    if (!known) components.set(name, schema);
    return { $ref: `${REFERENCE}${name}` };
  };
  const content = (part: JsonSchema, nameOf: (schema: JsonSchema) => string): JsonSchema => {
    if (!isObject(part["content"])) return part;
    const media = Object.entries(part["content"]).map(([type, value]) => {
      const schema = (value as JsonSchema)["schema"] as JsonSchema;
      return [type, { ...(value as JsonSchema), schema: named(schema, nameOf(schema)) }];
    });
    return { ...part, content: Object.fromEntries(media) };
  };
  const body = operation["requestBody"];
  const responses = Object.entries(operation["responses"] as Record<string, JsonSchema>);
  return {
    ...operation,
    ...(isObject(body) ? { requestBody: content(body, () => id) } : {}),
    responses: Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        content(response, (schema) => listName(schema) ?? `${id}${RESULTS[status] ?? "Refusal"}`),
      ]),
    ),
  };
}

/** What the items of lists are called that show less or more of a record than the record itself. */
const ITEM = /(Summary|WithPayments)$/;

/** `InvoiceList` for a list of invoices; null for what is no list of a named schema, or has more than a list. */
function listName(schema: JsonSchema): string | null {
  const properties = schema["properties"] as Record<string, { readonly items?: JsonSchema }> | undefined;
  const reference = properties?.["data"]?.items?.["$ref"];
  if (typeof reference !== "string" || Object.keys(properties ?? {}).length !== 3) return null;
  return `${reference.replace(REFERENCE, "").replace(ITEM, "")}List`;
}
