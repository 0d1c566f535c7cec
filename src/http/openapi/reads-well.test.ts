import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLIENT_ENDPOINTS, EVENTS } from "../../catalogue.ts";
import { clientDocument } from "../openapi.ts";
import type { JsonSchema } from "./json-schema.ts";
import { SHAPES } from "./shapes.ts";

/*
 * The client API's description, as a reader of a generated client meets it: names of operations begin with a verb, bodies,
 * lists and sets of values have names of their own, and every property says what it is and in which unit.
 */

const VERBS = [
  ...[
    "accept",
    "add",
    "apply",
    "approve",
    "cancel",
    "change",
    "charge",
    "close",
    "convert",
    "create",
    "decline",
    "delete",
    "draft",
    "duplicate",
    "export",
    "get",
    "hold",
    "ignore",
  ],
  ...[
    "import",
    "list",
    "mark",
    "match",
    "migrate",
    "move",
    "notify",
    "pause",
    "preview",
    "reactivate",
    "refund",
    "reject",
    "release",
    "reopen",
    "replay",
    "report",
  ],
  ...[
    "resend",
    "resume",
    "retry",
    "rewind",
    "rotate",
    "search",
    "send",
    "set",
    "submit",
    "sync",
    "test",
    "unmatch",
    "update",
    "upload",
    "withdraw",
  ],
];
const LONGEST = 45;

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Record<string, Content>;
}
interface Content {
  readonly content?: Record<string, { readonly schema: JsonSchema }>;
}

const document = JSON.parse(JSON.stringify(clientDocument(CLIENT_ENDPOINTS, EVENTS))) as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: JsonSchema;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

interface Property {
  readonly place: string;
  readonly name: string;
  readonly schema: JsonSchema;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** The schemas in a part of a document, each with its place. */
function schemasIn(schema: unknown, place: string): { place: string; schema: JsonSchema }[] {
  if (!isSchema(schema)) return [];
  const lists = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => (schema[keyword] ?? []) as JsonSchema[]);
  const inner = [...lists, schema["items"], schema["additionalProperties"]];
  // What an expanded record repeats has been read where it stands in the record itself.
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).filter(
    ([, one]) => !one["x-expand"],
  );
  return [
    { place, schema },
    ...inner.flatMap((one) => schemasIn(one, place)),
    ...properties.flatMap(([name, one]) => schemasIn(one, `${place}.${name}`)),
  ];
}

const components = Object.entries(document.components.schemas);
const schemas = components.flatMap(([name, schema]) => schemasIn(schema, name));
const properties: Property[] = schemas.flatMap(({ place, schema }) =>
  Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(([name, one]) => ({
    place: `${place}.${name}`,
    name,
    schema: one,
  })),
);

describe("the client API's description reads well", () => {
  test("names of operations begin with a verb and are short", () => {
    for (const { operationId } of operations) {
      assert.ok(VERBS.includes(/^[a-z]+/.exec(operationId)?.[0] ?? ""), operationId);
      assert.ok(operationId.length <= LONGEST, `${operationId} is longer than ${LONGEST}`);
    }
  });

  test("the operations that shops begin with are called as a reader expects", () => {
    const names = new Set(operations.map(({ operationId }) => operationId));
    for (const name of [
      "createPaymentLink",
      "listInvoices",
      "getInvoice",
      "refundTransaction",
      "resendWebhookDelivery",
      "createCustomerSubscription",
      "moveTestClock",
      "exportInvoices",
      "createUsageEvents",
    ])
      assert.ok(names.has(name), name);
  });

  test("every JSON body and answer has a name", () => {
    for (const { operationId, requestBody, responses } of operations)
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)])
        for (const [type, { schema }] of Object.entries(content))
          if (type === "application/json") assert.ok(schema["$ref"] || schema["type"] === "array", operationId);
  });

  test("a list is called after its records", () => {
    const names = new Set(components.map(([name]) => name));
    for (const name of ["CreateInvoice", "UpdateCustomer", "InvoiceList", "PaymentLinkList", "InvoiceStatus"])
      assert.ok(names.has(name), name);
  });

  test("every set of values has a name", () => {
    const unnamed = schemas
      .filter(({ place, schema }) => Array.isArray(schema["enum"]) && schema["enum"].length > 1 && place.includes("."))
      .map(({ place }) => place)
      .filter((place) => !/\.dryRun$/.test(place));
    assert.deepEqual(unnamed, [], "add them to src/http/openapi/shapes.ts");
  });

  test("what stands at several places has a name", () => {
    const places = new Map<string, string[]>();
    for (const { place, schema } of schemas) {
      if (!place.includes(".") || !schema["properties"]) continue;
      const { description: _words, ...shape } = schema;
      const key = JSON.stringify(shape);
      places.set(key, [...(places.get(key) ?? []), place]);
    }
    assert.deepEqual(
      [...places.values()].filter((found) => found.length > 1),
      [],
      "add them to src/http/openapi/shapes.ts",
    );
  });

  test("every shape that is to have a name has it", () => {
    const names = new Set(components.map(([name]) => name));
    assert.deepEqual(
      Object.keys(SHAPES).filter((name) => !names.has(name)),
      [],
    );
  });

  test("every property is described", () => {
    const silent = properties.filter(({ schema }) => typeof schema["description"] !== "string");
    assert.deepEqual(
      silent.map(({ place }) => place),
      [],
      "describe them where they are declared, or in src/http/openapi/words",
    );
    for (const { place, schema } of properties) assert.match(String(schema["description"]), /\.$|\.\)$/, place);
  });

  test("every moment, day, amount and share says its unit", () => {
    for (const { place, name, schema } of properties) {
      const words = String(schema["description"]);
      const types = [schema["type"]].flat();
      if (schema["format"] === "date-time") assert.match(words, /UTC/, place);
      if (schema["format"] === "date") assert.match(words, /YYYY-MM-DD/, place);
      if (types.includes("number") && !/Percent$/.test(name) && /[aA]mount|[pP]rice|[fF]ee$|^total$/.test(name))
        assert.match(words, /major units|[Rr]and/, place);
      if (types.includes("number") && /[pP]ercent|[rR]ate$/.test(name))
        assert.match(words, /percent|[Pp]ercent|[Rr]and/, place);
    }
  });
});
