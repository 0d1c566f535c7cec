import type { JsonSchema } from "../openapi/json-schema.ts";

/** A call of the API, as its description has it. */
export interface Operation {
  /** `GET` */
  readonly method: string;
  /** Below `/api/v1`, with parameters as `{id}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly parameters: readonly JsonSchema[];
  /** By media type. */
  readonly bodies: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** A group of calls. */
export interface Tag {
  readonly name: string;
  readonly about: string;
  readonly operations: readonly Operation[];
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);
const PARAMETER = "#/components/parameters/";

/** The calls of a description by their groups, in its order. */
export function tagsOf(document: JsonSchema): Tag[] {
  const operations = operationsOf(document);
  const tags = document["tags"] as { name: string; description: string }[];
  return tags
    .map(({ name, description }) => ({
      name,
      about: description,
      operations: operations.filter(({ tag }) => tag === name),
    }))
    .filter((tag) => tag.operations.length > 0);
}

function operationsOf(document: JsonSchema): Operation[] {
  const shared = (document["components"] as { parameters?: Record<string, JsonSchema> }).parameters ?? {};
  const named = (parameter: JsonSchema): JsonSchema => {
    const reference = parameter["$ref"];
    return typeof reference === "string" ? (shared[reference.slice(PARAMETER.length)] ?? {}) : parameter;
  };
  return Object.entries(document["paths"] as Record<string, Record<string, JsonSchema>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        id: String(operation["operationId"]),
        summary: String(operation["summary"] ?? ""),
        description: String(operation["description"] ?? ""),
        tag: String((operation["tags"] as string[] | undefined)?.[0] ?? ""),
        parameters: ((operation["parameters"] as JsonSchema[] | undefined) ?? []).map(named),
        bodies:
          (operation["requestBody"] as { content?: Record<string, { schema: JsonSchema }> } | undefined)?.content ?? {},
      })),
  );
}
