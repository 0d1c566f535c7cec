import type { Resource } from "../../components/resource.ts";

/** Debits that banks returned unpaid (interface 14.2). */
export const unpaidDebits: Resource = {
  name: "unpaid-debits",
  label: "Unpaid debits",
  group: "Debit orders",
  permission: "mandates:read",
  feature: "debit_orders",
  routes: [{ path: "/", load: () => import("./list.tsx") }],
};
