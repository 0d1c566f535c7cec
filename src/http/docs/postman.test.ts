import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../../test/support/source.ts";
import { CLIENT_ENDPOINTS } from "../../catalogue.ts";
import type { JsonSchema } from "../openapi/json-schema.ts";
import { tagsOf } from "./operations.ts";
import { postmanCollection } from "./postman.ts";

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: {
      readonly raw: string;
      readonly path: readonly string[];
      readonly variable?: readonly { key: string }[];
    };
    readonly body?: { readonly mode: string; readonly raw?: string };
  };
}

const description = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")) as JsonSchema;
const collection = postmanCollection(description, "https://pay.example");
const items = (collection["item"] as { item: Item[] }[]).flatMap(({ item }) => item);

test("every call is in the collection, below the variable of the base URL, with a variable for each parameter of its path", () => {
  const calls = items.map(({ request: { method, url } }) => `${method} ${url.raw.replaceAll(/:(\w+)/g, "{$1}")}`);
  const described = tagsOf(description).flatMap(({ operations }) =>
    operations.map(({ method, path }) => `${method} {{baseUrl}}${path}`),
  );
  assert.ok(described.length > 250);
  assert.deepEqual(calls.toSorted(), described.toSorted());
  for (const { request } of items)
    assert.deepEqual(
      request.url.path.filter((part) => part.startsWith(":")).map((part) => part.slice(1)),
      (request.url.variable ?? []).map(({ key }) => key),
    );
});

test("the key is a variable", () => {
  assert.deepEqual(collection["auth"], {
    type: "bearer",
    bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }],
  });
});

test("the endpoints accept the bodies", () => {
  const refused = items.flatMap(({ name, request: { method, url, body } }) => {
    if (body?.raw === undefined) return [];
    const path = url.raw.replace("{{baseUrl}}", "").replaceAll(/:(\w+)/g, "{$1}");
    const endpoint = CLIENT_ENDPOINTS.find((one) => one.method === method && one.path === path);
    const schema = endpoint && "body" in endpoint ? endpoint.body : undefined;
    const result = schema?.safeParse(JSON.parse(body.raw));
    return result === undefined || result.success
      ? []
      : [`${name}: ${body.raw} ${JSON.stringify(result.error.issues)}`];
  });
  assert.deepEqual(refused, []);
});
