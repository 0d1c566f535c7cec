import type { JsonSchema } from "../openapi/json-schema.ts";
import { type Components, type ExampleOptions, exampleOf } from "./example.ts";
import { type Operation, tagsOf } from "./operations.ts";

/** Postman's variables stand between double braces. */
const BASE = "{{baseUrl}}";
const FORM = "multipart/form-data";
/** Of fields of which a body must have some, those that its example has; a test sends every body through its schema. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  updateSubscription: ["amount"],
  createQuote: ["customerId"],
  createMandate: ["customerId"],
  updateMandate: ["amount"],
  createCustomerSubscription: ["customer.id", "plan"],
  previewCustomerSubscriptionChange: ["plan"],
  changeCustomerSubscriptionPlan: ["plan"],
  createUsageEvents: ["events.subscriptionId"],
};

/**
 * The calls of the client API as a collection in Postman's format 2.1: a folder for each group, the key and the base
 * URL as variables, bodies that the description's schemas accept.
 */
export function postmanCollection(document: JsonSchema, baseUrl: string): JsonSchema {
  const components = (document["components"] as { schemas: Components }).schemas;
  const { title, version } = document["info"] as { title: string; version: string };
  return {
    info: {
      name: title,
      version,
      description: `Set the variable apiKey to a key of your organisation. ${baseUrl}/docs describes every call.`,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: `${baseUrl}/api/v1`, type: "string" },
      { key: "apiKey", value: "", type: "string" },
    ],
    item: tagsOf(document).map(({ name, about, operations }) => ({
      name,
      description: about,
      item: operations.map((operation) => itemOf(operation, components)),
    })),
  };
}

function itemOf(operation: Operation, components: Components): JsonSchema {
  const { method, summary, description, parameters, bodies } = operation;
  const takesKey = parameters.some((parameter) => parameter["name"] === "Idempotency-Key");
  return {
    name: summary,
    request: {
      method,
      description,
      header: [
        ...(bodies["application/json"] ? [{ key: "Content-Type", value: "application/json" }] : []),
        ...(takesKey ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
      ],
      url: urlOf(operation),
      ...bodyOf(operation, components),
    },
    response: [],
  };
}

function urlOf({ path, parameters }: Operation): JsonSchema {
  const parts = path.split("/").filter((part) => part !== "");
  const named = parts.map((part) => part.replace(/^\{(\w+)\}$/, ":$1"));
  const described = (place: string) =>
    parameters
      .filter((parameter) => parameter["in"] === place)
      .map((parameter) => ({
        key: String(parameter["name"]),
        value: "",
        description: String(parameter["description"] ?? ""),
      }));
  const query = described("query").map((parameter) => ({ ...parameter, disabled: true }));
  const variable = described("path");
  return {
    raw: `${BASE}/${named.join("/")}`,
    host: [BASE],
    path: named,
    ...(query.length > 0 ? { query } : {}),
    ...(variable.length > 0 ? { variable } : {}),
  };
}

function bodyOf({ id, bodies }: Operation, components: Components): JsonSchema {
  const json = bodies["application/json"];
  if (json) {
    const raw = bodyText(json.schema, { components, sparse: true, also: ALSO[id] ?? [] });
    return { body: { mode: "raw", raw, options: { raw: { language: "json" } } } };
  }
  const form = bodies[FORM];
  if (!form) return {};
  const schema = exampleSchema(form.schema, components);
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  return {
    body: {
      mode: "formdata",
      formdata: fields.map(([key, field]) =>
        field["format"] === "binary"
          ? { key, type: "file", src: [] }
          : {
              key,
              type: "text",
              value: String(exampleOf(field, { components, sparse: true }, key)),
              disabled: !required.has(key),
            },
      ),
    },
  };
}

const bodyText = (schema: JsonSchema, options: ExampleOptions): string =>
  JSON.stringify(exampleOf(schema, options), null, 2);

const exampleSchema = (schema: JsonSchema, components: Components): JsonSchema => {
  const reference = schema["$ref"];
  return typeof reference === "string" ? (components[reference.split("/").at(-1) ?? ""] ?? {}) : schema;
};
