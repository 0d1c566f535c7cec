import type { Resource } from "../../components/resource.ts";

/** Payments, received or attempted (interface 4.3). */
export const transactions: Resource = {
  name: "transactions",
  label: "Payments",
  group: "Payments",
  permission: "transactions:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
