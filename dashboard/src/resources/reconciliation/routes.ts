import type { Resource } from "../../components/resource.ts";

const common = { group: "Reconcile", permission: "reconciliation:read", feature: "reconciliation" } as const;

/** Lines that are left to match, one after the other. */
export const toMatch: Resource = {
  ...common,
  name: "reconciliation/to-match",
  label: "To match",
  also: ["transactions:read", "invoices:read", "customers:read"],
  routes: [{ path: "/", load: () => import("./to-match.tsx") }],
};

/** Lines of bank statements, and their matches (interface 14.5). */
export const bankLines: Resource = {
  ...common,
  name: "reconciliation/items",
  label: "Bank lines",
  routes: [
    { path: "/", load: () => import("./lines.tsx") },
    { path: "/$id", load: () => import("./line.tsx") },
  ],
};

/** Lines that are payouts of gateways. */
export const payouts: Resource = {
  ...common,
  name: "payouts",
  label: "Payouts",
  group: "Payments",
  routes: [{ path: "/", load: () => import("./payouts.tsx") }],
};

/** Statements that were imported. */
export const statements: Resource = {
  ...common,
  name: "reconciliation/runs",
  label: "Statements",
  routes: [
    { path: "/", load: () => import("./statements.tsx") },
    { path: "/new", load: () => import("./import.tsx"), permission: "reconciliation:write" },
    { path: "/$id", load: () => import("./statement.tsx") },
  ],
};

/** Payments that no statement has shown. */
export const awaitedMoney: Resource = {
  ...common,
  name: "reconciliation/awaited",
  label: "Not in the bank yet",
  also: ["transactions:read"],
  routes: [{ path: "/", load: () => import("./awaited.tsx") }],
};

/** Rules from matches by hand. */
export const matchingRules: Resource = {
  ...common,
  name: "reconciliation/rules",
  label: "Matching rules",
  routes: [{ path: "/", load: () => import("./rules.tsx") }],
};
