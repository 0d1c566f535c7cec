import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DASHBOARD_ENDPOINTS } from "../../src/catalogue.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { permissionsOf } from "../../src/http/endpoint.ts";
import { builtIn, mayDo } from "../../src/modules/members/rules.ts";
import { ROLES } from "../../src/modules/members/types.ts";
import { type Answer, type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addOneOfEach, filled, kindsIn, namesRecord, type RecordIds } from "../support/one-of-each.ts";
import { formOf, pdfOf } from "../support/uploads.ts";

/* No endpoint shows or changes another organisation's record, whoever asks for it by its id, or what the role may not see or do. */

let api: TestApi;
let [ours, theirs]: RecordIds[] = [];
let us: StaffCall;
let them: StaffCall;
let shop: ApiMerchant;
let other: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  other = await api.addMerchant();
  ours = await addOneOfEach(api, shop, (length) => `Ours ${"x".repeat(length)}`.slice(0, length));
  theirs = await addOneOfEach(api, other, (length) => `Theirs ${"x".repeat(length)}`.slice(0, length));
  [us, them] = [await shop.signIn(), await other.signIn()];
});
after(() => api.close());

/** Bodies without which an endpoint would refuse for another reason. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /subscriptions/{id}/update": { amount: 1 },
  "PATCH /mandates/{id}": { amount: 1 },
  "POST /customer-subscriptions/{id}/preview-change": { quantity: 2 },
  "POST /customer-subscriptions/{id}/change-plan": { quantity: 2 },
  "POST /payment-links/{id}/messages": { channel: "sms" },
  "POST /invoices/{id}/messages": { channel: "sms" },
  "POST /invoices/{id}/payments": { amount: 1, method: "eft" },
  "POST /invoices/{id}/credit-applications": { amount: 1 },
  "POST /customers/{id}/cards/{cardId}/charges": { amount: 1, description: "x", externalReference: "x" },
  "POST /packages/{id}/plans": { name: "x", amount: 1, frequency: "monthly" },
  "POST /customer-subscriptions/{id}/payment-method": { collectionMethod: "invoice" },
  "POST /customer-subscriptions/{id}/discount": { percent: 5, description: "x" },
  "POST /customer-subscriptions/{id}/credit": { amount: 1, description: "x" },
  "POST /customer-subscriptions/{id}/items": { kind: "addon", description: "x", unitAmount: 1 },
  "POST /customer-subscriptions/{id}/items/{item}/usage": { quantity: 1 },
  "POST /customer-subscriptions/{id}/sync-period": { currentPeriodStart: "2027-01-01", currentPeriodEnd: "2027-02-01" },
  "POST /transactions/{reference}/give-up": { notAtGateway: true },
  "POST /reconciliation/items/{id}/match": { allocations: [{ kind: "bank_fee" }] },
  "POST /reconciliation/items/{id}/ignore": { reason: "x" },
  "POST /customers/{id}/credit-refunds": { amount: 1, reason: "x" },
  "POST /eft-orders/{id}/reject": { reason: "x" },
  "POST /mandates/{id}/reject": { reason: "x" },
  "POST /debit-batches/{id}/hold-back": { references: ["DO1-20270305"], reason: "They asked for it." },
  "POST /debit-batches/{id}/release": { references: ["DO1-20270305"] },
  "POST /debit-batches/{id}/send-again": { notAtGateway: true },
  "PATCH /members/{id}": { role: "viewer" },
  "POST /events/{id}/send": { endpointId: "x" },
  "POST /webhook-endpoints/{id}/replay": { from: "2027-01-01T00:00:00Z" },
};

async function ask(staff: StaffCall, endpoint: Endpoint, ids: RecordIds): Promise<Answer> {
  const { method, path, body: taken } = endpoint;
  if (!("upload" in endpoint))
    return staff(method, filled(path, ids), BODIES[`${method} ${path}`] ?? (taken ? {} : undefined));
  const { body, headers } = await formOf({ field: endpoint.upload.field, name: "a.pdf", bytes: pdfOf() });
  return staff(method, filled(path, ids), body, headers);
}

const withRecord = DASHBOARD_ENDPOINTS.filter(({ path }) => namesRecord(path));

test("their own staff find each record by its id", async () => {
  const refused: string[] = [];
  for (const endpoint of withRecord.filter(({ method }) => method === "GET")) {
    const { status } = await ask(them, endpoint, theirs ?? {});
    if (status === 404) refused.push(`${endpoint.path}: ${status}`);
  }
  assert.deepEqual(refused, []);
});

test("staff of another organisation are answered 404 by every endpoint with a record in its path", async () => {
  const before = await changes();
  const answered: string[] = [];
  for (const endpoint of withRecord) {
    const kinds = kindsIn(endpoint.path);
    const last = kinds.at(-1) ?? "";
    // All of it is theirs; then the last part alone, below a record of ours.
    const asked = [theirs ?? {}, ...(kinds.length > 1 ? [{ ...ours, [last]: theirs?.[last] ?? "" }] : [])];
    for (const ids of asked) {
      const { status, text } = await ask(us, endpoint, ids);
      if (status !== 404 || /theirs/i.test(text))
        answered.push(`${endpoint.method} ${endpoint.path}: ${status} ${text}`);
    }
  }
  assert.deepEqual(answered, []);
  assert.deepEqual(await changes(), before);
});

/** Whose ids lists are asked for: what most of them can be narrowed to. */
const ASKED_FOR = ["customers", "invoices", "transactions", "customer-subscriptions", "gateways"];

test("no list shows anything of another organisation, also when it is asked for by an id", async () => {
  const shown: string[] = [];
  for (const { path, query } of DASHBOARD_ENDPOINTS.filter(
    ({ method, path }) => method === "GET" && !path.includes("{"),
  )) {
    const names = Object.keys((query as { shape?: object } | undefined)?.shape ?? {});
    const texts = names.filter((name) => /id$|^(subject|customer|reference|q)$/i.test(name));
    const asked = ["", ...texts.flatMap((name) => ASKED_FOR.map((kind) => `?${name}=${theirs?.[kind]}`))];
    for (const rest of asked) {
      const { text } = await us("GET", `${path}${rest}`);
      if (/theirs/i.test(text)) shown.push(`${path}${rest}`);
    }
  }
  assert.deepEqual(shown, []);
});

for (const role of ROLES)
  test(`${role} is refused by every endpoint that the role may not ask, and by no other`, async () => {
    const staff = await shop.signIn(role);
    const answered: string[] = [];
    for (const endpoint of DASHBOARD_ENDPOINTS) {
      const may = permissionsOf(endpoint).every((permission) => mayDo(builtIn(role), permission));
      // What is allowed is asked of a record that is not there, so that nothing is done.
      if (may && !namesRecord(endpoint.path) && endpoint.method !== "GET") continue;
      const { status } = await ask(staff, endpoint, theirs ?? {});
      if ((status === 403) === may) answered.push(`${endpoint.method} ${endpoint.path}: ${status}`);
    }
    assert.deepEqual(answered, []);
  });

/** What the other organisation's audit log says was done to it. */
const changes = () =>
  api.query("select count(*)::int as n from audit_log where organisation_id = $1", other.organisation.id);
