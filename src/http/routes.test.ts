import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { DASHBOARD_ENDPOINTS } from "../catalogue.ts";

interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Paths of the numbers in a body that take null. */
function nullableNumbers(shape: Shape, path = ""): string[] {
  const { anyOf = [], properties = {}, items } = shape;
  const types = anyOf.map(({ type }) => type);
  const own = types.includes("null") && types.some((type) => type === "number" || type === "integer") ? [path] : [];
  return [
    ...own,
    ...anyOf.flatMap((choice) => nullableNumbers(choice, path)),
    ...Object.entries(properties).flatMap(([name, property]) => nullableNumbers(property, `${path}.${name}`)),
    ...(items ? nullableNumbers(items, `${path}[]`) : []),
  ];
}

test("null, which is what NaN becomes in JSON, is a number only where the interface gives it a meaning", () => {
  const found = DASHBOARD_ENDPOINTS.flatMap(({ method, path, body }) =>
    body
      ? nullableNumbers(z.toJSONSchema(body, { io: "input" }) as Shape).map((name) => `${method} ${path} ${name}`)
      : [],
  );
  assert.deepEqual(found, ["POST /quotes .lineItems[].taxRate", "PATCH /quotes/{id} .lineItems[].taxRate"]);
});
