import type { Resource } from "../../components/resource.ts";

/** Customers, who pay (interface 4.4). */
export const customers: Resource = {
  name: "customers",
  label: "Customers",
  group: "Customers",
  permission: "customers:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "customers:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "customers:write" },
  ],
};
