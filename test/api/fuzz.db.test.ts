import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { CLIENT_ENDPOINTS } from "../../src/catalogue.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { type Answer, type ApiMerchant, openApi, type Sent, type TestApi } from "../support/api.ts";
import { REFUSAL_FIELDS } from "../support/declared-answers.ts";
import { addTransfers } from "../support/eft.ts";
import { fc } from "../support/property.ts";

/* For any input an endpoint answers with a declared reply or with a refusal in the interface's form, never with an internal error. */

const RUNS = 70;
const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "%_\\",
  "' or 1=1 --",
  "1e400",
  "ZAR",
  "monthly",
  "a@example.org",
  "2027-01-01T00:00:00Z",
  "https://shop.example/",
  "https:\\\\shop.example",
  "💸".repeat(100),
  "x".repeat(5_000),
  "__proto__",
];
const NUMBERS = [0, -1, 0.01, 1.005, 250, 1e7, 1e21, -1e-7, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 5 })), scalar, { maxKeys: 4 }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

interface Field {
  readonly properties?: Record<string, Field>;
  readonly anyOf?: readonly Field[];
}

/** Objects with the schema's fields and random values, also in nested objects; often with the valid fields of `fits`. */
function resembling(schema: z.ZodType, fits: object): fc.Arbitrary<unknown> {
  const fields = (properties: Record<string, Field>): fc.Arbitrary<Record<string, unknown>> =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([name, field]) => {
          const inner = field.properties ?? field.anyOf?.find((choice) => choice.properties)?.properties;
          return [name, inner ? fc.oneof(value, fields(inner)) : value];
        }),
      ),
      { requiredKeys: [] },
    );
  const own = fields((z.toJSONSchema(schema, { io: "input" }) as Field).properties ?? {});
  return fc.oneof(
    { weight: 3, arbitrary: own.map((given) => ({ ...fits, ...onlySome(given) })) },
    { weight: 1, arbitrary: own },
  );
}

/** Only the first two fields, so that the rest of the body stays valid. */
const onlySome = (given: object): object => Object.fromEntries(Object.entries(given).slice(0, 2));

/** Bodies: with the schema's fields, any JSON, and invalid text or bytes. */
const payloads = (endpoint: Endpoint): fc.Arbitrary<string | Uint8Array | undefined> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: (endpoint.body ? resembling(endpoint.body, FITS[endpoint.path] ?? {}) : fc.jsonValue()).map((json) =>
        JSON.stringify(json),
      ),
    },
    { weight: 1, arbitrary: fc.json({ depthSize: "medium" }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const FITS: Readonly<Record<string, object>> = {
  "/payment-links": { title: "a", amount: 1 },
  "/customers": {},
  "/debit-batches": { actionDate: "2099-12-31" },
  "/eft-orders": { amount: 1 },
  "/mandates": {
    customer: { externalReference: "fuzz" },
    bank: { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" },
    amount: 1,
    authority: "offline",
    confirmOfflineMandate: true,
  },
  "/packages": { name: "a" },
  "/packages/{id}/plans": { name: "a", amount: 1, frequency: "monthly" },
  "/quotes": { customerExternalReference: "fuzz", lineItems: [{ description: "a", quantity: 1, unitPrice: 1 }] },
};

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
/** Mostly parameters that the endpoint knows, since one that it does not know is refused. */
const queries = ({ query }: Endpoint) =>
  fc
    .dictionary(
      fc.oneof(
        {
          weight: 12,
          arbitrary: fc.constantFrom("limit", ...(query instanceof z.ZodObject ? Object.keys(query.shape) : [])),
        },
        { weight: 1, arbitrary: fc.constantFrom("__proto__", "metadata[a]", "customer_id") },
        { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
      ),
      fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 20 }), fc.integer().map(String)),
      { maxKeys: 4 },
    )
    .map((query) =>
      Object.entries(query)
        .map(([name, text]) => `${encoded(name)}=${encoded(text)}`)
        .join("&"),
    );
/** Characters that Node's HTTP client accepts in a header. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0xfe }).map((code) => String.fromCharCode(code < 0x7f ? code : code + 1)),
  maxLength: 210,
});

let api: TestApi;
let merchant: ApiMerchant;
let ids: string[];
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  await merchant.addGateway();
  await addTransfers(merchant);
  const made = [
    await merchant.post("/payment-links", { title: "a", amount: 1 }),
    await merchant.post("/customers", { email: "a@example.org", externalReference: "fuzz" }),
    await merchant.post("/quotes", FITS["/quotes"]),
    await merchant.post("/eft-orders", FITS["/eft-orders"]),
    await merchant.post("/packages", FITS["/packages"]),
    await merchant.post("/mandates", FITS["/mandates"]),
    await merchant.post("/debit-batches", FITS["/debit-batches"]),
  ];
  for (const { status, text } of made) assert.equal(status, 201, text);
  ids = made.map(({ body }) => String(body["id"]));
});
after(() => api.close());

/** No endpoint shows anything else to a body of chance. */
const Refused = z.strictObject(REFUSAL_FIELDS);

function check(endpoint: Endpoint, { status, text, body, headers }: Answer<unknown>): void {
  assert.ok(status < 500, `${status} ${text}`);
  if (status === 200 && endpoint.kind === "download") return;
  // What is not refused was compared with its declaration when it came.
  if (status >= 300) Refused.parse(body);
  if (status !== 405 && !/percent|No such path/.test(text))
    assert.ok(headers["x-ratelimit-limit"], `${status} ${text}`);
}

const callOf = ({ method, base = "/api/v1" }: Endpoint, path: string, sent: Sent) =>
  api.call(method, `${base}${path}`, { key: merchant.key, ...sent });

describe("every input is answered as the interface says", () => {
  for (const endpoint of CLIENT_ENDPOINTS)
    test(`${endpoint.method} ${endpoint.path}`, { timeout: 60_000 }, () =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.nat({ max: 9 }).map(String),
            fc.constantFrom(...TEXTS),
            fc.string({ unit: "binary", maxLength: 60 }),
          ),
          queries(endpoint),
          payloads(endpoint),
          fc.record(
            { "idempotency-key": headerText, "content-type": fc.constantFrom("application/json", "text/plain", "") },
            { requiredKeys: [] },
          ),
          async (id, query, body, headers) => {
            const path = endpoint.path.replace(/\{\w+\}/, encoded(ids[Number(id)] ?? id) || "x");
            const withBody = endpoint.method === "GET" ? {} : { body };
            check(endpoint, await callOf(endpoint, `${path}?${query}`, { ...withBody, headers }));
          },
        ),
        { numRuns: RUNS },
      ),
    );

  test("the service is well afterwards", async () => assert.equal((await merchant.get("/me")).status, 200));
});
