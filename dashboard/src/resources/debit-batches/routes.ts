import type { Resource } from "../../components/resource.ts";

/** Debits that are sent to the bank together (interface 14.2). */
export const debitBatches: Resource = {
  name: "debit-batches",
  label: "Batches",
  group: "Debit orders",
  permission: "mandates:read",
  feature: "debit_orders",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
