import type { Resource } from "../../components/resource.ts";

/** Payments that their payers dispute at the bank (interface 4.16). */
export const disputes: Resource = {
  name: "disputes",
  label: "Disputes",
  group: "Payments",
  permission: "transactions:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
