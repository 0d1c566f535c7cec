import assert from "node:assert/strict";
import { test } from "node:test";
import { breaksOf, type Description, surfaceFrom, surfaceOf, surfaceText } from "./surface.ts";

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const LINK = {
  type: "object",
  properties: { id: { type: "string" }, status: { type: "string", enum: ["open", "paid"] } },
  required: ["id"],
};
const CREATE = {
  type: "object",
  properties: { title: { type: "string" }, kind: { type: "string", enum: ["once", "often"] } },
  required: ["title"],
};
const QUERY = { name: "limit", in: "query", schema: { type: "integer" } };
const described = ({
  link = LINK,
  create = CREATE,
  query = [QUERY],
  operationId = "createLink",
  more = {},
}: {
  link?: object;
  create?: object;
  query?: object[];
  operationId?: string;
  more?: object;
} = {}): Description => ({
  paths: {
    "/links": {
      get: {
        operationId: "listLinks",
        parameters: query,
        responses: { 200: json({ $ref: "#/components/schemas/Link" }) },
      },
      post: {
        operationId,
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/CreateLink" }) },
        responses: { 201: json({ $ref: "#/components/schemas/Link" }) },
      },
    },
    ...more,
  },
  components: { schemas: { Link: link, CreateLink: create } },
});
const without = ({ properties, required }: typeof LINK | typeof CREATE, name: string) => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== name)),
  required: required.filter((key) => key !== name),
});

const ROWS: [what: string, changed: Description, breaks: RegExp | null][] = [
  ["nothing", described(), null],
  [
    "a new field of a reply",
    described({ link: { ...LINK, properties: { ...LINK.properties, url: { type: "string" } } } }),
    null,
  ],
  [
    "a new value of a reply",
    described({
      link: { ...LINK, properties: { ...LINK.properties, status: { type: "string", enum: ["open", "paid", "gone"] } } },
    }),
    null,
  ],
  [
    "a new optional field",
    described({ create: { ...CREATE, properties: { ...CREATE.properties, note: { type: "string" } } } }),
    null,
  ],
  [
    "a new operation that demands something",
    described({
      more: { "/new": { post: { operationId: "makeNew", requestBody: { required: true, ...json(CREATE) } } } },
    }),
    null,
  ],
  ["a field that is no longer demanded", described({ create: { ...CREATE, required: [] } }), null],
  [
    "a field of a reply that goes",
    described({ link: without(LINK, "status") }),
    /^no more: Link\.status gives string$/m,
  ],
  [
    "a field that is no longer always given",
    described({ link: { ...LINK, required: [] } }),
    /^no more: Link\.id is always given$/m,
  ],
  [
    "another type of a reply",
    described({ link: { ...LINK, properties: { ...LINK.properties, id: { type: "integer" } } } }),
    /no more: Link\.id gives string/,
  ],
  [
    "a field that can be null now",
    described({ link: { ...LINK, properties: { ...LINK.properties, id: { type: ["string", "null"] } } } }),
    /no more: Link\.id gives string/,
  ],
  [
    "a field that is not taken any more",
    described({ create: without(CREATE, "kind") }),
    /no more: CreateLink\.kind takes string/,
  ],
  [
    "a value that is not taken any more",
    described({
      create: { ...CREATE, properties: { ...CREATE.properties, kind: { type: "string", enum: ["once"] } } },
    }),
    /no more: CreateLink\.kind takes "often"/,
  ],
  [
    "a field that is demanded now",
    described({ create: { ...CREATE, required: ["title", "kind"] } }),
    /^newly: CreateLink needs kind$/m,
  ],
  [
    "a new field that is demanded",
    described({
      create: {
        ...CREATE,
        properties: { ...CREATE.properties, note: { type: "string" } },
        required: ["title", "note"],
      },
    }),
    /^newly: CreateLink needs note$/m,
  ],
  ["a parameter that goes", described({ query: [] }), /no more: GET \/links query limit takes integer/],
  [
    "a parameter that is demanded",
    described({ query: [{ ...QUERY, required: true }] }),
    /^newly: GET \/links needs limit$/m,
  ],
  ["another name of an operation", described({ operationId: "makeLink" }), /no more: POST \/links is createLink/],
];

/** A body whose `parts` are objects of these kinds, each with a field that it demands. */
const parts = (...kinds: (readonly [kind: string, demands: string])[]) =>
  described({
    create: {
      ...CREATE,
      properties: {
        ...CREATE.properties,
        parts: {
          type: "array",
          items: {
            anyOf: kinds.map(([kind, field]) => ({
              type: "object",
              properties: { kind: { type: "string", const: kind }, [field]: { type: "string" } },
              required: ["kind", field],
            })),
          },
        },
      },
    },
  });
const KINDS: [what: string, changed: Description, breaks: RegExp | null][] = [
  [
    "a further kind of object with demands of its own",
    parts(["fee", "reason"], ["sale", "customer"], ["gift", "to"]),
    null,
  ],
  [
    "another demand of a kind",
    parts(["fee", "why"], ["sale", "customer"]),
    /^newly: .*parts\[\]\(kind fee\) needs why$/m,
  ],
  ["a kind that goes", parts(["sale", "customer"]), /no more: .*\(kind fee\)/],
];
for (const [what, changed, breaks] of KINDS)
  test(`${what} ${breaks ? "breaks callers" : "breaks nobody"}`, () => {
    const found = breaksOf(surfaceOf(parts(["fee", "reason"], ["sale", "customer"])), surfaceOf(changed)).join("\n");
    if (breaks) assert.match(found, breaks);
    else assert.equal(found, "");
  });

for (const [what, changed, breaks] of ROWS)
  test(`${what} ${breaks ? "breaks callers" : "breaks nobody"}`, () => {
    const released = surfaceFrom(surfaceText(surfaceOf(described())));
    const found = breaksOf(released, surfaceOf(changed)).join("\n");
    if (breaks) assert.match(found, breaks);
    else assert.equal(found, "");
  });
