import type { Resource } from "../../components/resource.ts";

/** Money that came in, or was to (interface 4.2). */
export const transactions: Resource = {
  name: "transactions",
  label: "Payments",
  group: "Money",
  permission: "transactions:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
