import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { MAILS, RECORDS } from "../../src/catalogue.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { allowedReturnUrlEndpoints } from "../../src/http/resources/allowed-return-urls.ts";
import { apiKeyEndpoints } from "../../src/http/resources/api-keys.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { couponEndpoints } from "../../src/http/resources/coupons.ts";
import { emailEndpoints } from "../../src/http/resources/emails.ts";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { packageEndpoints } from "../../src/http/resources/packages.ts";
import { paymentLinkEndpoints } from "../../src/http/resources/payment-links.ts";
import { productEndpoints } from "../../src/http/resources/products.ts";
import { sandboxEndpoints } from "../../src/http/resources/sandbox.ts";
import { settingsEndpoints } from "../../src/http/resources/settings.ts";
import { type Merchant, openMerchant } from "../support/merchant.ts";
import { fc } from "../support/property.ts";

const ENDPOINTS: readonly Endpoint[] = [
  ...settingsEndpoints,
  ...allowedReturnUrlEndpoints,
  ...apiKeyEndpoints,
  ...gatewayEndpoints,
  ...productEndpoints,
  ...packageEndpoints,
  ...couponEndpoints,
  ...paymentLinkEndpoints.filter(({ audience }) => audience === "staff"),
  ...emailEndpoints(MAILS, RECORDS),
  ...auditLogEndpoints(RECORDS),
  ...sandboxEndpoints,
];

/** Bodies that are accepted. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /sandbox/outcomes": { steps: [{ match: { kind: "refund" }, outcome: "declined" }] },
  "POST /products": { name: "b", amount: 2.5, recurring: { frequency: "monthly" } },
  "POST /packages": { name: "b", enabled: false },
  "POST /packages/{id}/plans": { name: "b", amount: 0, frequency: "monthly" },
  "POST /coupons": { code: "b", amount: 2.5, duration: "cycles", cycles: 2, endsAt: "2030-12-31" },
  "POST /api-keys": { name: "b", permissions: ["charge_saved_cards"] },
  "POST /gateways": { type: "sandbox_cancel_only" },
  "POST /gateways/test": { type: "sandbox" },
  "PUT /allowed-return-urls": { origins: ["https://shop.example"] },
  "PATCH /settings": { dueDays: 7 },
  "POST /settings/preview": { vatRate: 0 },
  "POST /settings/preview/invoice.pdf": { vatRate: 0 },
};
const bodyOf = ({ method, path, body }: Endpoint) => (body ? (BODIES[`${method} ${path}`] ?? {}) : undefined);

const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "%_\\",
  "'; drop table products; --",
  "1e400",
  "ZAR",
  "💸".repeat(200),
  "x".repeat(5000),
];
const NUMBERS = [0, -1, 0.1, 1.005, 15, 1e21, -1e-7, 2 ** 53, Number.MAX_VALUE];
const value = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.constantFrom(...TEXTS), fc.double(), fc.jsonValue()), { maxLength: 4 }),
  fc.jsonValue(),
);

/** Objects with the schema's fields and random values, also in nested objects. */
function resembling(schema: z.ZodType): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: "input" }) as { properties?: Record<string, { anyOf?: object[] }> };
  const fields = (properties: object): fc.Arbitrary<unknown> =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties).map(
          ([name, field]: [string, { anyOf?: { properties?: object }[]; properties?: object }]) => {
            const inner = field.properties ?? field.anyOf?.find((choice) => choice.properties)?.properties;
            return [name, inner ? fc.oneof(value, fields(inner)) : value];
          },
        ),
      ),
      { requiredKeys: [] },
    );
  return fc.oneof(fields(json.properties ?? {}), fc.jsonValue());
}

describe("hostile input", () => {
  let merchant: Merchant;
  let ids: string[];
  before(async () => {
    merchant = await openMerchant(ENDPOINTS, { sandbox: true });
    const made = [
      await merchant.call("POST", "/products", { name: "a", amount: 1 }),
      await merchant.call("POST", "/packages", { name: "a" }),
      await merchant.call("POST", "/coupons", { code: "a", percent: 1 }),
      await merchant.call("POST", "/api-keys", { name: "a" }),
      await merchant.call("POST", "/gateways", { type: "sandbox" }),
    ];
    ids = made.map(({ body }) => String(body["id"]));
  });
  after(() => merchant.close());

  /** Asserts that there is no internal error, that a refusal has the interface's form, and that an answer matches its schema. */
  async function check(endpoint: Endpoint, path: string, body?: unknown, expected?: readonly number[]): Promise<void> {
    const answer = await merchant.call(endpoint.method, path, body);
    const told = `${endpoint.method} ${path} with ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`;
    assert.ok(expected ? expected.includes(answer.status) : answer.status < 500, told);
    if (answer.status >= 400) {
      assert.deepEqual(
        Object.keys(answer.body).filter(
          (key) => !["error", "message", "code", "docUrl", "requestId", "issues"].includes(key),
        ),
        [],
        told,
      );
      return;
    }
    if (endpoint.kind === "download") return;
    const reply = endpoint.replies[answer.status];
    assert.ok(reply instanceof z.ZodObject, told);
    const parsed = reply.strict().safeParse(answer.body);
    assert.ok(parsed.success, `${told} ${parsed.error?.message}`);
  }

  for (const endpoint of ENDPOINTS.filter(({ body }) => body !== undefined))
    test(`${endpoint.method} ${endpoint.path} answers any body`, async () => {
      const { body } = endpoint;
      assert.ok(body);
      const sent = fc.tuple(resembling(body), fc.nat());
      const property = fc.asyncProperty(sent, ([anything, pick]) =>
        check(endpoint, endpoint.path.replace("{id}", ids[pick % ids.length] ?? ""), anything),
      );
      await fc.assert(property, { numRuns: 150 });
    });

  for (const endpoint of ENDPOINTS.filter(({ path }) => path.includes("{id}")))
    test(`${endpoint.method} ${endpoint.path} answers any id`, async () => {
      for (const id of [
        "%00",
        "%ed%a0%80",
        "%",
        "%27",
        "x".repeat(900),
        "%F0%9F%92%B8",
        "prod_00000000000000000000000000",
      ])
        await check(endpoint, endpoint.path.replace("{id}", id), bodyOf(endpoint), [404]);
    });

  for (const endpoint of ENDPOINTS.filter(({ query }) => query !== undefined))
    test(`${endpoint.method} ${endpoint.path} answers any query`, async () => {
      const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "grapheme" }));
      const names = [
        "q",
        "limit",
        "startingAfter",
        "kind",
        "recipient",
        "status",
        "actorId",
        "action",
        "subject",
        "other",
      ];
      const query = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 4 });
      const property = fc.asyncProperty(query, (pairs) =>
        check(endpoint, `${endpoint.path}?${pairs.map(([name, given]) => `${name}=${encode(given)}`).join("&")}`),
      );
      await fc.assert(property, { numRuns: 60 });
      await check(endpoint, `${endpoint.path}?q=%ff&limit=%00&startingAfter=%ed%a0%80&&=`);
    });

  test("answers match their declared schemas", async () => {
    for (const endpoint of ENDPOINTS.filter(({ path }) => !/[{]|notify/.test(path)))
      await check(endpoint, endpoint.path, BODIES[`${endpoint.method} ${endpoint.path}`], [200, 201]);
    const [product, key, gateway] = [
      await merchant.call("POST", "/products", { name: "a", amount: 1 }),
      await merchant.call("POST", "/api-keys", { name: "a" }),
      await merchant.call("POST", "/gateways", { type: "sandbox" }),
    ].map(({ body }) => body["id"]);
    for (const [method, path] of [
      ["GET", `/products/${product}`],
      ["PATCH", `/products/${product}`],
      ["PATCH", `/gateways/${gateway}`],
      ["PATCH", `/api-keys/${key}`],
      ["DELETE", `/products/${product}`],
      ["DELETE", `/gateways/${gateway}`],
      ["DELETE", `/api-keys/${key}`],
    ] as const) {
      const declared = `/${path.split("/")[1]}/{id}`;
      const endpoint = ENDPOINTS.find((one) => one.method === method && one.path === declared);
      assert.ok(endpoint);
      await check(endpoint, path, method === "PATCH" ? {} : undefined, [200]);
    }
  });
});

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
