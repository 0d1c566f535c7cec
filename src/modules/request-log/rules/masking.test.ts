import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fc } from "../../../../test/support/property.ts";
import { BODY_BYTES_MAX, CHOICES, FIGURES, masked, maskedRefusal } from "./masking.ts";

const ID = `cus_${"0".repeat(26)}`;

test("of a body names are shown, and values that their field takes in a form of no person", () => {
  const rows: [body: unknown, text: string][] = [
    [
      {
        amount: 10.5,
        currency: "ZAR",
        dueDate: "2027-01-31",
        status: "paused",
        customerId: ID,
        send: true,
        notes: null,
      },
      `{"amount":10.5,"currency":"ZAR","dueDate":"2027-01-31","status":"paused","customerId":"${ID}","send":true,"notes":null}`,
    ],
    [
      { email: "a@b.example", phone: 825550199, bank: { accountNumber: "62900417701", accountType: "savings" } },
      '{"email":"…","phone":"…","bank":{"accountNumber":"…","accountType":"savings"}}',
    ],
    [
      { lines: [{ description: "Tea", quantity: 2, unitPrice: 3 }] },
      '{"lines":[{"description":"…","quantity":2,"unitPrice":3}]}',
    ],
    [{ metadata: { amount: 5, status: "ill" }, amount: 5 }, '{"metadata":{"…":"…","…":"…"},"amount":5}'],
    [{ properties: [{ type: "x" }] }, '{"properties":[{"…":"…"}]}'],
    [{ types: ["invoice.paid", "Thandi Nkosi"] }, '{"types":["invoice.paid","…"]}'],
    // A value at a wrong place, a name that is none, and one that is misspelt.
    [
      { status: "Thandi", customerId: "0825550199", currency: "a@b.example" },
      '{"status":"…","customerId":"…","currency":"…"}',
    ],
    [{ "Thandi Nkosi": 1, due_date: "2027-01-31" }, '{"…":"…","due_date":"…"}'],
    [[1, "x", true], '["…","…",true]'],
    [{ amount: "10" }, '{"amount":"…"}'],
  ];
  for (const [body, text] of rows) {
    assert.equal(masked(JSON.stringify(body), false).text, text);
    assert.equal(masked(JSON.stringify(body, null, 2), false).text, text, "white space is left out");
  }
});

test("a body that is no JSON is masked too", () => {
  for (const [body, text] of [
    ['{"amount": 5, "email": "a@b.example', '{"amount":5,"email":"…"'],
    ["amount=5&email=a@b.example", '"…"'],
    ['{"amount": 082-555-0199}', '{"amount":"…"}'],
    ["{'email': Thandi}", '{"…":"…"}'],
    ['{"email": "\\"}', '{"email":"…"'],
    ["", ""],
  ] as const)
    assert.equal(masked(body, false).text, text, body);
});

test("a long body is cut by bytes, with a mark; its hidden values are named wholly where they are wanted", () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => ({ description: `Line ${at}`, quantity: at }));
  const body = JSON.stringify({ lines });
  const { text, hidden } = masked(body, true);
  assert.ok(Buffer.byteLength(text) <= BODY_BYTES_MAX && Buffer.byteLength(text) > BODY_BYTES_MAX - 50);
  assert.ok(text.endsWith("…"));
  assert.ok(hidden.includes("Line 1999"));
  assert.deepEqual(masked(body, false), { text, hidden: [] }, "reading ends where nothing is kept");
});

test("whatever a body holds, of its texts and numbers nothing is shown but what the lists name", () => {
  const texts = fc.string({ unit: "binary", maxLength: 20 }).map((text) => `~${text}~`);
  const bodies = fc.object({
    key: fc.oneof(texts, fc.constantFrom("email", "lines", "note")),
    values: [texts, fc.integer()],
  });
  fc.assert(
    fc.property(bodies, (body) => {
      const { text } = masked(JSON.stringify(body), false);
      assert.doesNotMatch(text.replaceAll(/"(?:email|lines|note|…)"/g, ""), /[^{}[\],:…]/);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (body) => {
      assert.ok(Buffer.byteLength(masked(body, true).text) <= BODY_BYTES_MAX);
    }),
  );
});

test("a refusal says why, without what the request holds", () => {
  const answer = {
    error: "invalid_request",
    message: "No customer has the reference thandi-1. Write to thandi@x.example.",
    docUrl: "https://pay.example/docs",
    requestId: "req_1",
    issues: [{ code: "custom", path: ["lines", 0, "Thandi Nkosi"], message: "Jo and Joan: must be at most 100" }],
  };
  assert.equal(
    maskedRefusal(JSON.stringify(answer), ["Thandi-1", "Jo", "1", " "]),
    JSON.stringify({
      error: "invalid_request",
      message: "No customer has the reference …. Write to ….",
      issues: [{ path: ["lines", 0, "…"], message: "… and Joan: must be at most 100" }],
    }),
  );
  assert.equal(maskedRefusal("<html>", []), null);
  assert.equal(maskedRefusal("[]", []), null);
  const long = maskedRefusal(JSON.stringify({ error: "x", message: "é".repeat(5_000) }), []) ?? "";
  assert.ok(Buffer.byteLength(long) <= BODY_BYTES_MAX && long.endsWith("é…"), String(Buffer.byteLength(long)));
});

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: unknown;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

test("what may be shown are fields of bodies that take words, figures, days or ids", async () => {
  const { paths, components } = JSON.parse(await readFile("openapi.json", "utf8")) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
    components: { schemas: Record<string, Schema> };
  };
  /** The kinds of what a field takes. */
  const kinds = new Map<string, Set<string>>();
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? resolved(components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
  const kindOf = (given: Schema): string[] => {
    const schema = resolved(given);
    if (schema.enum || "const" in schema) return ["words"];
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return choices.flatMap(kindOf);
    if (schema.items) return kindOf(schema.items);
    const types = [schema.type].flat().filter((type) => type !== "null");
    return types.map((type) =>
      type === "string" ? (schema.format?.startsWith("date") ? "date" : "text") : String(type),
    );
  };
  const seen = new Set<Schema>();
  const walk = (given: Schema) => {
    const schema = resolved(given);
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(one);
    if (schema.items) walk(schema.items);
    for (const [name, one] of Object.entries(schema.properties ?? {})) {
      const known = kinds.get(name) ?? new Set();
      for (const kind of kindOf(one)) known.add(kind);
      kinds.set(name, known);
      walk(one);
    }
  };
  for (const methods of Object.values(paths))
    for (const { requestBody } of Object.values(methods))
      for (const one of Object.values(requestBody?.content ?? {})) walk(one.schema);
  for (const name of CHOICES) assert.ok(kinds.get(name)?.has("words"), `${name} takes one of some words`);
  // Figures of these names are texts in their schemas, since they take a day or a date-time, or a code beside an id.
  const texts = /(?:^id|Ids?|^plan|^currency|At|Date|End|Start|Through)$/;
  for (const name of FIGURES) {
    const known = kinds.get(name);
    assert.ok(known, `${name} is a field of a body`);
    assert.ok(!known.has("text") || texts.test(name), `${name} takes any text`);
  }
});
