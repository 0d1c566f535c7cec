import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { type ApiMerchant, openApi, type StaffCall } from "../support/api.ts";
import { addPayment, CREDENTIALS, notify, openStandIn, refundAnswer, reportedPayment } from "../support/payments.ts";
import { fc } from "../support/property.ts";

/*
 * Concurrent random requests to a few records: changes of customers, new links, reports of payments, refunds. No request fails with an
 * internal error, none deadlocks, and at the end `verify` finds no fault (interface 12.1).
 */

const OPERATIONS = 1_200;
const AT_ONCE = 24;
const STATUSES = ["pending", "cancelled", "failed", "complete", "complete"] as const;

interface Act {
  readonly kind: "upsert" | "patch" | "link" | "portal" | "report" | "refund" | "deactivate";
  readonly a: number;
  readonly b: number;
  readonly key: number;
}
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(
    "upsert",
    "patch",
    "link",
    "portal",
    "report",
    "report",
    "report",
    "refund",
    "refund",
    "deactivate",
  ),
  a: fc.nat(999),
  b: fc.nat(999),
  key: fc.nat(20),
});

interface Stage {
  readonly shop: ApiMerchant;
  readonly staff: StaffCall;
  readonly customers: readonly string[];
  readonly links: readonly string[];
  readonly payments: readonly string[];
  tell(reference: string, status: (typeof STATUSES)[number], amount: number): Promise<{ status: number }>;
}

const of = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Performs an operation; answers the HTTP status. */
async function perform(
  { shop, staff, customers, links, payments, tell }: Stage,
  { kind, a, b, key }: Act,
): Promise<number> {
  const headers = key < 5 ? { "idempotency-key": `${kind} ${key}` } : {};
  const externalReference = `ref ${a % 4}`;
  const email = `c${b % 4}@example.org`;
  switch (kind) {
    case "upsert":
      return (await shop.post("/customers", { externalReference, email, firstName: String(b) }, { headers })).status;
    case "patch": {
      const body = b % 3 ? { externalReference, active: b % 2 === 0 } : { email, metadata: { b } };
      return (await shop.call("PATCH", `/customers/${of(customers, a)}`, { body })).status;
    }
    case "link":
      return (await shop.post("/payment-links", { title: "a", amount: 100, customerEmail: email }, { headers })).status;
    case "portal":
      return (await shop.post(`/customers/${of(customers, a)}/portal-link`, {}, { headers })).status;
    case "report":
      return (await tell(of(payments, a), of(STATUSES, b), b % 17 === 0 ? 1 : 10_000)).status;
    case "refund": {
      const order = { amount: 5 + (b % 40), method: b % 3 ? "gateway" : "manual" };
      return (await staff("POST", `/transactions/${of(payments, a)}/refunds`, order)).status;
    }
    case "deactivate":
      return (await staff("POST", `/payment-links/${of(links, a)}/deactivate`)).status;
  }
}

test("many at once over few records", { timeout: 200_000 }, async (t) => {
  const gateway = await openStandIn();
  t.after(() => gateway.close());
  const api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
  t.after(() => api.close());
  // Set before the service connects: PostgreSQL then does not break a deadlock early, so that it shows as a 503 after ten seconds.
  await api.query(`alter database ${new URL(api.databaseUrl).pathname.slice(1)} set deadlock_timeout = '1min'`);
  let asked = 0;
  gateway.replies.set("POST refunds", (call) => {
    asked++;
    if (asked % 7 === 0) return { text: "what?" };
    return refundAnswer(call, asked % 5 === 0 ? "refused" : asked % 3 === 0 ? "pending" : "processed");
  });

  const shop = await api.addMerchant();
  const account = await shop.addGateway({ credentials: CREDENTIALS });
  const made = async (path: string, bodies: object[]) => {
    const ids = [];
    for (const body of bodies) ids.push(String((await shop.post(path, body)).body["id"]));
    return ids;
  };
  const customers = await made(
    "/customers",
    [0, 1, 2].map((n) => ({ email: `c${n}@example.org` })),
  );
  const links = await made(
    "/payment-links",
    [0, 1, 2].map((n) => ({ title: "a", amount: 100, singleUse: n > 0, customerId: customers[n] })),
  );
  const payments = [];
  for (let n = 0; n < 12; n++)
    payments.push(await addPayment(api, shop, account, { linkId: of(links, n), customerId: of(customers, n) }));
  const stage: Stage = {
    shop,
    staff: await shop.signIn(),
    customers,
    links,
    payments,
    tell: (reference, status, amount) =>
      notify(api, account, { payment: reportedPayment(reference, status, { amount }) }),
  };

  const waiting = fc.sample(act, { numRuns: OPERATIONS, seed: 20_261_120 });
  const statuses: number[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) statuses.push(await perform(stage, next));
    }),
  );
  const seen = new Set(statuses);
  assert.deepEqual(
    [...seen].filter((status) => status >= 500 && status !== 502),
    [],
  );
  for (const status of [200, 201, 400, 409]) assert.ok(seen.has(status), `${status} is among ${[...seen].join(", ")}`);

  const faults = [];
  for await (const part of verifyOrganisation(api.services, shop.organisation, EXAMINATIONS))
    faults.push(...part.faults);
  // Payments that the test has inserted itself have no due work that queries the gateway.
  assert.deepEqual(
    faults.filter(({ rule }) => rule !== "pending_awaited"),
    [],
  );
});
