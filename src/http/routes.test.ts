import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS } from "../catalogue.ts";
import type { Endpoint } from "./endpoint.ts";

/** Routes that an API key may call. Only routes that docs/interface offers to clients belong here. */
const CLIENTS: readonly string[] = [
  "DELETE /customer-subscriptions/{id}/items/{item}",
  "DELETE /customer-subscriptions/{id}/pending-change",
  "DELETE /customers/{id}/cards/{cardId}",
  "DELETE /quotes/{id}",
  "GET /accounting/referral-links",
  "GET /checkout-sessions",
  "GET /checkout-sessions/{id}",
  "GET /credit-notes",
  "GET /credit-notes/{id}",
  "GET /credit-notes/{id}/pdf",
  "GET /customer-subscriptions",
  "GET /customer-subscriptions/{id}",
  "GET /customer-subscriptions/{id}/attempts",
  "GET /customer-subscriptions/{id}/invoices",
  "GET /customer-subscriptions/{id}/payments",
  "GET /customer-subscriptions/{id}/shadow",
  "GET /customers",
  "GET /customers/{id}",
  "GET /customers/{id}/cards",
  "GET /customers/{id}/cards/setup/{sessionId}",
  "GET /customers/{id}/cards/{cardId}",
  "GET /customers/{id}/standing",
  "GET /eft-orders",
  "GET /eft-orders/{id}",
  "GET /invoices",
  "GET /invoices/{id}",
  "GET /invoices/{id}/payments",
  "GET /invoices/{id}/pdf",
  "GET /mandates",
  "GET /mandates/{id}",
  "GET /me",
  "GET /packages",
  "GET /packages/{id}",
  "GET /packages/{id}/shadow",
  "GET /payment-links",
  "GET /payment-links/{id}",
  "GET /plans",
  "GET /quotes",
  "GET /quotes/{id}",
  "GET /quotes/{id}/pdf",
  "GET /reconciliation/runs",
  "GET /reconciliation/runs/{id}",
  "GET /subscriptions",
  "GET /subscriptions/migrations",
  "GET /subscriptions/{id}",
  "GET /subscriptions/{id}/charges",
  "GET /transactions/{reference}",
  "PATCH /customer-subscriptions/{id}/items/{item}",
  "PATCH /customer-subscriptions/{id}",
  "PATCH /customers/{id}",
  "PATCH /mandates/{id}",
  "PATCH /quotes/{id}",
  "POST /customer-subscriptions",
  "POST /customer-subscriptions/{id}/change-plan",
  "POST /customer-subscriptions/{id}/credit",
  "POST /customer-subscriptions/{id}/discount",
  "POST /customer-subscriptions/{id}/items",
  "POST /customer-subscriptions/{id}/items/{item}/usage",
  "POST /customer-subscriptions/{id}/preview-change",
  "POST /customer-subscriptions/{id}/cancel",
  "POST /customer-subscriptions/{id}/pause",
  "POST /customer-subscriptions/{id}/reactivate",
  "POST /customer-subscriptions/{id}/resume",
  "POST /customer-subscriptions/{id}/retry",
  "POST /checkout-sessions",
  "POST /customer-subscriptions/{id}/sync-period",
  "POST /customers",
  "POST /customers/{id}/cards/setup",
  "POST /customers/{id}/cards/{cardId}/charges",
  "POST /customers/{id}/cards/{cardId}/default",
  "POST /customers/{id}/portal-link",
  "POST /eft-orders",
  "POST /eft-orders/{id}/cancel",
  "POST /eft-orders/{id}/proof",
  "POST /invoices",
  "POST /invoices/{id}/cancel",
  "POST /invoices/{id}/payments",
  "POST /invoices/{id}/send",
  "POST /mandates",
  "POST /mandates/{id}/agreement",
  "POST /packages",
  "POST /packages/{id}/plans",
  "POST /payment-links",
  "POST /quotes",
  "POST /quotes/{id}/accept",
  "POST /quotes/{id}/convert",
  "POST /quotes/{id}/decline",
  "POST /quotes/{id}/send",
  "POST /subscriptions/migrations",
  "POST /subscriptions/migrations/{id}/cancel",
  "POST /subscriptions/migrations/{id}/cancel-legacy",
  "POST /subscriptions/migrations/{id}/mark-legacy-cancelled",
  "POST /subscriptions/migrations/{id}/send-link",
  "POST /subscriptions/{id}/cancel",
  "POST /subscriptions/{id}/pause",
  "POST /subscriptions/{id}/resume",
  "POST /subscriptions/{id}/retry",
  "POST /subscriptions/{id}/update",
];

/** Known from another billing API; not in the dashboard's API. */
const COMPATIBLE = "POST /api/billing-webhook/checkout";

/** Routes for staff only. */
const STAFF: readonly string[] = [
  "DELETE /api-keys/{id}",
  "DELETE /coupons/{id}",
  "DELETE /gateways/{id}",
  "DELETE /members/{id}",
  "DELETE /notes/{id}",
  "DELETE /packages/{id}",
  "DELETE /packages/{id}/plans/{planId}",
  "DELETE /products/{id}",
  "DELETE /test-clock",
  "DELETE /webhook-endpoints/{id}",
  "GET /accounting/months",
  "GET /accounting/months/{month}",
  "GET /accounting/vat201/{period}",
  "GET /accounting/vat201/{period}/records",
  "GET /allowed-return-urls",
  "GET /api-keys",
  "GET /audit-log",
  "GET /checkout-pages",
  "GET /coupons",
  "GET /coupons/{id}",
  "GET /customers/{id}/credit-refunds",
  "GET /customers/{id}/personal-data",
  "GET /debit-batches",
  "GET /debit-batches/{id}",
  "GET /debit-batches/{id}/debits",
  "GET /eft-orders/{id}/proofs/{proofId}",
  "GET /emails",
  "GET /emails/{id}",
  "GET /event-types",
  "GET /events",
  "GET /events/{id}",
  "GET /exports/customers.csv",
  "GET /exports/invoices.csv",
  "GET /exports/journal.csv",
  "GET /exports/transactions.csv",
  "GET /gateway-types",
  "GET /gateways",
  "GET /gateways/{id}",
  "GET /gateways/{id}/health",
  "GET /invoices/{id}/tax-invoice",
  "GET /mandates/{id}/agreements/{agreementId}",
  "GET /mandates/{id}/debits",
  "GET /members",
  "GET /overview",
  "GET /packages/{id}/plans",
  "GET /products",
  "GET /products/{id}",
  "GET /reconciliation/accounts",
  "GET /reconciliation/awaited",
  "GET /reconciliation/items",
  "GET /reconciliation/items/{id}",
  "GET /reconciliation/items/{id}/candidates",
  "GET /reconciliation/rules",
  "GET /reconciliation/runs/{id}/summary",
  "POST /reconciliation/imports",
  "POST /reconciliation/imports/preview",
  "POST /reconciliation/items/{id}/match",
  "POST /reconciliation/items/{id}/unmatch",
  "POST /reconciliation/rules/{id}/accept",
  "POST /reconciliation/rules/{id}/decline",
  "GET /search",
  "GET /settings",
  "GET /subscription-movements",
  "GET /test-clock",
  "GET /timeline",
  "GET /transactions",
  "GET /webhook-deliveries",
  "GET /webhook-endpoints",
  "PATCH /api-keys/{id}",
  "PATCH /coupons/{id}",
  "PATCH /gateways/{id}",
  "PATCH /members/{id}",
  "PATCH /packages/{id}",
  "PATCH /packages/{id}/plans/{planId}",
  "PATCH /products/{id}",
  "PATCH /settings",
  "PATCH /webhook-endpoints/{id}",
  "POST /accounting/months/{month}/close",
  "POST /accounting/months/{month}/reopen",
  "POST /api-keys",
  "POST /coupons",
  "POST /credit-notes",
  "POST /customer-subscriptions/imports",
  "POST /customers/{id}/credit-refunds",
  "POST /customers/{id}/erase",
  "POST /debit-batches",
  "POST /debit-batches/{id}/send-again",
  "POST /debit-batches/{id}/submit",
  "POST /eft-orders/{id}/approve",
  "POST /eft-orders/{id}/reject",
  "POST /gateways",
  "POST /gateways/test",
  "POST /gateways/{id}/test",
  "POST /mandates/{id}/approve",
  "POST /mandates/{id}/reject",
  "POST /members",
  "POST /notes",
  "POST /payment-links/{id}/deactivate",
  "POST /products",
  "POST /quotes/{id}/draft",
  "POST /sandbox/notify",
  "POST /test-clock",
  "POST /tour/end",
  "POST /transactions/{reference}/refunds",
  "POST /webhook-deliveries/resend-failed",
  "POST /webhook-deliveries/{id}/resend",
  "POST /webhook-endpoints",
  "POST /webhook-endpoints/{id}/rotate-secret",
  "POST /webhook-endpoints/{id}/test",
  "PUT /allowed-return-urls",
  "POST /checkout-pages/preview",
  "PUT /checkout-pages",
];

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
  const ofCoupons = ["PATCH /coupons/{id}", "POST /coupons"].flatMap((endpoint) =>
    ["amount", "cycles", "maxRedemptions", "maxRedemptionsPerCustomer", "percent"].map(
      (name) => `${endpoint} .${name}`,
    ),
  );
  assert.deepEqual(found.sort(), [
    ...ofCoupons.slice(0, 5),
    "PATCH /packages/{id}/plans/{planId} .cycles",
    "PATCH /quotes/{id} .lineItems[].taxRate",
    "PATCH /settings .reauthenticationLimit",
    ...ofCoupons.slice(5),
    "POST /packages/{id}/plans .cycles",
    "POST /quotes .lineItems[].taxRate",
  ]);
});

const named = (endpoints: readonly Endpoint[]): string[] =>
  endpoints.map(({ method, base = "", path }) => `${method} ${base}${path}`).sort();

test("API keys open what is listed for clients and nothing else", () => {
  assert.deepEqual(named(CLIENT_ENDPOINTS), [...CLIENTS, COMPATIBLE].sort());
});

test("staff may use all of it, and what is theirs alone", () => {
  assert.deepEqual(named(DASHBOARD_ENDPOINTS), [...CLIENTS, ...STAFF].sort());
});
