import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS, EVENTS } from "../catalogue.ts";
import { filter, limit, optional, text } from "../platform/schema.ts";
import { endpoint } from "./endpoint.ts";
import { listOf } from "./lists.ts";
import { clientDocument, dashboardDocument } from "./openapi.ts";

interface Operation {
  tags: string[];
  operationId: string;
  description?: string;
  parameters?: { $ref?: string; name?: string; schema?: unknown }[];
  requestBody?: { required: boolean; content: { "application/json": { schema: Record<string, unknown> } } };
  responses: Record<
    string,
    { headers?: object; content?: { "application/json": { schema: { properties: object } } }; $ref?: string }
  >;
}
interface Envelope {
  properties: Record<string, { $ref?: string }>;
}
interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, { requestBody: { content: { "application/json": { schema: Envelope } } } }>>;
  components: Record<string, Record<string, Record<string, unknown>>>;
}

/** The document after a round trip through JSON. */
const written = (document: object) => JSON.parse(JSON.stringify(document)) as Document;
/** The operation; fails when path or method is missing. */
function operationAt(document: Document, path: string, method: string): Operation {
  const operation = document.paths[path]?.[method];
  assert.ok(operation, `${method} ${path}`);
  return operation;
}

const operationsOf = (document: Pick<Document, "paths">) =>
  Object.values(document.paths).flatMap((path) => Object.values(path));

/** Every `$ref` in the document. */
function references(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => (key === "$ref" ? [String(value)] : references(value)));
}

for (const [name, document, endpoints] of [
  ["client", clientDocument(CLIENT_ENDPOINTS, EVENTS), CLIENT_ENDPOINTS],
  ["dashboard", dashboardDocument(DASHBOARD_ENDPOINTS), DASHBOARD_ENDPOINTS],
] as const)
  describe(`the ${name} API's description`, () => {
    const { paths, components, tags } = written(document);

    test("has every endpoint that is mounted", () => {
      for (const { method, path } of endpoints)
        assert.ok(paths[path]?.[method.toLowerCase()], `${method} ${path} is described`);
    });

    test("refers to components that it has, and has none without a reference", () => {
      const referred = new Set(references(document));
      const held = Object.entries(components)
        .filter(([kind]) => kind !== "securitySchemes")
        .flatMap(([kind, entries]) => Object.keys(entries).map((entry) => `#/components/${kind}/${entry}`));
      assert.deepEqual([...referred].sort(), held.sort());
    });

    test("names each operation once", () => {
      const ids = operationsOf({ paths }).map(({ operationId }) => operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/);
    });

    test("has a sentence about each group", () => {
      const described = new Map(tags.map(({ name, description }) => [name, description]));
      assert.equal(described.size, tags.length);
      for (const {
        operationId,
        tags: [tag = "", ...others],
      } of operationsOf({ paths })) {
        assert.ok(described.get(tag), operationId);
        assert.deepEqual(others, []);
      }
    });

    test("has the refusals of every endpoint that changes something", () => {
      for (const operations of Object.values(paths))
        for (const [method, { operationId, responses }] of Object.entries(operations))
          if (method !== "get") for (const status of [400, 413, 415]) assert.ok(responses[status], operationId);
    });

    test("has the gateway's refusal for every endpoint that may ask a gateway, which no read does", () => {
      for (const { method, path, kind } of endpoints) {
        const { operationId, responses } = operationAt({ paths, components, tags }, path, method.toLowerCase());
        const asks = method !== "GET" && ["gateway", "run", "import"].includes(kind);
        assert.equal(responses[502] !== undefined, asks, operationId);
      }
    });

    test("describes every path parameter", () => {
      for (const [path, operations] of Object.entries(paths))
        for (const { parameters = [] } of Object.values(operations))
          for (const [, wanted] of path.matchAll(/\{(\w+)\}/g))
            assert.ok(
              parameters.some((parameter) => parameter.name === wanted),
              `${path} describes ${wanted}`,
            );
    });
  });

test("a customer's metadata may be null, which clears it (interface 2.1)", () => {
  const document = written(clientDocument(CLIENT_ENDPOINTS, EVENTS));
  const { requestBody } = operationAt(document, "/customers/{id}", "patch");
  assert.deepEqual(requestBody?.content["application/json"].schema, { $ref: "#/components/schemas/UpdateCustomer" });
  const fields = document.components["schemas"]?.["UpdateCustomer"]?.["properties"] as
    | Record<string, object>
    | undefined;
  assert.partialDeepStrictEqual(fields?.["metadata"], {
    anyOf: [{ $ref: "#/components/schemas/GivenMetadata" }, { type: "null" }],
  });
});

test("every event's body is described in full", () => {
  const { webhooks, components } = written(clientDocument(CLIENT_ENDPOINTS, EVENTS));
  assert.deepEqual(Object.keys(webhooks ?? {}).toSorted(), EVENTS.map(({ name }) => name).toSorted());
  for (const { name, data } of EVENTS) {
    const body = webhooks?.[name]?.["post"]?.requestBody.content["application/json"].schema.properties;
    const described = body?.["data"] as { $ref?: string; anyOf?: { $ref: string }[] } | undefined;
    const fields = (described?.anyOf ?? [described]).map((one) => {
      const reference = String(one?.$ref).split("/").at(-1) ?? "";
      const component = components["schemas"]?.[reference] as { properties?: Record<string, object> } | undefined;
      const properties = component?.properties ?? {};
      return Object.keys(properties).filter((name) => !("x-expand" in (properties[name] ?? {})));
    });
    const declared = data instanceof z.ZodUnion ? (data.options as readonly z.ZodObject[]) : [data as z.ZodObject];
    assert.deepEqual(
      fields,
      declared.map(({ shape }) => Object.keys(shape)),
      name,
    );
  }
});

describe("an endpoint's declaration becomes", () => {
  const Box = z.object({ id: z.string(), size: z.int(), note: z.string().nullable() }).meta({ id: "Box" });
  const boxes = [
    endpoint({
      audience: "clients",
      tag: { name: "Boxes", about: "Boxes." },
      method: "GET",
      path: "/boxes",
      summary: "List boxes",
      permission: "products:read",
      feature: "payment_links",
      query: z.object({ q: filter(), limit: limit() }),
      replies: { 200: listOf(Box) },
      handle: async () => ({ status: 200, body: {} }),
    }),
    endpoint({
      audience: "clients",
      tag: { name: "Boxes", about: "Boxes." },
      method: "POST",
      path: "/boxes",
      summary: "Create a box",
      permission: "products:write",
      keyPermission: "charge_saved_cards",
      idempotent: true,
      limited: true,
      body: z.object({ name: text(1, 10), note: optional(text(0, 20)), kind: optional(z.enum(["big", "small"])) }),
      replies: { 201: Box },
      handle: async () => ({ status: 201, body: {} }),
    }),
  ];
  const client = written(clientDocument(boxes, []));
  const dashboard = written(dashboardDocument(boxes));

  test("parameters, in the form a caller writes them", () => {
    const parametersIn = (document: Document) =>
      operationAt(document, "/boxes", "get").parameters?.map(({ name, schema }) => [name, schema]);
    const limited = ["limit", { type: "integer", minimum: 1, maximum: 100 }];
    for (const document of [client, dashboard])
      assert.deepEqual(parametersIn(document), [["q", { type: "string" }], limited]);
  });

  test("a body with its nullable fields, and nothing of how it is parsed", () => {
    const { requestBody, description } = operationAt(client, "/boxes", "post");
    assert.equal(requestBody?.required, true);
    assert.deepEqual(requestBody?.content["application/json"].schema, { $ref: "#/components/schemas/CreateBox" });
    assert.deepEqual(client.components["schemas"]?.["CreateBox"], {
      type: "object",
      properties: {
        name: { description: "The name.", type: "string", minLength: 1, maxLength: 10 },
        note: { type: ["string", "null"], minLength: 0, maxLength: 20 },
        kind: { description: "The kind of record.", type: ["string", "null"], enum: ["big", "small", null] },
      },
      required: ["name"],
    });
    assert.match(String(description), /charge_saved_cards/);
  });

  test("answers: lists page by page, room for fields to come, refusals by status", () => {
    for (const document of [client, dashboard]) {
      const list = operationAt(document, "/boxes", "get").responses["200"]?.content?.["application/json"].schema;
      assert.deepEqual(list, { $ref: "#/components/schemas/BoxList" });
      const properties = document.components["schemas"]?.["BoxList"]?.["properties"] as object | undefined;
      assert.deepEqual(Object.keys(properties ?? {}), ["data", "hasMore", "nextCursor"]);
    }
    assert.deepEqual(client.components["schemas"]?.["Box"], {
      type: "object",
      properties: {
        id: { description: "The record's id.", type: "string" },
        size: { description: "The size in bytes.", type: "integer" },
        note: { type: ["string", "null"] },
      },
      required: ["id", "size", "note"],
    });
    const { responses } = operationAt(client, "/boxes", "post");
    assert.deepEqual(Object.keys(responses), ["201", "400", "401", "403", "409", "413", "415", "429", "500", "503"]);
    const ofStaff = (method: string) => Object.keys(operationAt(dashboard, "/boxes", method).responses);
    assert.deepEqual([ofStaff("post").includes("429"), ofStaff("get").includes("429")], [true, false]);
    assert.deepEqual(Object.keys(responses["201"]?.headers ?? {}), [
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "Idempotent-Replayed",
    ]);
    assert.deepEqual(responses["409"], { $ref: "#/components/responses/Conflict" });
    assert.equal(client.components["responses"]?.["Unauthorized"]?.["headers"], undefined);
  });

  test("one schema for each id, or none at all", () => {
    const [list] = boxes;
    assert.ok(list);
    const other = { ...list, path: "/crates", replies: { 200: z.object({ x: z.int() }).meta({ id: "Box" }) } };
    assert.throws(() => clientDocument([list, other], []), /Box/);
  });
});
