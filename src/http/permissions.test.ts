import assert from "node:assert/strict";
import { test } from "node:test";
import { DASHBOARD_ENDPOINTS } from "../catalogue.ts";
import { builtIn, mayDo } from "../modules/members/rules.ts";
import { ROLES, type Role } from "../modules/members/types.ts";
import { permissionsOf } from "./endpoint.ts";

/** The endpoints with which each member changes their own data. */
const OF_ONESELF = ["POST /tour/end", "POST /saved-views", "DELETE /saved-views/{id}"];

/** Requests with a body that change nothing, which every role may make. */
const PREVIEWS: readonly string[] = [
  "POST /checkout-pages/preview",
  "POST /customer-subscriptions/{id}/preview-change",
  "POST /settings/preview",
  "POST /settings/preview/invoice.pdf",
];

/** Paths that each role may change. Owners and admins may change all. */
const CHANGES: Readonly<Record<"finance" | "support" | "viewer", readonly string[]>> = {
  finance: [
    "DELETE /notes/{id}",
    "POST /notes",
    "DELETE /customer-subscriptions/{id}/items/{item}",
    "DELETE /customer-subscriptions/{id}/pending-change",
    "PATCH /customer-subscriptions/{id}",
    "PATCH /customer-subscriptions/{id}/items/{item}",
    "POST /customer-subscriptions",
    "POST /customer-subscriptions/imports",
    "POST /customer-subscriptions/{id}/cancel",
    "POST /customer-subscriptions/{id}/change-plan",
    "POST /customer-subscriptions/{id}/credit",
    "POST /customer-subscriptions/{id}/discount",
    "POST /customer-subscriptions/{id}/items",
    "POST /customer-subscriptions/{id}/items/{item}/usage",
    "POST /usage-events",
    "POST /customer-subscriptions/{id}/pause",
    "POST /customer-subscriptions/{id}/payment-method",
    "POST /customer-subscriptions/{id}/reactivate",
    "POST /customer-subscriptions/{id}/resume",
    "POST /customer-subscriptions/{id}/retry",
    "POST /customer-subscriptions/{id}/sync-period",
    "DELETE /customers/{id}/cards/{cardId}",
    "POST /customers/{id}/cards/setup",
    "POST /customers/{id}/cards/{cardId}/default",
    "POST /customers/{id}/cards/{cardId}/charges",
    "POST /accounting/months/{month}/close",
    "POST /accounting/months/{month}/reopen",
    "PATCH /accounting/software/{software}",
    "POST /credit-notes",
    "POST /customers/{id}/credit-refunds",
    "POST /debit-batches",
    "POST /debit-batches/{id}/hold-back",
    "POST /debit-batches/{id}/release",
    "POST /debit-batches/{id}/send-again",
    "POST /debit-batches/{id}/submit",
    "POST /disputes/{id}/accept",
    "POST /disputes/{id}/evidence",
    "POST /disputes/{id}/submit",
    "POST /eft-orders",
    "POST /eft-orders/{id}/approve",
    "POST /eft-orders/{id}/cancel",
    "POST /eft-orders/{id}/proof",
    "POST /eft-orders/{id}/reject",
    "POST /invoices",
    "POST /invoices/preview",
    "POST /invoices/{id}/preview",
    "POST /invoices/{id}/cancel",
    "POST /invoices/{id}/duplicate",
    "POST /invoices/{id}/credit-applications",
    "POST /invoices/{id}/payments",
    "DELETE /invoices/{id}/payments/{paymentId}",
    "POST /invoices/{id}/messages",
    "POST /invoices/{id}/send",
    "PATCH /mandates/{id}",
    "POST /mandates",
    "POST /mandates/{id}/agreement",
    "POST /mandates/{id}/approve",
    "POST /mandates/{id}/reject",
    "DELETE /invoices/{id}",
    "DELETE /quotes/{id}",
    "PATCH /invoices/{id}",
    "PATCH /quotes/{id}",
    "POST /quotes",
    "POST /quotes/preview",
    "POST /quotes/{id}/preview",
    "POST /quotes/{id}/accept",
    "POST /quotes/{id}/convert",
    "POST /quotes/{id}/decline",
    "POST /quotes/{id}/draft",
    "POST /quotes/{id}/send",
    "POST /reconciliation/imports",
    "POST /reconciliation/imports/preview",
    "POST /reconciliation/items/{id}/ignore",
    "POST /reconciliation/items/{id}/match",
    "POST /reconciliation/items/{id}/unmatch",
    "POST /reconciliation/rules/{id}/accept",
    "POST /reconciliation/rules/{id}/decline",
    "POST /reconciliation/runs/{id}/withdraw",
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
    "POST /transactions/{reference}/accept",
    "POST /transactions/{reference}/give-back",
    "POST /transactions/{reference}/give-up",
    "POST /transactions/{reference}/refunds",
  ],
  support: [
    "DELETE /notes/{id}",
    "POST /notes",
    "POST /checkout-sessions",
    "DELETE /customers/{id}",
    "DELETE /customers/{id}/cards/{cardId}",
    "PATCH /customers/{id}",
    "POST /customers",
    "POST /customers/{id}/cards/setup",
    "POST /customers/{id}/cards/{cardId}/default",
    "POST /customers/{id}/portal-link",
    "POST /invoices",
    "POST /invoices/preview",
    "POST /invoices/{id}/preview",
    "POST /invoices/{id}/cancel",
    "POST /invoices/{id}/duplicate",
    "POST /invoices/{id}/messages",
    "POST /invoices/{id}/send",
    "POST /payment-links",
    "POST /payment-links/{id}/deactivate",
    "POST /payment-links/{id}/messages",
    "DELETE /invoices/{id}",
    "DELETE /quotes/{id}",
    "PATCH /invoices/{id}",
    "PATCH /quotes/{id}",
    "POST /quotes",
    "POST /quotes/preview",
    "POST /quotes/{id}/preview",
    "POST /quotes/{id}/accept",
    "POST /quotes/{id}/convert",
    "POST /quotes/{id}/decline",
    "POST /quotes/{id}/draft",
    "POST /quotes/{id}/send",
    "POST /events/{id}/send",
    "POST /webhook-deliveries/resend-failed",
    "POST /webhook-deliveries/{id}/resend",
  ],
  viewer: [],
};

const allowed = (role: Role, kind: "read" | "write"): string[] =>
  DASHBOARD_ENDPOINTS.filter(({ method }) => (method === "GET") === (kind === "read"))
    .filter((endpoint) => permissionsOf(endpoint).every((permission) => mayDo(builtIn(role), permission)))
    .map(({ method, path }) => `${method} ${path}`)
    .sort();

for (const role of ["finance", "support", "viewer"] as const)
  test(`${role} changes these records and no others`, () =>
    assert.deepEqual(
      allowed(role, "write"),
      [...PREVIEWS, ...OF_ONESELF, ...CHANGES[role]].sort(),
      "list a new endpoint in CHANGES, for each role that holds its permission (modules/members/rules.ts)",
    ));

test("owner and admin may ask for everything", () => {
  for (const role of ["owner", "admin"] as const)
    assert.equal(allowed(role, "read").length + allowed(role, "write").length, DASHBOARD_ENDPOINTS.length);
});

const isExport = (path: string) => path.includes("/exports/") || path === "GET /accounting/aged-debtors/csv";

test("every role reads everything, but exports, for who looks after money, and personal data, for owners and admins", () => {
  const everything = allowed("owner", "read");
  for (const role of ROLES) {
    const mayHandOver = role === "owner" || role === "admin";
    const mayExport = role !== "support" && role !== "viewer";
    assert.deepEqual(
      allowed(role, "read"),
      everything.filter((path) => (mayExport || !isExport(path)) && (mayHandOver || !path.endsWith("/personal-data"))),
    );
  }
});
